"""MVAPICH 3."""
