"""Read the output of nvbandwidth."""
