"""Read the output of sockperf."""
