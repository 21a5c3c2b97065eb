"""The host's end of a link."""
