"""Migrations from each schema to the next, one file each in ``versions/``. A released migration never changes."""
