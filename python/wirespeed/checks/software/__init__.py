"""Drivers, libraries and modules."""
