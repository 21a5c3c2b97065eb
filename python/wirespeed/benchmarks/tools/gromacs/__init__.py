"""Read the output of GROMACS."""
