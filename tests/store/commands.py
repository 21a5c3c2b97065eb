"""``wirespeed bench``, whose verbs keep measurements."""

from __future__ import annotations

from subprocess import CompletedProcess

from command_line import wirespeed


def bench(*arguments: object, stdin_data: bytes = b"", **environment: str) -> CompletedProcess[str]:
    """Run it with these arguments, this standard input and these variables."""
    return wirespeed("bench", *arguments, columns=100, stdin_data=stdin_data, **environment)
