"""NIC ports in the output of ethtool and the device's uevent file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import nic_place, number_lines, observe
from wirespeed.settings import Place, bdf
from wirespeed.units import Bandwidth

_SPEED = re.compile(r"([0-9]{1,9})Mb/s")
_SWITCH = {"on": True, "off": False}
_FEC = {"RS": "rs", "BaseR": "fc", "LLRS": "llrs", "Off": "none", "None": "none"}


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every port with an output."""
    for interface, output in outputs.per_nic("ethtool"):
        yield from _read_link(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("ethtool-driver"):
        yield from _read_driver(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("nic-uevent"):
        yield from _read_uevent(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("ethtool-pause"):
        yield from _read_pause(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("ethtool-fec"):
        yield from _read_fec(nic_place(outputs, interface), output)


def _read_pairs(output: Output) -> Iterator[tuple[int, str, str]]:
    for number, text in number_lines(output):
        key, colon, value = text.partition(":")
        if colon:
            yield number, key.strip(), value.strip()


def _read_link(place: Place, output: Output) -> Iterator[Observation]:
    for number, key, value in _read_pairs(output):
        if key == "Speed" and (match := _SPEED.fullmatch(value)):
            yield observe(place, "nic.link.speed", Bandwidth.from_unit(int(match[1]), "Mb/s"), output, number)
        elif key == "Auto-negotiation" and value in _SWITCH:
            yield observe(place, "nic.link.autonegotiation", _SWITCH[value], output, number)


def _read_driver(place: Place, output: Output) -> Iterator[Observation]:
    paths = {
        "driver": "nic.driver.name",
        "version": "nic.driver.version",
        "firmware-version": "nic.driver.firmware",
    }
    for number, key, value in _read_pairs(output):
        if key in paths and value and value != "N/A":
            yield observe(place, paths[key], value, output, number)
        elif key == "bus-info":
            yield from _read_address(place, value, output, number)


def _read_uevent(place: Place, output: Output) -> Iterator[Observation]:
    for number, text in number_lines(output):
        key, _, value = text.partition("=")
        if key == "DRIVER" and value:
            yield observe(place, "nic.driver.name", value, output, number)
        elif key == "PCI_SLOT_NAME":
            yield from _read_address(place, value, output, number)


def _read_address(place: Place, text: str, output: Output, line: int) -> Iterator[Observation]:
    try:
        yield observe(place, "nic.pcie", bdf(text), output, line)
    except ValueError:
        return  # a port that is on no PCI bus


def _read_pause(place: Place, output: Output) -> Iterator[Observation]:
    paths = {"RX": "nic.link.pause_receive", "TX": "nic.link.pause_send"}
    for number, key, value in _read_pairs(output):
        if key in paths and value in _SWITCH:
            yield observe(place, paths[key], _SWITCH[value], output, number)


def _read_fec(place: Place, output: Output) -> Iterator[Observation]:
    for number, key, value in _read_pairs(output):
        if key in ("Active FEC encoding", "Active FEC encodings") and value in _FEC:
            yield observe(place, "nic.link.fec", _FEC[value], output, number)
