"""The result of a mesh: which pairs are reachable over which route, and the causes that bad pairs share."""
