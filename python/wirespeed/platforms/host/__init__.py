"""Platforms: hosts."""
