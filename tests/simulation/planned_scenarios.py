"""Scenarios made from cluster files: a small cluster, traffic on it, and the scenario's parameters of a port."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from wirespeed.cluster.ranges import expand_names
from wirespeed.plan import Cable, Plan
from wirespeed.render import simulator_mappings
from wirespeed.simulation.planned_scenario import Scenario, build_plan_scenario
from wirespeed.simulation.workload import read_traffic

INCAST = """\
version: 1
name: incast
traffic:
  - {pattern: incast, to: node1, size: 1 MiB, rails: [1]}
  - {pattern: pairs, from: node2, to: node3, rails: [2], size: 64 kB, messages: 3, start: 5 us}
"""
ONE_SWITCH = """
version: 1
name: one
hosts:
  node[1-2]: {{model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 2 x broadcom-bcm957608-p1400gd}}
switches:
  leaf1: {{model: {model}, os: {system}, role: leaf}}
cabling: {{pattern: by-host, cable: dac-400g, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
classes:
  roce: {{dscp: 26, priority: 3, lossless: true, share: 50%, congestion: dcqcn-p}}
  cnp: {{dscp: 48, priority: 6, strict: true}}
"""


def traffic(folder: Path, text: str) -> Path:
    path = folder / "traffic.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def build_scenario(plan: Plan, folder: Path, text: str = INCAST, seed: int = 1) -> tuple[Scenario, dict[str, Any]]:
    scenario = build_plan_scenario(plan, read_traffic(traffic(folder, text)), seed, "a test", simulator_mappings())
    return scenario, json.loads(scenario.text)


def resolve_parameters(document: dict[str, Any], port: int, priority: int) -> dict[str, Any]:
    """The scenario's values for a priority of a port: parameters, and every item of devices that selects it."""
    link = document["links"][port // 2]
    node = link["a" if port % 2 == 0 else "b"]
    parameters: dict[str, Any] = {key: dict(value) for key, value in document["parameters"].items()}
    for device in document.get("devices", []):
        if node not in device.get("nodes", []) and port not in device.get("ports", []):
            continue
        if priority not in device.get("priorities", range(8)):
            continue
        for section, values in device["parameters"].items():
            whole = "algorithm" in values  # another algorithm has other parameters
            parameters[section] = values if whole else {**parameters.get(section, {}), **values}
    return parameters


def shown_headroom(plan: Plan, device: str, port: str, cable: Cable) -> str | None:
    """Headroom of a lossless priority group as the plan shows it for a port of a device; None without one."""
    length = plan.switches[device].ports[port].cable_length if device in plan.switches else cable.length
    pattern = re.compile(
        rf"headroom of a lossless priority group of (\S+) at {re.escape(f'{cable.speed}, {length}')} of cable"
    )
    return next(
        (
            row.value
            for row in plan.computed
            if (match := pattern.fullmatch(row.name)) and device in expand_names(match[1])
        ),
        None,
    )
