"""The command line in the process of the test: all that ``python -m wirespeed`` does but the start of a Python.

A test that sends signals, needs a terminal, or compares what two processes write, starts them itself.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

from wirespeed.cli import console, main


def wirespeed(
    *arguments: object, cwd: Path | None = None, columns: int = 120, stdin_data: bytes = b"", **environment: str
) -> CompletedProcess[str]:
    """A command's exit code, and what it prints without colours in this number of columns.

    It runs in this folder, with this on standard input, and with these variables beside the test's own.
    """
    command = ["wirespeed", *map(str, arguments)]
    variables = {"NO_COLOR": "1", "COLUMNS": str(columns), **environment}
    with (
        patch.object(sys, "argv", command),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin_data))),
        patch.dict(os.environ, variables),
        chdir(cwd or Path.cwd()),
        redirect_stdout(_Output()) as output,
        redirect_stderr(_Output()) as err,
    ):
        _forget_consoles()  # they keep where they write to
        try:
            main()
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
        finally:
            _forget_consoles()
    return CompletedProcess(command, code, output.text(), err.text())


class _Output(io.TextIOWrapper):
    """What is written, as text or bytes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        self.seek(0)
        return self.read()


def _forget_consoles() -> None:
    console.standard_output.cache_clear()
    console.err.cache_clear()
