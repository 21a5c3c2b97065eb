"""Read the output of TransferBench."""
