"""Read the output of rocm-bandwidth-test."""
