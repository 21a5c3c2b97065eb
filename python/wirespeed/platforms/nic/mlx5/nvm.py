"""NVRAM options of a ConnectX card: keys in mlxconfig, values, and output of its query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Congestion, Dscp, Nic, Place, Priority, get, parse_function

ADVANCED = "ADVANCED_PCI_SETTINGS"
"""The key that shows the keys of `HIDDEN_KEYS`, after a reset of the card."""

HIDDEN_KEYS = ("MAX_ACC_OUT_READ",)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of mlxconfig; ``hidden``: available only after `ADVANCED` is in effect."""

    key: str
    value: int
    hidden: bool = False


_SWITCHES: Mapping[str, tuple[str, Mapping[int, Any]]] = {
    "nic.nvm.rdma": ("ROCE_CONTROL", {1: False, 2: True}),
    "nic.nvm.relaxed_ordering": ("PCI_WR_ORDERING", {0: False, 1: True}),
    "nic.nvm.sriov": ("SRIOV_EN", {0: False, 1: True}),
    "nic.nvm.link_type": ("LINK_TYPE_P{port}", {1: "infiniband", 2: "ethernet"}),
}
"""Setting to key and what its numbers mean; source: public mlxconfig queries, which print ``ETH(2)``, ``True(1)``."""

_NUMBERS: Mapping[str, tuple[str, Callable[[int], Any]]] = {
    "nic.nvm.outstanding_reads": ("MAX_ACC_OUT_READ", int),
    "nic.qos.cnp_dscp": ("CNP_DSCP_P{port}", Dscp),
    "nic.qos.cnp_priority": ("CNP_802P_PRIO_P{port}", Priority),
    "nic.qos.ecn_priorities": (
        "ROCE_CC_PRIO_MASK_P{port}",
        lambda mask: frozenset(Priority(bit) for bit in range(8) if mask >> bit & 1),
    ),
}
_ROW = re.compile(r"\s*\*?\s*([A-Z][A-Z0-9_]*)\s+(\S.*)")
_VALUE = re.compile(r"(?:\w[\w .-]*)?\((\d{1,10})\)|(0[xX][0-9a-fA-F]{1,8}|\d{1,10})")
_FUNCTION = re.compile(r"Device:\s+\S*?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.([0-7])\s*")
_PARAMETER = re.compile(r"((?:CLAMP|RPG|RATE|DCE|INITIAL)_[A-Z_]+)_P(\d)")


def port(nic: Nic) -> int:
    """The number behind a key's P: a card's function n is its port n + 1."""
    return parse_function(nic.pcie) + 1 if nic.pcie else 1


def options(nic: Nic) -> Iterator[Option]:
    """The options a NIC is to have, their keys with ``{port}`` for the number of its port on the card.

    Initial values of DCQCN are among them, so that they are right before the boot service ran.
    """
    for path, (key, meanings) in _SWITCHES.items():
        options = get(nic, path)
        for value, meaning in meanings.items():
            if options is not None and meaning == options:
                yield Option(key, value)
    if nic.qos.ecn and nic.qos.ecn_priorities is not None:
        yield Option("ROCE_CC_PRIO_MASK_P{port}", sum(1 << priority for priority in nic.qos.ecn_priorities))
    if nic.qos.cnp_dscp is not None:
        yield Option("CNP_DSCP_P{port}", int(nic.qos.cnp_dscp))
    if nic.qos.cnp_priority is not None:
        yield Option("CNP_802P_PRIO_P{port}", int(nic.qos.cnp_priority))
    if nic.nvm.outstanding_reads is not None:
        yield Option(ADVANCED, 1)
        yield Option("MAX_ACC_OUT_READ", nic.nvm.outstanding_reads, hidden=True)


def read(place: Place, output: Output) -> Iterator[Observation]:
    """``mlxconfig -e query``: the running values of the firmware (Current) and those after a reset (Next Boot)."""
    columns: list[str] = []
    rows: dict[str, tuple[dict[str, int], int]] = {}
    number = 1
    for line, text in number_lines(output):
        if match := _FUNCTION.fullmatch(text.strip()):
            number = int(match[1]) + 1
        elif text.strip().startswith("Configurations:"):
            columns = re.split(r"\s{2,}", text.partition(":")[2].strip())
        elif columns and (match := _ROW.fullmatch(text)):
            values = re.split(r"\s{2,}", match[2].strip())
            if len(values) == len(columns):
                read_values = {
                    name: value
                    for name, word in zip(columns, values, strict=True)
                    if (value := _parse_number(word)) is not None
                }
                rows[match[1]] = (read_values, line)
    for column, state in (("Current", State.RUNNING), ("Next Boot", State.PERSISTENT)):
        reported_values = {key: (values[column], line) for key, (values, line) in rows.items() if column in values}
        yield from _read_settings(place, reported_values, number, state, output)


def _parse_number(word: str) -> int | None:
    match = _VALUE.fullmatch(word)
    if match is None:
        return None
    digits: str = match[1] or match[2]
    return int(digits, 16 if digits[:2] in ("0x", "0X") else 10)


def _read_settings(
    place: Place, reported_values: Mapping[str, tuple[int, int]], number: int, state: State, output: Output
) -> Iterator[Observation]:
    """Markings and parameters of DCQCN are the driver's initial values; sysfs has the running ones."""
    configured = State.CONFIGURED if state is State.RUNNING else state
    for path, (key, meanings) in _SWITCHES.items():
        value, line = reported_values.get(key.format(port=number), (-1, 0))
        if value in meanings:
            yield observe(place, path, meanings[value], output, line, state)
    for path, (key, make) in _NUMBERS.items():
        if (name := key.format(port=number)) in reported_values:
            value, line = reported_values[name]
            try:
                made_value = make(value)
            except ValueError:
                continue
            yield observe(place, path, made_value, output, line, state if path.startswith("nic.nvm.") else configured)
    if (
        reported_values.get("USER_PROGRAMMABLE_CC", (1, 0))[0] == 0
    ):  # otherwise another algorithm may run instead of DCQCN
        yield observe(
            place,
            "nic.qos.congestion",
            Congestion.DCQCN_P,
            output,
            reported_values["USER_PROGRAMMABLE_CC"][1],
            configured,
        )
    parameters = {
        match[1].lower(): value
        for key, (value, _) in reported_values.items()
        if (match := _PARAMETER.fullmatch(key)) and int(match[2]) == number
    }
    if parameters:
        yield observe(place, "nic.qos.congestion_parameters", parameters, output, None, configured)
