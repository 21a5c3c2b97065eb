"""PCI Express functions, as ``lspci -nn -vvv`` and sysfs show them.

``-nn`` adds the numbers in brackets to names (pciutils, lib/names.c, format_name and format_name_pair). A domain has
at least four digits (lspci.c, show_slot_path); those behind Intel VMD begin with 10000 (Linux,
drivers/pci/controller/vmd.c, vmd_find_free_domain).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place, bdf

_HEAD = re.compile(r"((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (\S.*)")
_CLASS = re.compile(r"[^:]*\[([0-9a-f]{4})\]: ")
_IDS = re.compile(r"\[([0-9a-f]{4}:[0-9a-f]{4})\](?: \(.*\))?")
_SUBSYSTEM = re.compile(r"\s*Subsystem: .*\[([0-9a-f]{4}:[0-9a-f]{4})\]")
_BUS = re.compile(r"\s*Bus: primary=[0-9a-f]{2}, secondary=([0-9a-f]{2}), subordinate=[0-9a-f]{2}\b.*")
_EXPRESS = re.compile(
    r"\s*Capabilities: \[[0-9a-f]+\] Express \(v[0-9]+\) "
    r"(Root Port|Upstream Port|Downstream Port|(?:\w+ )*Endpoint)\b.*"
)
_LINK = re.compile(r"\s*LnkSta:\s*Speed ([0-9]{1,4}(?:\.[0-9]{1,4})?)GT/s[^,]*, Width x([0-9]{1,3})\b.*")
_ABLE = re.compile(r"\s*LnkCap:\s*Port #[0-9]+, Speed ([0-9]{1,4}(?:\.[0-9]{1,4})?)GT/s[^,]*, Width x([0-9]{1,3})\b.*")
_PAYLOAD = re.compile(r"\s*MaxPayload ([0-9]{1,6}) bytes, MaxReadReq ([0-9]{1,6}) bytes\s*")
_RELAXED_ORDERING = re.compile(r"\s*RlxdOrd([+-]) .*")
_ACS = re.compile(r"\s*ACSCtl:\s*(.*)")
_NODE = re.compile(r"\s*NUMA node: ([0-9]{1,6})\s*")
_ROLES = {"Root Port": "root-port", "Upstream Port": "switch-upstream", "Downstream Port": "switch-downstream"}
_SYSFS = re.compile(r"/sys/bus/pci/devices/([0-9a-f:.]+)/(\w+):(.*)")
_SYSFS_SPEED = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4})?) GT/s(?: PCIe)?")
_DENIAL_TEXT = "<access denied>"


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every PCIe function."""
    host = Place(outputs.device)
    if output := outputs.get("lspci"):
        functions = list(_read_functions(output))
        buses = {
            (function.domain, function.secondary): function for function in functions if function.secondary is not None
        }
        for function in functions:
            yield from _observe(host.child("pcie", function.address), function, output)
            bridge = buses.get((function.domain, function.bus))
            if bridge is not None:
                place = host.child("pcie", function.address)
                yield observe(place, "pcie.parent", bridge.address, output, bridge.secondary_line)
        if functions:
            yield observe(host, "host.pcie", COMPLETE, output)
    for _, output in outputs.per_nic("pcie-sysfs"):
        yield from _read_sysfs(host, output)


@dataclass(slots=True)
class _Function:
    """The values in one function's paragraph, each with its line."""

    address: str
    line: int
    secondary: str | None = None  # the bus below a bridge
    secondary_line: int | None = None
    denied: bool = False
    has_acs: bool = False  # the capability is shown; its control register may be not
    whole: bool = False  # an empty line ends it; without that, the output was cut within it
    values: dict[str, tuple[object, int]] = field(default_factory=dict)

    @property
    def domain(self) -> str:
        """The domain, of four hexadecimal digits or more."""
        return self.address.split(":")[0]

    @property
    def bus(self) -> str:
        """The bus of the function itself."""
        return self.address.split(":")[1]


def _read_functions(output: Output) -> Iterator[_Function]:
    current: _Function | None = None
    last = output.text.count("\n") + 1
    for number, text in number_lines(output):
        if match := _HEAD.fullmatch(text):
            if current is not None:
                yield current
            current = _Function(bdf(match[1]), number)
            _read_head(current, number, match[2])
        elif current is not None:
            current.whole = current.whole or (not text and number < last)
            if not current.whole:  # what follows an empty line and is no head belongs to a function not shown
                _take(current, number, text)
    if current is not None:
        yield current


def _read_head(function: _Function, number: int, description: str) -> None:
    function.values["pcie.description"] = (description, number)
    if device_class := _CLASS.match(description):
        function.values["pcie.device_class"] = (device_class[1], number)
        if ids := next(iter(_IDS.finditer(description, device_class.end())), None):
            function.values["pcie.device_ids"] = (frozenset({ids[1]}), number)


def _take(function: _Function, number: int, text: str) -> None:
    values = function.values
    if _DENIAL_TEXT in text:
        function.denied = True
    elif match := _BUS.fullmatch(text):
        function.secondary, function.secondary_line = match[1], number
    elif match := _SUBSYSTEM.fullmatch(text):
        values["pcie.subsystem_id"] = (match[1], number)
    elif match := _EXPRESS.fullmatch(text):
        values["pcie.role"] = (_ROLES.get(match[1], "endpoint"), number)
    elif match := _ABLE.fullmatch(text):
        values["pcie.link.capable_speed"] = (_parse_rate(match[1]), number)
        values["pcie.link.capable_width"] = (int(match[2]), number)
    elif match := _LINK.fullmatch(text):
        values["pcie.link.speed"] = (_parse_rate(match[1]), number)
        values["pcie.link.width"] = (int(match[2]), number)
    elif match := _PAYLOAD.fullmatch(text):
        values["pcie.max_payload"] = (int(match[1]), number)
        values["pcie.max_read_request"] = (int(match[2]), number)
    elif match := _RELAXED_ORDERING.fullmatch(text):
        values.setdefault("pcie.relaxed_ordering", (match[1] == "+", number))
    elif "Access Control Services" in text:
        function.has_acs = True
    elif match := _ACS.fullmatch(text):
        services = match[1].split()
        function.has_acs = True
        if services and all(word[-1] in "+-" for word in services):
            values["pcie.acs"] = (frozenset(word[:-1] for word in services if word[-1] == "+"), number)
    elif match := _NODE.fullmatch(text):
        values["pcie.numa_node"] = (int(match[1]), number)


def _observe(place: Place, function: _Function, output: Output) -> Iterator[Observation]:
    for path, (value, line) in function.values.items():
        yield observe(place, path, value, output, line)
    shown_values = function.whole and not function.denied and "pcie.role" in function.values
    if shown_values or function.has_acs:
        yield observe(place, "pcie.acs_capable", function.has_acs, output, function.line)
    if shown_values and "pcie.acs" not in function.values and not function.has_acs:
        # All capabilities are shown and ACS is not among them: it cannot be on.
        yield observe(place, "pcie.acs", frozenset(), output, function.line)


def _parse_rate(text: str) -> int:
    """GT/s to MT/s."""
    return round(float(text) * 1000)


def _read_sysfs(host: Place, output: Output) -> Iterator[Observation]:
    paths = {
        "current_link_speed": "pcie.link.speed",
        "current_link_width": "pcie.link.width",
        "max_link_speed": "pcie.link.capable_speed",
        "max_link_width": "pcie.link.capable_width",
        "numa_node": "pcie.numa_node",
    }
    for number, text in number_lines(output):
        match = _SYSFS.fullmatch(text)
        if match is None or match[2] not in paths:
            continue
        try:
            place = host.child("pcie", bdf(match[1]))
        except ValueError:
            continue
        path, value = paths[match[2]], match[3].strip()
        if path.endswith("speed"):
            if rate := _SYSFS_SPEED.fullmatch(value):
                yield observe(place, path, _parse_rate(rate[1]), output, number)
        elif value.isascii() and value.isdecimal() and len(value) < 7:  # -1: the firmware reports no NUMA node
            yield observe(place, path, int(value), output, number)
