"""A small leaf–spine cluster with faults of a traffic file: the scenario, and a run by the cluster's names."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planned_scenarios import build_scenario, traffic

from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.render import simulator_mappings
from wirespeed.results.simulation_types import Summary
from wirespeed.simulation import Result, run
from wirespeed.simulation.planned_scenario import plan_scenario

CLUSTER = Path(__file__).parents[2] / "examples" / "arista-leaf-spine" / "cluster.yaml"
TRAFFIC = "version: 1\ntraffic:\n  - {pattern: incast, to: node1, size: 8 MB}\n"
NIC = "ens7f0np0"


@functools.cache
def plan() -> Plan:
    return build(read(CLUSTER))


def text(*entries: str) -> str:
    """The traffic file; its faults begin in line 5."""
    return TRAFFIC + "".join(["faults:\n", *(f"  - {{{entry}}}\n" for entry in entries)] if entries else [])


def scenario(folder: Path, *entries: str) -> dict[str, Any]:
    """Content of the scenario, JSON."""
    return build_scenario(plan(), folder, text(*entries))[1]


@dataclass(frozen=True)
class Ran:
    """What a run gave."""

    result: Result

    @property
    def summary(self) -> Summary:
        return self.result.summary

    def names(self) -> dict[int, str]:
        """``leaf1:Ethernet1/1`` by port."""
        rows = self.result.context["names"].to_pylist()
        return {row["port"]: f"{row['device']}:{row['interface']}" for row in rows}

    def cables(self) -> set[frozenset[str]]:
        """The two ports that each cable joins."""
        names = self.names()
        return {frozenset({names[port], names[port + 1]}) for port in names if port % 2 == 0}

    def by_port(self, table: str, column: str) -> dict[str, int]:
        """The sums of a column by ``leaf1:Ethernet1/1``, of the ports that have any."""
        names = {row["port"]: f"{row['device']}:{row['interface']}" for row in self.result.context["names"].to_pylist()}
        counts: dict[str, int] = {}
        for row in self.result.tables[table].select(["port", column]).to_pylist():
            if row[column]:
                counts[names[row["port"]]] = counts.get(names[row["port"]], 0) + row[column]
        return counts


def ran(folder: Path, *entries: str) -> Ran:
    traffic_file = traffic(folder, text(*entries))
    return Ran(run(CLUSTER, "roce", 1, planned=plan_scenario(CLUSTER, plan(), traffic_file, 1, simulator_mappings())))
