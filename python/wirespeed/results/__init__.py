"""Results as plain data: findings, benchmark runs, verdicts, topology. JSON in and out; no verdict is made here."""
