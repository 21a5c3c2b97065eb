"""How jobs of MVAPICH2 are started."""

from wirespeed.platforms.launcher.mvapich import start

__all__ = ["start"]
