"""Values for the files of MVAPICH 3."""

from wirespeed.platforms.launcher.mvapich import view

__all__ = ["view"]
