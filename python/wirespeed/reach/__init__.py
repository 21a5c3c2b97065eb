"""Runs one command on a machine, and returns its raw output.

The only package that starts processes.
"""

from wirespeed.reach.call import LONGEST_COMMAND, Call, Reach, RunningCommand
from wirespeed.reach.command_prefix import CommandPrefix, use_slurm, use_this_machine
from wirespeed.reach.daemon import has_ended, replace_process, run_attached, start_daemon, wait_for_socket
from wirespeed.reach.local import LARGEST_OUTPUT, SYSTEM_PATH, CommandResult, Status, run
from wirespeed.reach.ssh import Ssh

__all__ = [
    "LARGEST_OUTPUT",
    "LONGEST_COMMAND",
    "SYSTEM_PATH",
    "Call",
    "CommandPrefix",
    "CommandResult",
    "Reach",
    "RunningCommand",
    "Ssh",
    "Status",
    "has_ended",
    "replace_process",
    "run",
    "run_attached",
    "start_daemon",
    "use_slurm",
    "use_this_machine",
    "wait_for_socket",
]
