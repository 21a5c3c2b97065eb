"""What a measurement is between: NICs and hosts of a plan, and the ranks and devices that a log names."""
