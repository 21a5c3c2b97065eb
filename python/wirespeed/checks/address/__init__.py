"""Addresses and routing of hosts."""
