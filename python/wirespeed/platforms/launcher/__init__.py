"""Platforms: launchers."""
