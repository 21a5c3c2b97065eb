"""Platforms: nics."""
