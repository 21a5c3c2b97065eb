"""Read the output of bandwidthTest of the CUDA samples."""
