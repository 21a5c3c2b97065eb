"""The ends of measurements: NICs and hosts of a plan, and the ranks and devices that a log names."""
