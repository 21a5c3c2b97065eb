"""Read the output of WRF."""
