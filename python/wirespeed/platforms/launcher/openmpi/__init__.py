"""Open MPI over UCX: its own jobs, and those of NCCL and RCCL."""
