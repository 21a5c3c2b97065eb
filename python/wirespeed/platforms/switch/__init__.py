"""Switch operating systems."""
