"""Output of hosts, NICs and launchers with one error: only what it still contains may be read.

1. One setting changed: what is read is the other value, and no other setting changes.
2. One line less, or all lines from one on: what is read is as before, less, or not known.
3. A message before, after or instead of the output; line ends of another system: nothing else is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from platforms.mutations import change_value, put
from platforms.round_trip import answers, build_facts
from platforms.test_round_trip import CLUSTERS, devices
from wirespeed.facts import COMPLETE, State
from wirespeed.platforms import Output, Outputs, Platform, platform, platforms
from wirespeed.settings import Device, Host, Place, walk

PLATFORMS = [key for key in platforms() if key[0] != "switch"]
PARSERS = [key for key in PLATFORMS if key[1] not in ("rhel", "sles")]
"""Platforms with separate parsers: the hosts share one."""

CLUSTER = next(path for path in CLUSTERS if path.stem == "cluster")

DERIVED: Mapping[str, str] = {
    "host.kernel.command_line": "the answer has what every boot loader adds",
    "host.vendor": "the names by which the firmware's settings are read follow from it",
    "host.firewall": "no configuration contains it: the rule set does",
    "host.peer_memory": "without the symbol grep prints nothing and exits with 1",
    "host.rdma_naming": "a choice of udev's; another word is another file",
    "host.rdma_libraries": "ok, or the warning the library printed",
    "module.loaded": "a module that is not loaded has no line; the list is complete",
    "pcie.parent": "follows from the bus below the bridge",
    "pcie.link.capable_speed": "the answer has the least a device can be that runs as it does",
    "pcie.link.capable_width": "the answer has the least a device can be that runs as it does",
    "pcie.link.speed": "printed in GT/s, of which a thousandth is no step",
    "pcie.device_ids": "a plan has the numbers of every variant, a card has one of them",
    "pcie.description": "follows from what sits at the address",
    "host.rdma_devices": "follows from the NICs",
    "route.metric": "part of the name where there are several routes to one destination",
    "gpu.links": "a host with two GPUs shows one link at most",
    "nic.link.speed": "printed in Mb/s",
    "nic.cable_length": "configured and printed in metres",
    "nic.qos.trust": "no word of dcb's: it follows from the table of DSCPs",
    "nic.qos.congestion": "a ConnectX has DCQCN-P alone; a plan of another is refused",
    "nic.qos.tc_share": "only a class that shares has one",
    "nic.qos.ecn": "on when it is on for any priority",
    "nic.qos.ecn_priorities": "none where congestion control is off",
    "loan.listed": "a device that is not lent has no line; the list is complete",
    "bnxt nic.qos.package_functions": "follows from PFC and congestion control",
    "mlx5 nic.qos.roce_priority": "follows from the DSCP of RoCE and the table of DSCPs",
    "mlx5 nic.qos.roce_share": "follows from the priority of RoCE and the traffic classes",
    "mvapich2 host.launch.gpu_direct": "on or off: this library has no distance",
    "host.launch.environment": "the answer has the variables of other settings too",
}
"""Settings that share an answer with others, on one platform or on every one, each with the reason."""


def _is_derived(platform_entry: Platform, path: str) -> bool:
    return path in DERIVED or f"{platform_entry.name} {path}" in DERIVED


MESSAGES = (
    "WARNING: something odd\n",
    "\n",
    "bash: line 1: tool: command not found\n",
    "Permission denied (os error 13)\n",
    "\ufffd\ufffd \x00\n",
    "[ 12.3] warning: 1\n",
    "error: 1\n",
    "failed with status = 1\n",
    "Segmentation fault (core dumped)\n",
)

FALLBACK = {"host.memlock": "where no file limits it, this process' own limit is"}
"""Settings that another command answers where one shows nothing."""

REMOVALS: Mapping[str, str] = {
    "host.os": "the name without the version is less",
    "route.gateway": "a route without one goes to the link itself",
    "route.device": "a route without a table is in the main one",
    "route.source": "a route without a table is in the main one",
    "route.metric": "of several routes to one destination the first one needs none",
    "rule.table": "a rule without a source is for all",
    "rule.priority": "a rule without a source is for all",
    "host.usable_gpus": "the number of lines",
    "host.qos_tools": "an empty list is that of a host without the programs",
    "host.qos_program": "a file without the line of the program is read as such",
    "nic.qos.priority_tc": "without its head a class's priorities stand below the class before",
    "host.launch.network_within_host": "RCCL needs both of its variables",
    "host.launch.transport": "of two variables the one that is gone has its default",
    **dict.fromkeys(
        (f"host.launch.{name}" for name in ("rdma", "priority", "queue_pairs", "coalescing", "coalescing_from")),
        "a variable that is gone has its default",
    ),
}
"""Settings of a whole list: with a line less they are those of a shorter list, which looks like a whole one."""


def _nodes(kind: str, name: str, folder: Path) -> Iterator[tuple[str, Platform, Host]]:
    """The hosts of the platform, one of each kind, with two NICs and GPUs."""
    platform_entry = platform(kind, name)
    device_by_name = devices(platform_entry, CLUSTER, folder)
    nodes = list(device_by_name.items()) if kind == "launcher" else list(device_by_name.items())[-1:]
    for node, device in nodes:
        assert isinstance(device, Host)
        nics, gpus = dict(list(device.nics.items())[:2]), dict(list(device.gpus.items())[:2])
        yield node.partition(" ")[0], platform_entry, replace(device, nics=nics, gpus=gpus)


@dataclass(frozen=True, slots=True)
class Case:
    """A value to change."""

    place: Place
    path: str
    value: Any


def _cases(platform_entry: Platform, name: str, device: Device) -> Iterator[Case]:
    """Every setting that the platform reads, once for each kind of place."""
    covered: set[tuple[str | None, str]] = set()
    for place, path, value in walk(device, Place(name)):
        if (
            value is not None
            and platform_entry.support(path).read
            and (place.kind, path) not in covered
            and not _is_derived(platform_entry, path)
        ):
            covered.add((place.kind, path))
            yield Case(place, path, value)


@pytest.mark.parametrize(("kind", "name"), PARSERS)
def test_another_value_is_read(kind: str, name: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    for node, platform_entry, device in _nodes(kind, name, tmp_path):
        readings_of_host = build_facts(platform_entry, answers(platform_entry, node, device)).readings
        for case in _cases(platform_entry, node, device):
            changed_value = change_value(case.path, case.value)
            facts = build_facts(
                platform_entry, answers(platform_entry, node, put(device, case.place, case.path, changed_value))
            )
            read = [reading.value for reading in facts.readings.get((case.place, case.path), ())]
            if not read or any(value != changed_value for value in read):
                wrong.append(f"{case.place} {case.path}: {changed_value!r} came back as {read}")
            wrong += [
                f"{case.place} {case.path}: changed, and {place} {path} is {readings[0].value!r}"
                for (place, path), readings in facts.readings.items()
                if path != case.path and not _is_derived(platform_entry, path) and (place, path) in readings_of_host
                if readings_of_host[place, path][0].value != readings[0].value
            ]
    assert wrong == []


Key = tuple[Place, str, str, State]


def _read(platform_entry: Platform, outputs: Outputs) -> dict[Key, Any]:
    read: dict[Key, Any] = {}
    for observation in platform_entry.parse(outputs):
        read.setdefault(
            (observation.place, observation.path, observation.source.command, observation.state), observation.value
        )
    return read


@cache
def _companions(command: str) -> tuple[str, ...]:
    """Other outputs without which a command's is not read."""
    return {"msi-irqs": ("irq-affinity",), "irq-affinity": ("msi-irqs",), "dkms": ("uname", "ofed")}.get(
        command.partition("@")[0], ("rdma-link",) if command == "ibv-devinfo" else ()
    )


def _read_commands(
    platform_entry: Platform, name: str, device: Host
) -> Iterator[tuple[str, dict[str, Output], dict[Key, Any]]]:
    """Each command of the host and its first NIC with what it needs beside, and what is then read."""
    outputs_by_command = answers(platform_entry, name, device).outputs
    every = {
        key: replace(output, source=replace(output.source, command=key)) for key, output in outputs_by_command.items()
    }
    first = next(iter(device.nics))
    for key in every:
        if key.partition("@")[2] in ("", first):
            prerequisites = {
                command_id: output
                for command_id, output in every.items()
                if command_id.partition("@")[0] in (*_companions(key),)
            }
            outputs = {**prerequisites, key: every[key]}
            yield key, outputs, _read(platform_entry, Outputs(name, outputs))


def _wrong(
    platform_entry: Platform, name: str, outputs: dict[str, Output], key: str, text: str, right: dict[Key, Any]
) -> list[str]:
    """What is read of another text that the right one does not show."""
    changed_output = replace(outputs[key], text=text)
    read = _read(platform_entry, Outputs(name, {**outputs, key: changed_output}))
    return [
        f"{place} {path} = {value!r}, was {right.get((place, path, command, state))!r}"
        for (place, path, command, state), value in read.items()
        if value != COMPLETE and path not in FALLBACK
        if not _is_part(value, right.get((place, path, command, state)))
    ]


def _is_part(value: Any, right: Any) -> bool:
    """The same, or fewer of the same."""
    if value == right:
        return True
    match value:
        case Mapping() if isinstance(right, Mapping):
            return value.items() <= right.items()
        case tuple() if isinstance(right, tuple):
            return set(value) <= set(right)
        case frozenset() if isinstance(right, frozenset):
            return value <= right
    return False


@pytest.mark.parametrize(("kind", "name"), PARSERS)
def test_a_line_less_shows_less(kind: str, name: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    for node, platform_entry, device in _nodes(kind, name, tmp_path):
        for key, outputs, right in _read_commands(platform_entry, node, device):
            rows = outputs[key].text.split("\n")
            for index in range(min(len(rows) - 1, 80)):
                for text in ("\n".join(rows[:index] + rows[index + 1 :]), "\n".join(rows[:index]) + "\n" * (index > 0)):
                    found_wrong = _wrong(platform_entry, node, outputs, key, text, right)
                    wrong += [
                        f"{key} line {index + 1}: {message_line}"
                        for message_line in found_wrong
                        if message_line.split(" = ")[0].split()[-1] not in REMOVALS
                    ]
    assert wrong == []


@pytest.mark.parametrize(("kind", "name"), PARSERS)
def test_a_message_is_no_value(kind: str, name: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    for node, platform_entry, device in _nodes(kind, name, tmp_path):
        for key, outputs, right in _read_commands(platform_entry, node, device):
            text = outputs[key].text
            for message in MESSAGES:
                for longer_text in (message + text, text + message, message):
                    wrong += [
                        f"{key} {message!r}: {difference}"
                        for difference in _wrong(platform_entry, node, outputs, key, longer_text, right)
                    ]
    assert wrong == []


@pytest.mark.parametrize(("kind", "name"), PARSERS)
def test_line_ends_of_another_system(kind: str, name: str, tmp_path: Path) -> None:
    for node, platform_entry, device in _nodes(kind, name, tmp_path):
        for key, outputs, right in _read_commands(platform_entry, node, device):
            text = outputs[key].text.replace("\n", "\r\n")
            assert _read(platform_entry, Outputs(node, {**outputs, key: replace(outputs[key], text=text)})) == right, (
                key
            )
