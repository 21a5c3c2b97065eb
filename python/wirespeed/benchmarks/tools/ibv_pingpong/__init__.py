"""Read the output of the ibv_*_pingpong programs of libibverbs."""
