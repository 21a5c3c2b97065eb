"""The result of a mesh: which pairs are reachable over which route, and what bad pairs have in common."""
