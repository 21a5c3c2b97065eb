"""Read the output of the OSU micro-benchmarks."""
