"""The command line: one file per verb, the only place where flows meet.

A verb's file imports flows and heavy packages inside its functions, so that ``wirespeed --help`` stays instant.
"""

from __future__ import annotations

import sys

from wirespeed.cli.app import app
from wirespeed.cli.exit import Exit

__all__ = ["main"]


def main() -> None:
    """Run the command line and leave with its exit code."""
    from wirespeed.errors import Refused

    try:
        app(prog_name="wirespeed")
    except Refused as refused:
        from wirespeed.cli.console import show_problems

        show_problems(refused.problems)
        sys.exit(Exit.REFUSED)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(Exit.INTERRUPTED)
