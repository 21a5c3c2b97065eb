"""The result of a mesh: who reaches whom over which path, and what failed pairs have in common."""
