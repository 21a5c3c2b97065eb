"""Completions that a shell shows, requested as a shell does."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from wirespeed.cli.app import app


@pytest.mark.parametrize(
    ("prefix", "offered"),
    [
        ("bench his", ["history"]),
        ("bench run p", ["pairs", "pairs-gpu"]),
        ("bench run --launcher s", ["ssh", "slurm"]),
        ("explain nic.pcie-w", ["nic.pcie-width"]),
    ],
)
def test_what_is_offered(prefix: str, offered: list[str]) -> None:
    words = f"wirespeed {prefix}".split()
    completion_variables = {
        "_WIRESPEED_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    answer = CliRunner().invoke(app, [], prog_name="wirespeed", env=completion_variables).stdout.split()
    # Suites come and go: what is offered begins with what was typed, and has these.
    assert set(offered) <= set(answer)
    assert all(word.startswith(words[-1]) for word in answer)
