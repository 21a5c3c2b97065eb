"""NVIDIA Cumulus Linux, by NVUE."""
