"""``wirespeed report`` on folders of the simulator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from wirespeed.cli.exit import Exit

if TYPE_CHECKING:
    from wirespeed.results.simulation_view import SimulationView


def report(
    folders: Sequence[Path], style: str, output: Path | None, png: Path | None, cluster_options: Mapping[str, bool]
) -> Exit:
    """Write the report of runs.

    Args:
        folders: result folders of `wirespeed sim run -o`, drawn side by side.
        style: html or terminal.
        output: file to write; None for standard output.
        png: folder for every picture as a separate file.
        other: options that concern a cluster, and whether they were given.

    Raises:
        Refusal: a folder is none of the simulator's, or an option has no meaning here.
    """
    _check_options(folders, style, cluster_options)
    from wirespeed.simulation.result_view import view_result

    runs = [view_result(folder) for folder in folders]
    if png is not None:
        _write_images(runs, png)
    if output is not None or png is None or style == "html":
        _write_report(runs, style, output)
    return _find_exit_code(runs)


def _check_options(folders: Sequence[Path], style: str, cluster_options: Mapping[str, bool]) -> None:
    from wirespeed.errors import Problem, Refusal

    problems = [
        Problem(option, "does not apply to a simulation", hint=f"omit {option}")
        for option, is_given in cluster_options.items()
        if is_given
    ]
    if style not in ("html", "terminal"):
        problems.append(Problem("--format", f"{style} does not apply to a simulation", hint="use html or terminal"))
    if not any(folder.is_dir() for folder in folders):
        problems.append(Problem("--png", "applies only to result folders of `sim run -o`", hint="omit --png"))
        raise Refusal(problems)
    problems += [
        Problem(str(folder), "a file", "only result folders of `sim run -o`, or one cluster file")
        for folder in folders
        if not folder.is_dir()
    ]
    if problems:
        raise Refusal(problems)


def _write_images(runs: Sequence[SimulationView], png: Path) -> None:
    """Write every picture as PNG."""
    from wirespeed.report.simulation import pictures

    images = [(f"{name}.png", pictures.png(svg)) for name, svg in pictures.pictures(runs)]
    png.mkdir(parents=True, exist_ok=True)
    for name, content in images:
        (png / name).write_bytes(content)
        typer.echo(png / name)


def _write_report(runs: Sequence[SimulationView], style: str, output: Path | None) -> None:
    if style == "html":
        from wirespeed.report.simulation.page import page

        text = page(runs)
    else:
        text = _format_summaries(runs)
    if output is None:
        typer.echo(text, nl=False)
        return
    output.write_text(text, encoding="utf-8", newline="\n")
    typer.echo(output)


def _format_summaries(runs: Sequence[SimulationView]) -> str:
    """The summaries as `sim run` prints them."""
    from io import StringIO

    from rich.console import Console

    from wirespeed.report.simulation import terminal

    text = StringIO()
    for run in runs:
        console = Console(file=text, width=120, no_color=True)
        terminal.summary(run.summary, console, run.congested, run.ack_timeouts)
    return text.getvalue()


def _find_exit_code(runs: Sequence[SimulationView]) -> Exit:
    codes = [Exit.PASSED]
    for run in runs:
        if not run.summary.complete:
            codes.append(Exit.INCOMPLETE)
        elif run.summary.failed:
            codes.append(Exit.FAILED)
    return Exit.worst(*codes)
