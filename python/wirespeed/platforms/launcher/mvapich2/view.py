"""Values for the files of MVAPICH2."""

from wirespeed.platforms.launcher.mvapich import view

__all__ = ["view"]
