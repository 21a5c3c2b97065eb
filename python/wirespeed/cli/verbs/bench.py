"""``wirespeed bench parse``: benchmark logs to runs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.bench_app import bench

if TYPE_CHECKING:
    from wirespeed.results.benchmarks import Run


class Format(StrEnum):
    """How to print runs."""

    TABLE = "table"
    JSON = "json"


@bench.command()
def parse(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Logs to read; - is standard input.")],
    format: Annotated[Format, typer.Option("--format", "-f", help="A table to look at, or JSON.")] = Format.TABLE,
) -> None:
    """Read the output of rccl-tests, nccl-tests, perftest and iperf3.

    The tool is recognised by what is in the file: text or JSON, one run or many, with rank prefixes, colours, quoting
    and debug lines of NCCL in between. What was left out is said on standard error with its line. Units are what they
    truly are: perftest's MB/sec is MiB/s, iperf3's GBytes is GiB.

    Every run says whether its log is complete, truncated or that of a failure; reading all of them leaves with 0. A
    file that is no output of a known tool is refused with 2.

    Example: mpirun ... all_reduce_perf -b 8 -e 16G -f 2 | wirespeed bench parse --format json -
    """
    from wirespeed.benchmarks import read
    from wirespeed.cli.console import show_problems
    from wirespeed.errors import Problem, Refused

    runs: list[Run] = []
    notices: list[Problem] = []
    refused: list[Problem] = []
    for name in files:
        try:
            reading = read(*_text(name))
        except Refused as problem:
            refused += problem.problems
            continue
        runs += reading.runs
        notices += reading.notices
    if runs:
        _print(runs, format)
    show_problems(notices, label="left out")
    if refused:
        raise Refused(refused)


def _text(name: str) -> tuple[str, str]:
    """The text of a file or of standard input, and its name for messages."""
    import sys
    from pathlib import Path

    if name == "-":
        return _decode(sys.stdin.buffer.read()), "standard input"
    return _decode(Path(name).read_bytes()), name


def _decode(content: bytes) -> str:
    """UTF-8, or the UTF-16 that PowerShell's redirection writes; what is neither becomes replacement characters."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    return content.decode(encoding, errors="replace")


def _print(runs: list[Run], output: Format) -> None:
    if output is Format.JSON:
        from wirespeed.results.json import document

        typer.echo(document("bench-runs", 1, runs=runs), nl=False)
        return
    from wirespeed.cli.bench_table import show

    for run in runs:
        show(run)
