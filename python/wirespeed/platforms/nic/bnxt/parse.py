"""What niccli, the configuration package's file and configfs say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.reading import lines, see
from wirespeed.settings import Congestion, Discipline, Dscp, NicCosQueue, NicTrafficClass, Place, Priority

_PAIR = re.compile(r"([0-7]):([0-7])")
_SERVED = re.compile(r"([0-7]):([a-z]+)")
_PERCENT = re.compile(r"([0-9]{1,3})%")
_DSCP = re.compile(r"\s*priority:([0-7])\s+dscp:([0-9, ]+)")
_COS = re.compile(r"\s*([0-7])\s+([0-7])\s+([0-7])\s*")
_SETTING = re.compile(r"([A-Z_]+)=[\"']?([0-9]{1,3})[\"']?\s*(?:#.*)?")
_ATTRIBUTE = re.compile(r"/sys/kernel/config/bnxt_re/[^/]+/ports/1/cc/(\w+):(?:(\w+)=)?(0[xX][0-9a-fA-F]{1,4}|0)\b.*")
_DISCIPLINES = {"strict": Discipline.STRICT, "ets": Discipline.DWRR}
_CC_MODES = {0: Congestion.DCQCN_D, 1: Congestion.DCQCN_P}

_PRIORITIES = {"roce_prio": "nic.qos.roce_priority", "cnp_prio": "nic.qos.cnp_priority"}

_OPTIONS = {
    "nvm-support-rdma": "nic.nvm.rdma",
    "nvm-performance-profile": "nic.nvm.performance_profile",
    "nvm-relaxed-ordering": "nic.nvm.relaxed_ordering",
    "nvm-dcbx-mode": "nic.nvm.dcbx",
    "nvm-lldp-nearest-bridge": "nic.nvm.lldp_nearest_bridge",
    "nvm-lldp-nearest-non-tpmr-bridge": "nic.nvm.lldp_nearest_non_tpmr_bridge",
}
_ON = ("enabled", "enable", "1", "true", "on")
_OFF = ("disabled", "disable", "0", "false", "off", "none")
_PROFILES = {"roce": "roce", "1": "roce", "default": "default", "0": "default"}


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every Broadcom port an output is there of."""
    for interface, output in outputs.per_nic("niccli-qos"):
        yield from _qos(_nic(outputs, interface), output)
    for interface, output in outputs.per_nic("niccli-dscp2prio"):
        yield from _dscp(_nic(outputs, interface), output)
    for interface, output in outputs.per_nic("niccli-pri2cos"):
        yield from _cos(_nic(outputs, interface), output)
    for interface, output in outputs.per_nic("cc"):
        yield from _congestion(_nic(outputs, interface), output)
    for interface, output in outputs.per_nic("bnxt-re-conf"):
        yield from _conf(_nic(outputs, interface), output)
    for command, path in _OPTIONS.items():
        for interface, output in outputs.per_nic(command):
            yield from _option(_nic(outputs, interface), path, output)


def _nic(outputs: Outputs, interface: str) -> Place:
    return Place(outputs.device).thing("nic", interface)


def _qos(place: Place, output: Output) -> Iterator[Observation]:
    """ETS and PFC. A strict traffic class has no share of its own, whatever percentage is printed for it."""
    shares: tuple[list[int], int] | None = None
    served: dict[NicTrafficClass, Discipline] = {}
    for number, text in lines(output):
        key, colon, value = text.strip().partition(":")
        if not colon:
            continue
        if key == "PRIO_MAP" and (pairs := _PAIR.findall(value)):
            mapped = {Priority(int(priority)): NicTrafficClass(int(tc)) for priority, tc in pairs}
            yield see(place, "nic.qos.priority_tc", mapped, output, number)
        elif key == "TC Bandwidth" and _PERCENT.search(value):
            shares = ([int(percent) for percent in _PERCENT.findall(value)], number)
        elif key == "TSA_MAP":
            served = {
                NicTrafficClass(int(tc)): _DISCIPLINES[word]
                for tc, word in _SERVED.findall(value)
                if word in _DISCIPLINES
            }
            if served:
                yield see(place, "nic.qos.tc_discipline", served, output, number)
        elif key == "PFC enabled" and value.strip():
            priorities = re.findall(r"[0-9]+", value)
            if value.strip() == "none" or (priorities and all(len(word) == 1 and word < "8" for word in priorities)):
                pfc = frozenset(Priority(int(word)) for word in priorities)
                yield see(place, "nic.qos.pfc", pfc, output, number)
    if shares is not None and served:
        percents, line = shares
        share = {
            NicTrafficClass(tc): percent
            for tc, percent in enumerate(percents[:8])
            if served.get(NicTrafficClass(tc)) is Discipline.DWRR
        }
        yield see(place, "nic.qos.tc_share", share, output, line)


def _dscp(place: Place, output: Output) -> Iterator[Observation]:
    first: int | None = None
    mapped: dict[Dscp, Priority] = {}
    for number, text in lines(output):
        if text.strip() == "dscp2prio mapping:":
            first = number
        elif first is not None and (match := _DSCP.match(text)):
            for word in match[2].split(","):
                if word.strip().isdigit() and int(word) <= Dscp.last:
                    mapped[Dscp(int(word))] = Priority(int(match[1]))
    if first is not None:
        yield see(place, "nic.qos.dscp_priority", mapped, output, first)


def _cos(place: Place, output: Output) -> Iterator[Observation]:
    """Rows of priority, traffic class and hardware queue."""
    rows = [(number, match) for number, text in lines(output) if (match := _COS.fullmatch(text))]
    if rows:
        mapped = {Priority(int(match[1])): NicCosQueue(int(match[3])) for _, match in rows}
        yield see(place, "nic.qos.priority_cos", mapped, output, rows[0][0])


def _congestion(place: Place, output: Output) -> Iterator[Observation]:
    """configfs: ``apply`` lists the attributes of congestion control, the others are files of their own."""
    for number, text in lines(output):
        match = _ATTRIBUTE.fullmatch(text)
        if match is None:
            continue
        name, value = match[2] if match[1] == "apply" else match[1], int(match[3], 0)
        if name == "ecn_enable":
            yield see(place, "nic.qos.ecn", bool(value), output, number)
        elif name == "cc_mode" and value in _CC_MODES:
            yield see(place, "nic.qos.congestion", _CC_MODES[value], output, number)
        elif name in ("roce_dscp", "cnp_dscp") and value <= Dscp.last:
            yield see(place, f"nic.qos.{name}", Dscp(value), output, number)
        elif name in _PRIORITIES and value <= Priority.last:
            yield see(place, _PRIORITIES[name], Priority(value), output, number)


def _conf(place: Place, output: Output) -> Iterator[Observation]:
    """The configuration package's file; of a key that stands twice a shell takes the last."""
    found: dict[str, tuple[int, int]] = {}
    for number, text in lines(output):
        if match := _SETTING.fullmatch(text.strip()):
            found[match[1]] = (int(match[2]), number)
    for key, path, last in (
        ("ROCE_DSCP", "nic.qos.roce_dscp", Dscp.last),
        ("ROCE_PRI", "nic.qos.roce_priority", Priority.last),
        ("CNP_DSCP", "nic.qos.cnp_dscp", Dscp.last),
        ("CNP_PRI", "nic.qos.cnp_priority", Priority.last),
        ("ROCE_BW", "nic.qos.roce_share", 100),
    ):
        if key in found and found[key][0] <= last:
            value, line = found[key]
            kind = Dscp if path.endswith("dscp") else Priority if path.endswith("priority") else int
            yield see(place, path, kind(value), output, line, State.CONFIGURED)
    if "ENABLE_FC" in found and found["ENABLE_FC"][0] in (0, 1):
        value, line = found["ENABLE_FC"]
        yield see(place, "nic.qos.configure", bool(value), output, line, State.CONFIGURED)


def _option(place: Place, path: str, output: Output) -> Iterator[Observation]:
    """An NVM option: the last line says it, in words that differ from release to release; others are not guessed."""
    said = [(number, text) for number, text in lines(output) if text.strip()]
    if not said:
        return
    number, text = said[-1]
    word = re.split(r"[=:]", text)[-1].strip().lower().partition(" ")[0]
    value: object = None
    if path == "nic.nvm.performance_profile":
        value = _PROFILES.get(word)
    elif word in _ON:
        value = True
    elif word in _OFF:
        value = False
    if value is not None:
        yield see(place, path, value, output, number, State.PERSISTENT)
