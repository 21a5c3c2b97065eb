"""Read the output of mpiGraph."""
