"""Read the output of GPCNeT."""
