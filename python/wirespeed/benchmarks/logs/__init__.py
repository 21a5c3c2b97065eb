"""The text of a log: its lines, numbers, JSON documents and error messages, and code that several readers share."""
