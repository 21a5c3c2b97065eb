"""Descriptions of deadlocks: ports that wait for each other in a cycle."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa


def circles(tables: Mapping[str, pa.Table], port_names: Sequence[str]) -> tuple[str, ...]:
    """Each deadlock of a run: ``priority 3: switch 6:7 → switch 7:8 → switch 6:7``. A port waits for the next one."""
    if "deadlocks" not in tables:
        return ()
    descriptions = []
    for _, circle in groupby(tables["deadlocks"].to_pylist(), key=lambda row: row["circle"]):
        queues = list(circle)
        ports = [port_names[row["port"]] for row in [*queues, queues[0]]]
        descriptions.append(f"priority {queues[0]['priority']}: {' → '.join(ports)}")
    return tuple(descriptions)
