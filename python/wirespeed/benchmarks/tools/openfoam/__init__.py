"""Read the output of OpenFOAM."""
