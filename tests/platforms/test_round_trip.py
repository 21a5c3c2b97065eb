"""The two tests every platform gets by being there.

1. Settings -> answers -> parse gives the same settings, for every path the platform declares as read.
2. Recorded sample -> parse -> answers gives the sample back on every parsed line, so answers cannot drift from devices.
   A sample is a folder ``tests/samples/<platform folder>/<case>/`` with one file per command, ``<command id>.txt``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from platforms.launches import LAUNCHES
from platforms.round_trip import SETTINGS, answers, build_facts, find_losses, with_nic
from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.collect.simulated_addresses import assign_addresses
from wirespeed.facts import COMPLETE, Source
from wirespeed.plan import build
from wirespeed.platforms import Output, Outputs, Platform, platform, platforms
from wirespeed.settings import ENTITIES, Device, Host, list_collections

ROOT = Path(__file__).resolve().parents[2]
CLUSTERS = sorted((ROOT / "examples" / "mi300x-4node").glob("cluster*.yaml"))
WITHOUT_RDMA = ROOT / "examples" / "pcie-lending" / "cluster.yaml"
SAMPLES = ROOT / "tests" / "samples"
NICS_PER_HOST = 8
_PADDING = ", \t\r"
"""No part of a line: its indent, and the comma of an entry that is not the last."""
COLLECTIONS = {path for entity in ENTITIES for path in list_collections(entity)}


@cache
def planned_devices(cluster: Path) -> dict[str, Device]:
    """The planned devices of an example."""
    return dict(build(read(cluster), load()).devices)


def devices(platform_entry: Platform, cluster: Path, folder: Path) -> dict[str, Device]:
    """The devices of an example that run the platform: hosts with every NIC of it, the leaf as every model and system.

    A small model has as many hosts as it has ports for.
    """
    if platform_entry.kind == "launcher":
        host = next(device for device in planned_devices(cluster).values() if isinstance(device, Host))
        return {
            f"node1 {launch.library} {launch.launcher} {launch.transport}": replace(host, launch=launch)
            for launch in LAUNCHES[platform_entry.name]
        }
    if platform_entry.kind == "nic":
        return with_each_nic(platform_entry, cluster, folder)
    if platform_entry.kind != "switch":
        return {
            name: assign_addresses(device)
            for name, device in planned_devices(cluster).items()
            if isinstance(device, Host)
        }
    systems = platform_entry.systems
    if not systems:  # no switch that is bought: any plan of one will do
        return {name: device for name, device in planned_devices(cluster).items() if name == "leaf1"}
    models = [
        (model, os)
        for model, switch_model in load().switches.items()
        for os in systems
        if os in switch_model.lossless_systems
    ]
    assert {os for _, os in models} == set(systems), (
        f"a system of {platform_entry.name} that no model in catalogue/switches/ has"
    )
    device_by_name: dict[str, Device] = {}
    for model, system in models:
        text, replaced = re.subn(
            r"leaf1: \{model: [^,]+, os: [^,]+,", f"leaf1: {{model: {model}, os: {system},", cluster.read_text()
        )
        assert replaced == 1
        hosts = min(4, load().switches[model].ports.value // NICS_PER_HOST)
        text = text.replace("node[1-4]", f"node[1-{hosts}]")
        path = folder / f"{model}-{system}-{cluster.name}"
        path.write_text(text)
        device_by_name |= {
            f"{name} {model} {system}": device for name, device in planned_devices(path).items() if name == "leaf1"
        }
    return device_by_name


def with_each_nic(platform_entry: Platform, cluster: Path, folder: Path) -> dict[str, Device]:
    """The first host of an example, with every NIC model of the platform in it."""
    models = {name: model for name, model in load().nics.items() if model.system == platform_entry.name}
    assert models, f"no model in catalogue/nics/ is of the system {platform_entry.name}"
    if not any(model.rdma for model in models.values()):
        return planned_devices(WITHOUT_RDMA)
    device_by_name: dict[str, Device] = {}
    for name, model in models.items():
        path = folder / f"{name}-{cluster.name}"
        path.write_text(with_nic(cluster.read_text(), name, model))
        device_by_name[f"node1 {name}"] = planned_devices(path)["node1"]
    return device_by_name


@pytest.mark.parametrize("cluster", CLUSTERS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("kind", "name"), list(platforms()))
def test_settings_come_back(kind: str, name: str, cluster: Path, tmp_path: Path) -> None:
    platform_entry = platform(kind, name)
    device_by_name = devices(platform_entry, cluster, tmp_path)
    assert device_by_name
    for device_name, device in device_by_name.items():
        assert find_losses(platform_entry, device_name.partition(" ")[0], device) == [], device_name


def _samples() -> list[tuple[str, str, Path]]:
    return [
        (kind, name, case)
        for kind, name in platforms()
        for case in sorted((SAMPLES / platform(kind, name).folder.name).glob("*/"))
    ]


@pytest.mark.parametrize(("kind", "name", "case"), _samples(), ids=lambda value: str(getattr(value, "name", value)))
def test_a_sample_is_answered_with_its_own_lines(kind: str, name: str, case: Path) -> None:
    platform_entry = platform(kind, name)
    recorded = Outputs(
        "leaf1",
        {
            file.stem: Output(file.stem, file.read_text(encoding="utf-8"), Source("leaf1", file.stem, file.name))
            for file in sorted(case.glob("*.txt"))
        },
    )
    facts = build_facts(platform_entry, recorded)
    answer_texts = answers(platform_entry, "leaf1", facts.devices["leaf1"])
    missing: dict[str, list[str]] = {}
    for (_, path), readings in facts.readings.items():
        for reading in readings:
            source = reading.source
            if reading.value == COMPLETE or source.line is None:
                continue
            recorded_lines = recorded.outputs[source.command].text.split("\n")
            line = recorded_lines[source.line - 1].strip(_PADDING)
            if line not in {word.strip(_PADDING) for word in answer_texts.outputs[source.command].text.split("\n")}:
                missing.setdefault(f"{source.file}:{source.line}: {line}", []).append(path)
    assert missing == {}


@pytest.mark.parametrize(("kind", "name"), list(platforms()))
def test_declarations_name_settings(kind: str, name: str) -> None:
    platform_entry = platform(kind, name)
    commands = {command.id for command in platform_entry.commands}
    paths = {path for command in platform_entry.commands for path in command.reads}
    assert paths - SETTINGS.keys() - COLLECTIONS == set()
    assert platform_entry.settings.keys() - SETTINGS.keys() == set()
    assert {path for path, support in platform_entry.settings.items() if support.read} - paths == set()
    assert {counter.command for counter in platform_entry.counters.values()} - commands == set()
