"""Platforms: switchs."""
