"""Read the output of matrices of every node to every other."""
