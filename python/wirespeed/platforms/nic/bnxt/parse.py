"""Output of niccli, the configuration package's file and configfs to settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.nic import dcb_output, rdma_cm
from wirespeed.platforms.nic.bnxt import congestion, nvm
from wirespeed.platforms.nic.bnxt.view import UTILITIES
from wirespeed.platforms.nic.dcb_output import DISCIPLINES
from wirespeed.platforms.output_values import nic_place, number_lines, observe, parse_whole
from wirespeed.settings import Discipline, Dscp, NicCosQueue, NicTrafficClass, Place, Priority

_PAIR = re.compile(r"([0-7]):([0-7])")
_DISCIPLINE = re.compile(r"([0-7]):([a-z]+)")
_PERCENT = re.compile(r"([0-9]{1,3})%")
_DSCP = re.compile(r"\s*priority:([0-7])\s+dscp:([0-9, ]+)")
_COS = re.compile(r"\s*([0-7])\s+([0-7])\s+([0-7])\s*")
_NO_FILE = re.compile(r"^cat: '?(/.+?)'?: No such file or directory$", re.MULTILINE)
_SETTING = re.compile(r"([A-Z_]+)=[\"']?([0-9]{1,3})[\"']?\s*(?:#.*)?")
_SERVICE_PROFILES = re.compile(r"\s*fw_service_prof_type_sup\s*:\s*([01])\s*")
_PRIORITIES = 8  # of IEEE 802.1Q; a list with fewer was cut short


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every Broadcom port with an output."""
    if output := outputs.get("qos-tools"):
        names = frozenset(text.rpartition("/")[2] for _, text in number_lines(output) if text)
        if names <= UTILITIES.keys():
            yield observe(Place(outputs.device), "host.qos_tools", names, output)
    for command in ("niccli-qos", "niccli-getqos", "bnxtqos"):
        for interface, output in outputs.per_nic(command):
            yield from _read_qos(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("niccli-dscp2prio"):
        yield from _read_dscp(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("niccli-pri2cos"):
        yield from _read_cos(nic_place(outputs, interface), output)
    yield from dcb_output.parse(outputs)
    for interface, output in outputs.per_nic("cc"):
        yield from congestion.configfs(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("cc-inbox"):
        yield from congestion.debugfs(nic_place(outputs, interface), output)
    for interface, output in outputs.per_nic("driver-info"):
        yield from _read_driver_info(nic_place(outputs, interface), output)
    yield from rdma_cm.parse(outputs)
    yield from rdma_cm.parse_marks(outputs, "nic.qos.connection_dscp")
    for interface, output in outputs.per_nic("bnxt-re-conf"):
        yield from _read_conf(nic_place(outputs, interface), output)
    for tool in ("nvm", "old-nvm", "bnxtnvm"):
        for command, path in nvm.COMMANDS.items():
            for interface, output in outputs.per_nic(f"{tool}-{command}"):
                yield from nvm.read(nic_place(outputs, interface), path, output)


def _read_qos(place: Place, output: Output) -> Iterator[Observation]:
    """ETS, PFC, DSCP and rate limits. A strict traffic class has no share, even if a percentage is printed for it.

    Limits are printed for all eight traffic classes; those of classes that the NIC does not schedule mean nothing.
    """
    shares: tuple[list[int], int] | None = None
    limits: tuple[list[int], int] | None = None
    table: int | None = None
    table_ended = False
    dscps: dict[Dscp, Priority] = {}
    priority: Priority | None = None  # of the table's entry being read
    discipline: dict[NicTrafficClass, Discipline] = {}
    for number, text in number_lines(output):
        key, colon, value = text.strip().partition(":")
        if not colon:
            continue
        if key == "PRIO_MAP" and len(pairs := _PAIR.findall(value)) == _PRIORITIES:
            priority_map = {Priority(int(priority)): NicTrafficClass(int(tc)) for priority, tc in pairs}
            yield observe(place, "nic.qos.priority_tc", priority_map, output, number)
        elif key == "TC Bandwidth" and _PERCENT.search(value):
            shares = ([int(percent) for percent in _PERCENT.findall(value)], number)
        elif key == "TSA_MAP":
            discipline = {
                NicTrafficClass(int(tc)): DISCIPLINES[word]
                for tc, word in _DISCIPLINE.findall(value)
                if word in DISCIPLINES
            }
            if discipline:
                yield observe(place, "nic.qos.tc_discipline", discipline, output, number)
        elif key == "PFC enabled" and value.strip():
            priorities = re.findall(r"[0-9]+", value)
            if value.strip() == "none" or (priorities and all(len(word) == 1 and word < "8" for word in priorities)):
                pfc = frozenset(Priority(int(word)) for word in priorities)
                yield observe(place, "nic.qos.pfc", pfc, output, number)
        elif text.strip() == "IEEE 8021QAZ APP TLV:":
            table = number
        elif key == "TC Rate Limit":
            table_ended = table is not None
            if len(percents := _PERCENT.findall(value)) == _PRIORITIES:
                limits = [int(percent) for percent in percents], number
        elif table is not None and key.startswith("APP#"):
            priority = None
        elif (
            table is not None and key == "Priority" and (level := parse_whole(value.strip())) is not None and level < 8
        ):
            priority = Priority(level)
        elif key == "DSCP" and priority is not None:
            point = parse_whole(value.strip())
            if point is not None and point <= Dscp.last:
                dscps[Dscp(point)] = priority
    if table_ended:  # a table that was cut short shows nothing
        yield observe(place, "nic.qos.dscp_priority", dscps, output, table)
    if limits is not None and discipline:
        rate_limit = {tc: limits[0][int(tc)] for tc in sorted(discipline)}
        yield observe(place, "nic.qos.tc_rate_limit", rate_limit, output, limits[1])
    if shares is not None and discipline:
        share = {
            NicTrafficClass(tc): percent
            for tc, percent in enumerate(shares[0][:8])
            if discipline.get(NicTrafficClass(tc)) is Discipline.DWRR
        }
        yield observe(place, "nic.qos.tc_share", share, output, shares[1])


def _read_dscp(place: Place, output: Output) -> Iterator[Observation]:
    first: int | None = None
    priority_map: dict[Dscp, Priority] = {}
    for number, text in number_lines(output):
        if text.strip() == "dscp2prio mapping:":
            first = number
        elif first is not None and (match := _DSCP.match(text)):
            for word in match[2].split(","):
                if word.strip().isdecimal() and int(word) <= Dscp.last:
                    priority_map[Dscp(int(word))] = Priority(int(match[1]))
    if first is not None:
        yield observe(place, "nic.qos.dscp_priority", priority_map, output, first)


def _read_cos(place: Place, output: Output) -> Iterator[Observation]:
    """Rows of priority, traffic class and hardware queue."""
    rows = [(number, match) for number, text in number_lines(output) if (match := _COS.fullmatch(text))]
    priority_map = {Priority(int(match[1])): NicCosQueue(int(match[3])) for _, match in rows}
    if len(priority_map) == _PRIORITIES:
        yield observe(place, "nic.qos.priority_cos", priority_map, output, rows[0][0])


def _read_driver_info(place: Place, output: Output) -> Iterator[Observation]:
    """``fw_service_prof_type_sup``: without 1 bnxt_setupcc.sh leaves CNPs in the default traffic class."""
    for number, text in number_lines(output):
        if match := _SERVICE_PROFILES.fullmatch(text):
            yield observe(place, "nic.qos.cnp_class", match[1] == "1", output, number)


_PFC, _CONTROL = frozenset({"pfc"}), frozenset({"congestion-control"})
_FUNCTIONS = {0: frozenset[str](), 1: _PFC, 2: _CONTROL, 3: _PFC | _CONTROL}
"""Functions of each FC_MODE (Broadcom, bnxt_setupcc.sh 236.1.155.0, option -m). Without PFC and congestion control
nothing is configured."""


def _read_conf(place: Place, output: Output) -> Iterator[Observation]:
    """The configuration package's file; of a repeated key the last counts, as in a shell."""
    if match := _NO_FILE.search(output.errors):
        yield observe(place, "nic.qos.absent_file", match[1], output, None, State.CONFIGURED)
        return
    read_values: dict[str, tuple[int, int]] = {}
    for number, text in number_lines(output):
        if match := _SETTING.fullmatch(text.strip()):
            read_values[match[1]] = (int(match[2]), number)
    for key, path, last in (
        ("ROCE_DSCP", "nic.qos.roce_dscp", Dscp.last),
        ("ROCE_PRI", "nic.qos.roce_priority", Priority.last),
        ("CNP_DSCP", "nic.qos.cnp_dscp", Dscp.last),
        ("CNP_PRI", "nic.qos.cnp_priority", Priority.last),
        ("ROCE_BW", "nic.qos.roce_share", 100),
    ):
        if key in read_values and read_values[key][0] <= last:
            value, line = read_values[key]
            kind = Dscp if path.endswith("dscp") else Priority if path.endswith("priority") else int
            yield observe(place, path, kind(value), output, line, State.CONFIGURED)
    if "FC_MODE" in read_values and read_values["FC_MODE"][0] in _FUNCTIONS:
        value, line = read_values["FC_MODE"]
        yield observe(place, "nic.qos.package_functions", _FUNCTIONS[value], output, line, State.CONFIGURED)
    if "UTILITY" in read_values:
        value, line = read_values["UTILITY"]
        program = next((name for name, option in UTILITIES.items() if option == value), f"UTILITY={value}")
        yield observe(Place(place.device), "host.qos_program", program, output, line, State.CONFIGURED)
    elif read_values:
        yield observe(Place(place.device), "host.qos_program", "", output, None, State.CONFIGURED)
    if "OVERRIDE" in read_values:
        value, line = read_values["OVERRIDE"]
        yield observe(place, "nic.qos.override", value == 1, output, line, State.CONFIGURED)
    if "ENABLE_FC" in read_values and read_values["ENABLE_FC"][0] in (0, 1):
        value, line = read_values["ENABLE_FC"]
        yield observe(place, "nic.qos.configure", bool(value), output, line, State.CONFIGURED)
