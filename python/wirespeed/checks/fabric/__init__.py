"""What several devices must agree on."""
