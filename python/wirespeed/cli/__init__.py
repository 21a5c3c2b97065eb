"""The command line: one file per command, the only package that combines flows.

Commands import flows and heavy packages inside their functions, so that ``wirespeed --help`` is fast.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from typing import NoReturn

import typer

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit
from wirespeed.errors import Problem, Refusal

__all__ = ["main"]

_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""Errors of a write in progress; the system does not name the file."""


def main() -> None:
    """Run the command line and exit with an `Exit` code. The framework handles Ctrl-C with the same code."""
    gc.set_threshold(20_000, 20, 20)  # most objects live until the end: a check of a bundle takes 12 % less CPU time
    try:
        _run()
    except BrokenPipeError:
        _exit_closed_pipe()
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # Typer and Rich exit with 1
            _exit_closed_pipe()
        raise


def _run() -> NoReturn:
    """Run the command line and exit."""
    try:
        code = app(prog_name="wirespeed", standalone_mode=False)
        sys.stdout.flush()
    except Refusal as refusal:
        _show_problems(refusal.problems)
        sys.exit(Exit.REFUSED)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.errno not in _DISK_ERRORS:
            _report_bug(error)
        location = "writing" if error.filename is None else str(error.filename)
        reason = error.strerror or str(error)
        _show_problems([Problem(location, reason.lower(), hint=_path_hint(error))])
        sys.exit(Exit.REFUSED)
    except typer.Abort:
        sys.stderr.write("aborted\n")
        sys.exit(Exit.FAILED)
    except Exception as error:
        _exit_usage(error)
        _report_bug(error)
    sys.exit(code if isinstance(code, int) else Exit.PASSED)


def _exit_closed_pipe() -> NoReturn:
    """Exit with 141 like programs that SIGPIPE ends; nothing more is written to the closed pipe."""
    null = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):  # buffered text is written at the end of the process
        os.dup2(null, output)
    sys.exit(Exit.CLOSED_PIPE)


def _exit_usage(error: Exception) -> None:
    """Print a usage error and exit; return for any other error."""
    from wirespeed.cli.usage import is_help, is_usage_error, usage_problem

    if not is_usage_error(error):
        return
    if is_help(error):
        sys.stderr.write(f"{error}\n")
    else:
        _show_problems([usage_problem(error)])
    sys.exit(Exit.REFUSED)


def _path_hint(error: OSError) -> str | None:
    from wirespeed.cli.usage import path_hint

    missing = error.errno in (errno.ENOENT, errno.ENOTDIR) and isinstance(error.filename, str)
    return path_hint(str(error.filename)) if missing else None


def _show_problems(problems: tuple[Problem, ...] | list[Problem]) -> None:
    from wirespeed.cli.console import show_problems

    show_problems(problems)


def _report_bug(error: Exception) -> None:
    """A bug of wirespeed: print the traceback for the report."""
    import traceback

    traceback.print_exception(error)
    sys.stderr.write("internal error in wirespeed: please report the lines above with the command you ran\n")
    sys.exit(Exit.INTERNAL)
