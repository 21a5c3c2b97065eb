"""What all Linux hosts share: a platform with ``include: linux`` in its platform.yaml has it too."""
