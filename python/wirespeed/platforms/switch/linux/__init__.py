"""A Linux kernel with FRRouting as a switch, as a lab has it."""
