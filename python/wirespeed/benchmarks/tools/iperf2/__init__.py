"""Read the output of iperf 2."""
