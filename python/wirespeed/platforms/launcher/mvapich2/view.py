"""What the files of MVAPICH2 need computed."""

from wirespeed.platforms.launcher.mvapich import view

__all__ = ["view"]
