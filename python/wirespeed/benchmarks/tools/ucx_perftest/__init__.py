"""Read the output of ucx_perftest."""
