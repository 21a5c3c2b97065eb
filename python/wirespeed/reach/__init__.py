"""Reaching a machine: run one command there, and return what it printed, raw.

The only package that starts processes.
"""

from wirespeed.reach.call import Call, Reach, RunningCommand
from wirespeed.reach.command_prefix import CommandPrefix, on_this_machine, through_slurm
from wirespeed.reach.daemon import become, daemon, has_ended, run_attached, wait_for_socket
from wirespeed.reach.local import CommandResult, Status, run
from wirespeed.reach.ssh import Ssh

__all__ = [
    "Call",
    "CommandPrefix",
    "CommandResult",
    "Reach",
    "RunningCommand",
    "Ssh",
    "Status",
    "become",
    "daemon",
    "has_ended",
    "on_this_machine",
    "run",
    "run_attached",
    "through_slurm",
    "wait_for_socket",
]
