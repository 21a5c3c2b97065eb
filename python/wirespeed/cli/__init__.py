"""The command line: one file per verb, the only place where flows meet.

A verb's file imports flows and heavy packages inside its functions, so that ``wirespeed --help`` stays instant.
"""

from __future__ import annotations

import errno
import sys

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Problem, Refused

__all__ = ["main"]

_OF_THE_MACHINE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""What a write that is under way can meet; the system names no file then."""


def main() -> None:
    """Run the command line and leave with an `Exit` code.

    Usage errors and Ctrl-C are the framework's; its codes for them are the same.
    """
    try:
        app(prog_name="wirespeed")
    except Refused as refused:
        _show(refused.problems)
        sys.exit(Exit.REFUSED)
    except OSError as error:
        if error.filename is None and error.errno not in _OF_THE_MACHINE:
            _internal(error)
        place = "writing" if error.filename is None else str(error.filename)
        reason = error.strerror or str(error)
        _show([Problem(place, reason.lower(), "a file or folder that can be read or written")])
        sys.exit(Exit.REFUSED)
    except Exception as error:
        _internal(error)


def _show(problems: tuple[Problem, ...] | list[Problem]) -> None:
    from wirespeed.cli.console import show_problems

    show_problems(problems)


def _internal(error: Exception) -> None:
    """Our own bug: the traceback is what a report needs."""
    import traceback

    traceback.print_exception(error)
    sys.stderr.write("internal error in wirespeed: please report the lines above with the command you ran\n")
    sys.exit(Exit.INTERNAL)
