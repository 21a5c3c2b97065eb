"""What the files of MVAPICH 3 need computed."""

from wirespeed.platforms.launcher.mvapich import view

__all__ = ["view"]
