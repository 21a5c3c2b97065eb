"""The parts of a suite of benchmarks: which pairs measure, and which commands run on which host."""
