"""Read the output of CP2K."""
