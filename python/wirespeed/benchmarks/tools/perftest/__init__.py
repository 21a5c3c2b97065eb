"""Read the output of perftest."""
