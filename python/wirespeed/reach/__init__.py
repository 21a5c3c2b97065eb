"""Reaching a machine: run one command there, and return what it printed, raw.

The only package that starts processes.
"""

from wirespeed.reach.call import Call, Reach, Started
from wirespeed.reach.command_prefix import Prefixed, on_this_machine, through_slurm
from wirespeed.reach.daemon import answers, attached, become, daemon, ended
from wirespeed.reach.local import Ran, Status, run
from wirespeed.reach.ssh import Ssh

__all__ = [
    "Call",
    "Prefixed",
    "Ran",
    "Reach",
    "Ssh",
    "Started",
    "Status",
    "answers",
    "attached",
    "become",
    "daemon",
    "ended",
    "on_this_machine",
    "run",
    "through_slurm",
]
