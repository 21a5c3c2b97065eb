"""Traffic classes on switch ports."""
