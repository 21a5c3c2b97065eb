"""Dolphin PCIe adapters with eXpressWare and SmartIO."""
