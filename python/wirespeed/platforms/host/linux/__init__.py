"""Settings and commands of all Linux hosts; a platform with ``include: linux`` in its platform.yaml has them."""
