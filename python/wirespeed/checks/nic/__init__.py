"""NIC ports."""
