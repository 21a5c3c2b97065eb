"""How jobs of MVAPICH 3 are started."""

from wirespeed.platforms.launcher.mvapich import start

__all__ = ["start"]
