"""PCI Express bridges."""
