"""The command line: one file per command, the only package that combines flows.

Commands import flows and heavy packages inside their functions, so that ``wirespeed --help`` is fast.
"""

from __future__ import annotations

import errno
import sys

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Problem, Refused

__all__ = ["main"]

_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""Errors of a write in progress; the system does not name the file."""


def main() -> None:
    """Run the command line and exit with an `Exit` code.

    The framework handles usage errors and Ctrl-C with the same codes.
    """
    try:
        app(prog_name="wirespeed")
    except Refused as refused:
        _show(refused.problems)
        sys.exit(Exit.REFUSED)
    except OSError as error:
        if error.filename is None and error.errno not in _DISK_ERRORS:
            _internal(error)
        place = "writing" if error.filename is None else str(error.filename)
        reason = error.strerror or str(error)
        _show([Problem(place, reason.lower())])
        sys.exit(Exit.REFUSED)
    except Exception as error:
        _internal(error)


def _show(problems: tuple[Problem, ...] | list[Problem]) -> None:
    from wirespeed.cli.console import show_problems

    show_problems(problems)


def _internal(error: Exception) -> None:
    """A bug of wirespeed: print the traceback for the report."""
    import traceback

    traceback.print_exception(error)
    sys.stderr.write("internal error in wirespeed: please report the lines above with the command you ran\n")
    sys.exit(Exit.INTERNAL)
