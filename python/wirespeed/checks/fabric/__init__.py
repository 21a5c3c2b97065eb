"""Settings that must agree on several devices."""
