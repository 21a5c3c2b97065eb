"""Read the output of p2pBandwidthLatencyTest."""
