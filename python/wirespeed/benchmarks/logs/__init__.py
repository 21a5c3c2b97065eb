"""The text of a log: its lines, numbers, JSON documents and error messages, and what readers of several tools share."""
