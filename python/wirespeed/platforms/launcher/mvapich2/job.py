"""Start of jobs with MVAPICH2."""

from wirespeed.platforms.launcher.mvapich import start

__all__ = ["start"]
