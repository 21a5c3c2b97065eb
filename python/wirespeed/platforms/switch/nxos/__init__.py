"""Cisco NX-OS on Nexus 9000."""
