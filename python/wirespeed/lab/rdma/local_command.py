"""Short commands on this machine: their output, or one problem."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import refuse
from wirespeed.reach import Status, run


def run_command(
    arguments: Sequence[str], limit_s: float, location: str, hint: str | None = None, lock: int | None = None
) -> str:
    """What a command prints. It holds the lock too, so that it is over before another command begins.

    Raises:
        Refusal: it failed; with its message.
    """
    ran = run(arguments, limit_s) if lock is None else run(arguments, limit_s, stdin=lock)
    if ran.status is not Status.OK:
        raise refuse(location, f"{arguments[0]}: {ran.detail}", "exit code 0", hint)
    return ran.stdout.decode("utf-8", "replace")
