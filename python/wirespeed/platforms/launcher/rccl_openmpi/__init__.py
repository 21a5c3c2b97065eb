"""RCCL programs started by Open MPI."""
