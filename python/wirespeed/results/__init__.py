"""Results as plain data: findings, benchmark runs, verdicts, topology. They are read from and written to JSON."""
