"""Enterprise SONiC Distribution by Dell Technologies."""
