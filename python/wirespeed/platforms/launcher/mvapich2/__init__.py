"""MVAPICH2."""
