"""Juniper Junos OS Evolved."""
