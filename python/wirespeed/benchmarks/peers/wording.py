"""Text about suspects: the meaning of the pattern in the matrix, and how slow they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.benchmarks.peers.causes import Cause
from wirespeed.benchmarks.peers.samples import Key
from wirespeed.limits.bound import number
from wirespeed.results.peers import Cell, CellPattern, Kind
from wirespeed.units import Size, format_unit

_SHARED = 0.02  # how near to 1/2, 1/3 or 1/4 a fraction must be to look like a shared path
_PARTS = {2: "half", 3: "a third", 4: "a quarter"}

_MEANS = {
    (Kind.HOST, CellPattern.ALL): "its row and column are slow: the host, or its one NIC, PCIe slot or cable",
    (Kind.HOST, CellPattern.SENDS): "its row is slow: it sends slowly and receives normally",
    (Kind.HOST, CellPattern.RECEIVES): "its column is slow: it receives slowly and sends normally",
    (Kind.NIC, CellPattern.ALL): "its row and column are slow: the NIC, its PCIe slot, its cable or its leaf port",
    (Kind.NIC, CellPattern.SENDS): "its row is slow: it sends slowly and receives normally",
    (Kind.NIC, CellPattern.RECEIVES): "its column is slow: it receives slowly and sends normally",
    (Kind.GPU, CellPattern.ALL): "its row and column are slow: the GPU or its links",
    (Kind.RAIL, CellPattern.ALL): "a stripe: every pair with an end on the rail, whatever the host",
    (Kind.RAIL, CellPattern.INSIDE): "a stripe: pairs with both ends on the rail, whatever the host",
    (Kind.LEAF, CellPattern.ALL): "a block: every pair with an end under the leaf, whatever the host",
    (Kind.LEAF, CellPattern.INSIDE): "a block on the diagonal: only pairs under the leaf",
    (Kind.LEAVES, CellPattern.ALL): "a block: only pairs between the two leaves, so the links between them",
    (Kind.LEAVES, CellPattern.SENDS): "a block: only this direction between the two leaves",
    (Kind.PAIR, CellPattern.ALL): "both ends are fast with other peers: the path between them is slow",
    (
        Kind.PATH,
        CellPattern.ALL,
    ): "only this direction is slow; both ends are fast with other peers",
}


def title(key: Key) -> str:
    """The title of a matrix."""
    implied = (1, key.size_bytes)  # values that are the default or already in the title
    settings = " ".join(
        f"{name}={value}" for name, value in key.workload if name != "bidirectional" and value not in implied
    )
    direction_text = "both directions at the same time" if dict(key.workload).get("bidirectional") else None
    size = str(Size(key.size_bytes)) if key.size_bytes is not None else None
    metric_text = " ".join(filter(None, (key.test or key.tool, f"{key.metric.value} in {format_unit(key.unit)}")))
    return ", ".join(filter(None, (metric_text, size, direction_text, key.side, settings)))


def because(
    cause: Cause,
    middle: float,
    slow: Sequence[Cell],
    cells: Sequence[Cell],
    key: Key,
    expected: Mapping[str, float | None],
) -> str:
    """Why a cause is a suspect: the pattern, how slow its cells are, and the values of peers."""
    means = _MEANS.get((cause.kind, cause.pattern), f"the {cause.kind.value} {cause.pattern.value}")
    if cause.pattern is CellPattern.ALL:
        means = _format_measured_part(means, cause, cells)
    if slow and slow[0].target is None:
        means = "slow among hosts of the same kind"
    values = sorted(cell.value for cell in slow if cell.value is not None)
    usual = sorted({value for cell in slow if (value := expected[cell.group]) is not None})
    failed = sum(cell.value is None for cell in slow)
    outcome = "slow"
    if failed == len(slow):
        means, outcome = means.replace("is slow", "failed").replace("are slow", "failed"), "failed"
    facts = [means, f"{len(slow)} of {len(cells)} {'cell' if len(cells) == 1 else 'cells'} {outcome}"]
    if values and usual:
        facts.append(
            f"{_format_range(values)} {format_unit(key.unit)}, peers {_format_range(usual)} {format_unit(key.unit)}"
        )
    if 0 < failed < len(slow):
        facts.append(f"{failed} failed")
    shared = next((part for part in _PARTS if abs(middle - 1 / part) < _SHARED), None)
    if shared and not key.lower_is_better:
        facts.append(_describe_share(cause, shared))
    elif cause.kind in (Kind.HOST, Kind.NIC) and cause.pattern in _CAUSES and not key.lower_is_better:
        facts.append(_CAUSES[cause.pattern])
    return "; ".join(facts)


_CAUSES = {
    CellPattern.SENDS: (
        "possible causes: PCIe reads of the sending NIC (`wirespeed explain PCI-05`), a limit of its sending rate, "
        "pauses that it receives"
    ),
    CellPattern.RECEIVES: (
        "possible causes: PCIe writes of the receiving NIC (`wirespeed explain PCI-04`), pauses that it sends, "
        "its switch port or cable in this direction"
    ),
}
"""What slows one direction of a host or NIC: a device reads the memory that it sends and writes what it receives."""


def _describe_share(cause: Cause, shared: int) -> str:
    """What makes a rate 1/2, 1/3 or 1/4 of that of its peers: a lost half of the width slows both directions."""
    part = _PARTS[shared]
    rate = f"about {part} {'the' if shared == 2 else 'of the'} rate of its peers"
    if cause.kind is not Kind.PATH and cause.pattern not in _DIRECTIONS:
        return f"{rate}: {shared} flows share a link, or a PCIe slot or port has {part} of its width"
    limiting = _DIRECTIONS[cause.pattern] if cause.kind in (Kind.HOST, Kind.NIC) else ""
    return f"{rate} in one direction: {shared} flows share a link in this direction{limiting}"


_DIRECTIONS = {
    CellPattern.SENDS: ", or the sending host is the bottleneck (PCIe reads of the NIC)",
    CellPattern.RECEIVES: ", or the receiving host is the bottleneck (PCIe writes of the NIC, pause frames)",
}


def _format_measured_part(means: str, cause: Cause, cells: Sequence[Cell]) -> str:
    """The meaning of a slow row and column if only one of them was measured."""
    row_and_column = "its row and column are slow: "
    sends = any(_is_part(cell.source, cause.name) for cell in cells)
    receives = any(_is_part(cell.target or "", cause.name) for cell in cells)
    if not means.startswith(row_and_column) or sends == receives:
        return means
    part, unmeasured, direction = ("row", "column", "sending") if sends else ("column", "row", "receiving")
    shared_cause = means.removeprefix(row_and_column)
    return f"its {part} is slow, its {unmeasured} was not measured: its {direction} direction, or {shared_cause}"


def _is_part(member: str, name: str) -> bool:
    """Whether a member has this name, or is a device or rank of the host with this name."""
    return member == name or member.startswith(f"{name}:")


_GROUPED = 10_000  # from this value on decimals are left out


def _format_range(values: Sequence[float]) -> str:
    low, high = (f"{value:,.0f}" if abs(value) >= _GROUPED else number(value) for value in (values[0], values[-1]))
    return low if low == high else f"{low} to {high}"
