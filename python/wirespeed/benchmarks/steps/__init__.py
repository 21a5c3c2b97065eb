"""What a suite of benchmarks is made of: who measures with whom, and which commands are started where."""
