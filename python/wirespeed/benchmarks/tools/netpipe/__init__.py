"""Read the output of NetPIPE."""
