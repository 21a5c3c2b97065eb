"""Read the output of iperf 3."""
