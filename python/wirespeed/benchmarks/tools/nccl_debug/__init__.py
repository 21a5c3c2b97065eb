"""Read the debug output of NCCL and RCCL."""
