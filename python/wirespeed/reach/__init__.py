"""Reaching a machine: run one command there, and return what it printed, raw.

The only package that starts processes.
"""

from wirespeed.reach.local import Ran, Status, run

__all__ = ["Ran", "Status", "run"]
