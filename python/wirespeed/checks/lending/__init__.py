"""PCIe devices that hosts lend each other."""
