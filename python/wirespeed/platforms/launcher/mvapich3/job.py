"""Start of jobs with MVAPICH 3."""

from wirespeed.platforms.launcher.mvapich import start

__all__ = ["start"]
