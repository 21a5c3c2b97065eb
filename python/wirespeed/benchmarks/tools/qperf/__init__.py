"""Read the output of qperf."""
