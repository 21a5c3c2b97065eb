"""Steps from each schema to the next, one file each in ``versions/``. A step that has been released never changes."""
