"""What was measured, kept: campaigns of runs in SQLite or PostgreSQL, with the facts of their time."""
