"""A deadlock in words: which port waits for which, in a circle."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from wirespeed.simulation.port_names import port_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa


def circles(tables: Mapping[str, pa.Table]) -> tuple[str, ...]:
    """Each deadlock of a run: ``priority 3: 6-7 waits for 7-8 waits for 8-6 waits for 6-7``."""
    if "deadlocks" not in tables:
        return ()
    rows = tables["deadlocks"].to_pylist()
    names = _names(tables["ports"], {row["port"] for row in rows})
    descriptions = []
    for _, circle in groupby(rows, key=lambda row: row["circle"]):
        queues = list(circle)
        ports = [names[row["port"]] for row in [*queues, queues[0]]]
        descriptions.append(f"priority {queues[0]['priority']}: {' waits for '.join(ports)}")
    return tuple(descriptions)


def _names(ports: pa.Table, wanted: set[int]) -> dict[int, str]:
    numbers, nodes, peers = (ports[name].to_pylist() for name in ("port", "node", "peer"))
    ends = dict(zip(numbers, zip(nodes, peers, strict=True), strict=True))
    return port_names(ends, wanted)
