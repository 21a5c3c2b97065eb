"""Open MPI over UCX, for MPI jobs and for those of NCCL and RCCL."""
