"""NCCL and RCCL."""
