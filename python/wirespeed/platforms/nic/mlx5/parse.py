"""Output of mlnx_qos, mlxconfig and sysfs to settings of a ConnectX port."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.nic import dcb_output, rdma_cm
from wirespeed.platforms.nic.dcb_output import DISCIPLINES
from wirespeed.platforms.nic.mlx5 import nvm
from wirespeed.platforms.nic.mlx5.view import PARAMETERS
from wirespeed.platforms.output_values import nic_place, number_lines, observe, parse_whole
from wirespeed.settings import Discipline, Dscp, Ect, NicTrafficClass, Place, Priority
from wirespeed.units import Length, Size

_DSCPS = re.compile(r"\s*prio:([0-7]) dscp:([0-9,]+)")
_SIZES = re.compile(r"Receive buffer size \(bytes\): ((?:[0-9]+,){8}).*")
_LEVELS = re.compile(r"\s+(enabled|buffer)\s+((?:[0-9]\s*){8})")
_TC = re.compile(r"tc: ([0-7]) ratelimit: .+?, tsa: (\w+)(?:, bw: ([0-9]{1,3})%)?")
_MEMBER = re.compile(r"\s+priority:\s+([0-7])\s*")
_ECN = re.compile(r"/sys/class/net/[^/]+/ecn/roce_(np|rp)/(?:enable/)?(\w+):([0-9]{1,10})")
_TCLASS = re.compile(r"Global tclass=([0-9]{1,3})\s*")  # rules for single connections follow below
_DCBX = {"DCBX mode: OS controlled": False, "DCBX mode: Firmware controlled": True}
_ECTS = {ect.bits: ect for ect in Ect}


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every port with an output."""
    for interface, output in outputs.per_nic("mlnx-qos"):
        yield from _mlnx_qos(nic_place(outputs, interface), output)
    yield from dcb_output.parse(outputs)
    for interface, output in outputs.per_nic("ecn"):
        yield from _read_ecn(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("traffic-class"):
        yield from _read_marks(nic_place(outputs, interface), output)
    for command in ("mlxconfig", "mstconfig"):
        for interface, output in outputs.per_nic(command):
            yield from nvm.read(nic_place(outputs, interface), output)
    yield from rdma_cm.parse(outputs)
    yield from _derive_roce_priority(outputs)


def _derive_roce_priority(outputs: Outputs) -> Iterator[Observation]:
    """Priority and share of RoCE: those that its DSCP leads to. No tool prints them by that name."""
    tables = dict(outputs.per_nic("mlnx-qos"))
    for interface, output in outputs.per_nic("traffic-class"):
        place = nic_place(outputs, interface)
        marks = next(
            (observation for observation in _read_marks(place, output) if observation.path == "nic.qos.roce_dscp"), None
        )
        if marks is None or interface not in tables:
            continue
        settings = {observation.path: observation.value for observation in _mlnx_qos(place, tables[interface])}
        priority = settings.get("nic.qos.dscp_priority", {}).get(marks.value)
        if priority is None or settings.get("nic.qos.trust") != "dscp":
            continue
        yield Observation(place, "nic.qos.roce_priority", priority, marks.source)
        share = settings.get("nic.qos.tc_share", {}).get(settings.get("nic.qos.priority_tc", {}).get(priority))
        if share is not None:
            yield Observation(place, "nic.qos.roce_share", share, marks.source)


def _mlnx_qos(place: Place, output: Output) -> Iterator[Observation]:
    """Order and indent differ between kernels; a priority without DSCP and a traffic class without priority are not
    printed, and ``vendor`` is neither strict nor shared."""
    dscps: dict[Dscp, Priority] = {}
    table: int | None = None
    table_ended = False
    priority_map: dict[Priority, NicTrafficClass] = {}
    discipline: dict[NicTrafficClass, Discipline] = {}
    shares: dict[NicTrafficClass, int] = {}
    first: int | None = None
    tc: NicTrafficClass | None = None
    for number, text in number_lines(output):
        if text in _DCBX:
            yield observe(place, "nic.qos.willing", _DCBX[text], output, number)
        elif text.startswith("Priority trust state: "):
            trust = {"dscp": "dscp", "pcp": "dot1p"}.get(text.rpartition(" ")[2])
            if trust is not None:
                yield observe(place, "nic.qos.trust", trust, output, number)
        elif text.strip() == "dscp2prio mapping:":
            table = number
        elif table is not None and (match := _DSCPS.fullmatch(text.rstrip())):
            points = [int(word) for word in match[2].split(",") if word]
            dscps |= {Dscp(point): Priority(int(match[1])) for point in points if point <= Dscp.last}
            continue
        table_ended = table_ended or (table is not None and number > table and bool(text.strip()))
        if match := _SIZES.fullmatch(text):
            sizes = {index: Size(int(word)) for index, word in enumerate(match[1].rstrip(",").split(","))}
            yield observe(place, "nic.qos.buffer_size", sizes, output, number)
        elif text.startswith("Cable len: ") and (metres := parse_whole(text[11:].strip())) is not None:
            yield observe(place, "nic.cable_length", Length.from_unit(metres, "m"), output, number)
        elif match := _LEVELS.fullmatch(text):
            levels = [int(word) for word in match[2].split()]
            if match[1] == "enabled" and set(levels) <= {0, 1}:
                pfc = frozenset(Priority(level) for level, is_enabled in enumerate(levels) if is_enabled)
                yield observe(place, "nic.qos.pfc", pfc, output, number)
            elif match[1] == "buffer":
                buffers = {Priority(level): buffer for level, buffer in enumerate(levels)}
                yield observe(place, "nic.qos.priority_buffer", buffers, output, number)
        elif text.startswith("tc:"):
            match = _TC.fullmatch(text.strip())
            if match is None:  # its priorities must not count for the one before
                tc = None
                continue
            tc, first = NicTrafficClass(int(match[1])), first or number
            if match[2] in DISCIPLINES:
                discipline[tc] = DISCIPLINES[match[2]]
            if match[2] == "ets" and match[3]:
                shares[tc] = int(match[3])
        elif tc is not None and (match := _MEMBER.fullmatch(text)):
            priority_map[Priority(int(match[1]))] = tc
    if table_ended:  # a list that was cut short shows nothing
        yield observe(place, "nic.qos.dscp_priority", dscps, output, table)
    if len(priority_map) == 8:
        yield observe(place, "nic.qos.priority_tc", priority_map, output, first)
        yield observe(place, "nic.qos.tc_discipline", discipline, output, first)
        yield observe(place, "nic.qos.tc_share", shares, output, first)


def _read_ecn(place: Place, output: Output) -> Iterator[Observation]:
    """Congestion control of a priority is on when both the notification and the reaction point are."""
    enabled: dict[str, dict[int, bool]] = {"np": {}, "rp": {}}
    parameters: dict[str, int] = {}
    for number, text in number_lines(output):
        match = _ECN.fullmatch(text.strip())
        if match is None:
            continue
        end, name, value = match[1], match[2], int(match[3])
        if name.isdecimal() and int(name) <= Priority.last:
            enabled[end][int(name)] = bool(value)
        elif name == "cnp_dscp" and value <= Dscp.last:
            yield observe(place, "nic.qos.cnp_dscp", Dscp(value), output, number)
        elif name == "cnp_802p_prio" and value <= Priority.last:
            yield observe(place, "nic.qos.cnp_priority", Priority(value), output, number)
        elif end == "rp" and name in PARAMETERS:
            parameters[name] = value
    if len(enabled["np"]) == len(enabled["rp"]) == 8:
        priorities = frozenset(Priority(value) for value in range(8) if enabled["np"][value] and enabled["rp"][value])
        yield observe(place, "nic.qos.ecn_priorities", priorities, output)
        yield observe(place, "nic.qos.ecn", bool(priorities), output)
    if parameters:
        yield observe(place, "nic.qos.congestion_parameters", parameters, output)


def _read_marks(place: Place, output: Output) -> Iterator[Observation]:
    for number, text in number_lines(output):
        match = _TCLASS.fullmatch(text)
        if match and int(match[1]) < 256:
            tos = int(match[1])
            yield observe(place, "nic.qos.roce_dscp", Dscp(tos >> 2), output, number)
            if tos & 3 in _ECTS:
                yield observe(place, "nic.qos.ect", _ECTS[tos & 3], output, number)
