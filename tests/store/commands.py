"""The command line, run inside the test: a process each would cost seconds."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest.mock import patch

from wirespeed.cli import main


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def bench(*arguments: object, given: bytes = b"", **environment: str) -> Ran:
    """Run ``wirespeed bench`` with these arguments, this standard input and these variables."""
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(given))
    command = ["wirespeed", "bench", *map(str, arguments)]
    variables = {"NO_COLOR": "1", "COLUMNS": "100", **environment}
    code: object = 0
    with (
        patch.object(sys, "argv", command),
        patch.object(sys, "stdin", stdin),
        patch.dict(os.environ, variables),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = left.code
    return Ran(int(code) if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue())
