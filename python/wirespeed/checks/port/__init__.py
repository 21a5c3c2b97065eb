"""The switch's end of a link."""
