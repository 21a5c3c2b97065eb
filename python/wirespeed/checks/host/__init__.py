"""The host's kernel and limits."""
