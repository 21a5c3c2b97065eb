"""A mesh in a terminal: a matrix for each aspect with bad pairs, and a description of the worst ones."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.text import Text

from wirespeed.report import wording
from wirespeed.results.campaign import Grade
from wirespeed.results.mesh import Cause, Mesh

_WIDEST = 160  # maximum number of NICs of a printed matrix
_MAX_PAIRS, _EXAMPLES = 20, 3  # maximum number of described pairs: without a cause, and as examples of a cause
_CAUSES = 12


def matrix(mesh: Mesh, console: Console) -> None:
    """Print counts of every aspect, matrices, and the first pairs that are not good."""
    for aspect in mesh.aspects:
        counts = {grade: mesh.count(aspect, grade) for grade in (Grade.GOOD, Grade.BAD, Grade.UNKNOWN)}
        summary = ", ".join(f"{number} {grade.value}" for grade, number in counts.items() if number)
        console.print(Text.assemble((f"{aspect:5} ", "bold"), summary or "no pair"))
        if counts[Grade.BAD] and len(mesh.nics) <= _WIDEST:
            _print_rows(mesh, aspect, console)
    if mesh.carried:
        _print_counters(mesh, console)
    for cause in mesh.causes[:_CAUSES]:
        _print_cause(cause, console)
    if len(mesh.causes) > _CAUSES:
        console.print(f"{len(mesh.causes) - _CAUSES} more causes not shown (--format json)", markup=False)
    wrong = [cell for cell in mesh.not_good() if Grade.BAD in cell.grades.values()]
    maximum = _EXAMPLES if mesh.causes else _MAX_PAIRS
    for cell in wrong[:maximum]:
        console.print(
            wording.line(f"{cell.source} -> {cell.target}  {'; '.join(cell.details)}"), markup=False, soft_wrap=True
        )
    if len(wrong) > maximum:
        console.print(f"{len(wrong) - maximum} more pairs not shown (--format json)", markup=False)


def _print_counters(mesh: Mesh, console: Console) -> None:
    """Print whether packets used the NIC of their address."""
    counts = Counter(nic.grade for nic in mesh.carried)
    summary = ", ".join(
        f"{counts[grade]} {grade.value}" for grade in (Grade.GOOD, Grade.BAD, Grade.UNKNOWN) if counts[grade]
    )
    console.print(
        Text.assemble(
            ("NICs  ", "bold"), f"{summary} (checked with counters: packets use the NIC that has their address)"
        )
    )


def _print_cause(cause: Cause, console: Console) -> None:
    """Print a cause of bad pairs, its symptom, and the related checks and failures."""
    port = f", cabled to {cause.port}" if cause.port else ""
    head = f"{cause.name}{port}: {cause.bad} of {cause.pairs} pairs bad ({cause.aspect})"
    console.print(Text(wording.line(head), style="bold"), soft_wrap=True)
    console.print(f"  {wording.line(cause.symptom)}", markup=False, soft_wrap=True, highlight=False)
    commands = [f"`wirespeed explain {identifier}`" for identifier in (*cause.checks, *cause.failures)]
    console.print(f"  hint: {wording.line(', '.join(commands))}", markup=False, soft_wrap=True, highlight=False)


def _print_rows(mesh: Mesh, aspect: str, console: Console) -> None:
    """Print the matrix: the NIC at the left pings those in the columns, in the same order; hosts are separated."""
    width = max(map(len, mesh.nics))
    if head := _column_titles(mesh):
        console.print(f"  {'':{width}}  {head}", markup=False, soft_wrap=True, highlight=False)
    for name, row in zip(mesh.nics, mesh.rows(aspect), strict=True):
        console.print(
            f"  {wording.line(name):{width}}  {_separate_hosts(mesh, row)}",
            markup=False,
            soft_wrap=True,
            highlight=False,
        )
    console.print(
        "  . good, x bad, ? unknown; rows send, columns receive in the order of the rows, a block per host", style="dim"
    )


def _column_titles(mesh: Mesh) -> str:
    """The name of each host above its block of columns; nothing if a name is wider than its block."""
    widths = Counter(name.partition(":")[0] for name in mesh.nics)
    if any(len(host) > width for host, width in widths.items()):
        return ""
    return " ".join(f"{wording.clean(host):{width}}" for host, width in widths.items()).rstrip()


def _separate_hosts(mesh: Mesh, row: str) -> str:
    spaced_row, previous_host = "", None
    for name, sign in zip(mesh.nics, row, strict=True):
        host = name.partition(":")[0]
        spaced_row += (" " if previous_host not in (None, host) else "") + sign
        previous_host = host
    return spaced_row
