"""Help pages: every command teaches by example, in the notation of the field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from wirespeed.cli.app import app


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    inner = getattr(command, "commands", {})
    if not inner:
        yield path
    for name, command in inner.items():
        yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", list(commands(typer.main.get_command(app))), ids=" ".join)
def test_help_has_examples_and_no_python_types(path: tuple[str, ...]) -> None:
    help_page = CliRunner().invoke(app, [*path, "--help"], prog_name="wirespeed").stdout
    assert "Examples:\n" in help_page
    usage = help_page.partition("\n\n")[0]
    assert not {"[[", "{"} & {usage[index : index + width] for width in (1, 2) for index in range(len(usage))}
    options = help_page.partition("\nOptions:\n")[2]
    for notation in ("env var", "<str>", "<path>", "<int>", "list[", "<=x", "x>="):
        assert notation not in options


def test_help_lists_exit_codes() -> None:
    help_page = CliRunner().invoke(app, ["--help"], prog_name="wirespeed").stdout
    assert "  3    incomplete" in help_page
