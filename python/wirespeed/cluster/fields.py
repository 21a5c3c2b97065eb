"""Field types of the cluster file. A scalar is read as text, and the field converts it to its type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    ip_address,
    ip_interface,
    ip_network,
)
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, WithJsonSchema

from wirespeed.settings import Dscp, Priority, PriorityGroup, SwitchQueue, SwitchTrafficClass
from wirespeed.settings.qos import NicCosQueue, NicTrafficClass, Number
from wirespeed.units import PCIE_GENERATIONS, Bandwidth, Duration, Length, Quantity, Size

_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_MODEL_COUNT = re.compile(r"(?:([1-9][0-9]{0,2})\s+x\s+)?([A-Za-z0-9][A-Za-z0-9._-]*)")
_HOST_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,61}[A-Za-z0-9])?")
_INTERFACE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_DOMAIN = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*"
)
_PCIE_ADDRESS = re.compile(r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_PORT = re.compile(r"[A-Za-z][A-Za-z0-9/_.:-]{0,31}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LINE = re.compile(r"[A-Za-z0-9 _.,:;/@#()+=-]{1,63}")
_KERNEL_PARAMETER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(?:=[A-Za-z0-9_.,:;/@%+=-]*)?")
_SLOT = re.compile(r"gen([1-6]) x(1|2|4|8|16)")
_NVCC_TARGET = r"-gencode=arch=compute_[0-9]{2,3},code=(?:sm|compute)_[0-9]{2,3}"
_GENCODE = re.compile(rf"{_NVCC_TARGET}(?: {_NVCC_TARGET})*")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+~_-]{0,63}")
_RELEASE = re.compile(r"[0-9][0-9A-Za-z.+~_()-]{0,63}")  # NX-OS: 10.4(3)F
_REVISION = re.compile(r"[0-9a-z][0-9A-Za-z.+~_-]{0,63}")
_PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")
_CPU_VENDOR = re.compile(r"amd|intel")
_SOURCE = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

T = TypeVar("T")


class Unfit(ValueError):  # noqa: N818 - it never reaches users; `Refusal` does
    """A scalar that its field does not accept, with the expected value and a hint."""

    def __init__(self, expected: str, hint: str | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.hint = hint


@dataclass(frozen=True, slots=True)
class ModelCount:
    """A number of pieces of a catalogue model: ``8 x broadcom-bcm957608-p1400gd``."""

    count: int
    model: str


@dataclass(frozen=True, slots=True)
class SlotSize:
    """A PCIe slot by generation and lanes: ``gen5 x8``."""

    generation: int
    width: int  # lanes

    @property
    def speed(self) -> int:
        """Signalling rate in MT/s (PCI Express base specification 6.0, section 4.2)."""
        return next(rate for rate, generation in PCIE_GENERATIONS.items() if generation == self.generation)


def _parse_whole(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if _WHOLE.fullmatch(text) is None:
        raise Unfit("a whole number, written with digits only and no leading zero")
    return int(text)


def _parse_positive(text: Any) -> Any:
    number = _parse_whole(text)
    if number == 0:
        raise Unfit("a whole number from 1")
    return number


_PCIE_BYTES = (128, 256, 512, 1024, 2048, 4096)
"""MaxPayload and MaxReadReq (PCI Express Base 5.0, section 7.5.3.4)."""


_ARP_MODES = (1, 2)
"""Values of arp_announce and arp_ignore that separate rails (Linux Documentation/networking/ip-sysctl.rst): 0 does not,
arp_ignore 3 replies for every global address, 8 never."""


def _parse_pcie_bytes(text: Any) -> Any:
    number = _parse_whole(text)
    if isinstance(number, int) and number not in _PCIE_BYTES:
        hint = f"a payload seen on the link: plan --limits --pcie-payload {number}"
        raise Unfit("128, 256, 512, 1024, 2048 or 4096", hint if 0 < number < min(_PCIE_BYTES) else None)
    return number


def _parse_arp_mode(text: Any) -> Any:
    number = _parse_whole(text)
    if isinstance(number, int) and number not in _ARP_MODES:
        raise Unfit("1 or 2")
    return number


_LAST_VLAN = 4094
"""IEEE 802.1Q reserves 0 for frames with a priority only, and 4095."""


def _parse_vlan(text: Any) -> Any:
    number = _parse_positive(text)
    if isinstance(number, int) and number > _LAST_VLAN:
        raise Unfit(f"a VLAN number, 1 to {_LAST_VLAN}")
    return number


def _parse_transfer_rate(text: Any) -> Any:
    """MT/s of memory, with the unit or without."""
    if not isinstance(text, str):
        return text
    number = text.removesuffix("MT/s").rstrip()
    if _WHOLE.fullmatch(number) is None or number == "0":
        raise Unfit("a rate such as 4800 MT/s", "write the rate that `dmidecode --type 17` shows, in MT/s")
    return int(number)


def _parse_udp_port(text: Any) -> Any:
    number = _parse_positive(text)
    if isinstance(number, int) and number > 0xFFFF:
        raise Unfit("a UDP port, at most 65535")
    return number


def _parse_flag(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if text not in ("true", "false"):
        correction = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(text.lower(), "true or false")
        raise Unfit("true or false", f"write {correction}")
    return text == "true"


NOT_CONFIGURED = "none"
"""Value of a key that leaves a setting of the system as it is."""


def _parse_percent(text: Any, minimum: int = 0) -> Any:
    if not isinstance(text, str):
        return text
    number = text.removesuffix("%").rstrip()
    if _WHOLE.fullmatch(number) is None or not minimum <= int(number) <= 100:
        raise Unfit(f"a whole percentage from {minimum}% to 100%", "write a percentage such as 50%")
    return int(number)


_LARGEST_QUANTITIES: Mapping[type[Quantity], Quantity] = {
    Bandwidth: Bandwidth.parse("1000 Tb/s"),
    Size: Size.parse("1000000 GB"),
    Duration: Duration.parse("4000000 s"),
    Length: Length.parse("10000000 m"),
}
"""More is a mistake; products of these fit into the 64-bit integers of the Rust core."""


def _make_quantity_parser(cls: type[Quantity]) -> Callable[[Any], Any]:
    def parse(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        try:
            quantity = cls.parse(text)
        except ValueError as error:
            raise Unfit(f"a {cls.kind} such as {cls.example}", str(error)) from None
        if quantity == 0:
            raise Unfit(f"a {cls.kind} above zero")
        if quantity > (largest := _LARGEST_QUANTITIES[cls]):
            raise Unfit(f"a {cls.kind} of at most {largest}")
        return quantity

    return parse


def _make_number_parser(cls: type[Number]) -> Callable[[Any], Any]:
    def parse(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        if _WHOLE.fullmatch(text) is None or int(text) > cls.last:
            expected = f"{'an' if cls.space[0] == '8' else 'a'} {cls.space} from 0 to {cls.last}"
            is_padded = text.isdecimal() and int(text) <= cls.last
            raise Unfit(
                expected, f"write {int(text)}" if is_padded else f"write a whole number such as {cls.last // 2}"
            )
        return cls(int(text))

    return parse


def _parse_dscps(text: Any) -> Any:
    """Code points: one, several as a list, ranges ``24-31``."""
    entries = [text] if isinstance(text, str) else text
    if not isinstance(entries, list):
        return text
    dscps: set[Dscp] = set()
    for position, entry in enumerate(entries, 1):
        if not isinstance(entry, str):
            raise Unfit(_DSCPS, f"entry {position} is no number")
        for part in entry.split(","):
            dscps |= _dscp_range(part.strip(), f"entry {position} is {part.strip()!r}: " if entries is text else "")
    return frozenset(dscps)


_PER_HOP_BEHAVIORS = {
    "be": 0,
    "df": 0,
    "ef": 46,
    "va": 44,
    **{f"cs{number}": number << 3 for number in range(8)},
    **{f"af{group}{drop}": group << 3 | drop << 1 for group in range(1, 5) for drop in range(1, 4)},
}
"""DSCP by name (RFC 2474, section 4.2.2; RFC 2597, section 6; RFC 3246; RFC 5865)."""


_DSCPS = "DSCP values from 0 to 63, such as 26 or [24-31, 46]"


def _suggest_dscp(text: str) -> str | None:
    """A hint for the name of a DSCP, or a number that is a ToS byte: its upper six bits (RFC 2474, section 3)."""
    if text.lower() in _PER_HOP_BEHAVIORS:
        return f"{text.upper()} is DSCP {_PER_HOP_BEHAVIORS[text.lower()]}"
    if _WHOLE.fullmatch(text) is None or not 63 < int(text) <= 255:
        return None
    return f"the ToS byte {text} has DSCP {int(text) >> 2}"


def _dscp_range(part: str, entry: str) -> set[Dscp]:
    """The values of a range; ``entry`` names the part of a list in a hint."""
    ends = _RANGE.fullmatch(part)
    first, last = ends.groups() if ends else (part, part)
    if _WHOLE.fullmatch(first) is None or _WHOLE.fullmatch(last) is None or not int(first) <= int(last) <= 63:
        is_reversed = ends is not None and _WHOLE.fullmatch(first) and _WHOLE.fullmatch(last) and int(first) > int(last)
        hint = f"write the lower value first: {last}-{first}" if is_reversed else _suggest_dscp(part)
        raise Unfit(_DSCPS, f"{entry}{hint or 'write numbers from 0 to 63'}" if entry else hint)
    return {Dscp(value) for value in range(int(first), int(last) + 1)}


def _parse_network(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return ip_network(text)
    except ValueError:
        try:
            corrected = ip_network(text, strict=False)
        except ValueError:
            raise Unfit("a network such as 10.1.0.0/16 or fd00::/48") from None
        raise Unfit("a network with no host bits", f"did you mean {corrected}?") from None


def _parse_ipv4_network(text: Any) -> Any:
    network = _parse_network(text)
    if isinstance(network, IPv6Network):
        raise Unfit("an IPv4 network such as 10.255.0.0/24", "BGP router IDs are IPv4 addresses (RFC 4271)")
    return network


def _parse_interface_address(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        if "/" not in text:
            raise ValueError
        return ip_interface(text)
    except ValueError:
        raise Unfit("an address with its prefix length, such as 10.1.0.1/31") from None


def _parse_host_address(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return ip_address(text)
    except ValueError:
        raise Unfit("an address without prefix length, such as 10.1.0.254") from None


def _parse_count(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    match = _MODEL_COUNT.fullmatch(text)
    if match is None:
        raise Unfit("a number of pieces and a catalogue model", "write it as 8 x broadcom-bcm957608-p1400gd")
    return ModelCount(int(match[1] or "1"), match[2])


def parse_slot(text: Any) -> Any:
    """A PCIe link by generation and lanes; anything but text as it is.

    Raises:
        Unfit: the text has another form.
    """
    if not isinstance(text, str):
        return text
    match = _SLOT.fullmatch(text)
    if match is None:
        raise Unfit("a PCIe generation and a number of lanes, such as gen5 x16")
    return SlotSize(int(match[1]), int(match[2]))


def _make_pattern_check(pattern: re.Pattern[str], expected: str, hint: str | None = None) -> Callable[[Any], Any]:
    def check(text: Any) -> Any:
        if isinstance(text, str) and pattern.fullmatch(text) is None:
            raise Unfit(expected, hint)
        return text

    return check


def check_host_name(name: str) -> None:
    """Refuse a name that is no host name; names reach configuration files, ssh and shells.

    Raises:
        Unfit: the name is no RFC 1123 host name.
    """
    if _HOST_NAME.fullmatch(name) is None:
        raise Unfit("a host name of letters, digits, hyphens and dots", "names reach shells and configuration files")


def _make_schema(kind: str, **keywords: Any) -> WithJsonSchema:
    return WithJsonSchema({"type": kind, **keywords})


Whole = Annotated[int, BeforeValidator(_parse_whole), _make_schema("integer", minimum=0)]
Positive = Annotated[int, BeforeValidator(_parse_positive), _make_schema("integer", minimum=1)]
VlanNumber = Annotated[int, BeforeValidator(_parse_vlan), _make_schema("integer", minimum=1, maximum=_LAST_VLAN)]
TransferRate = Annotated[
    int,
    BeforeValidator(_parse_transfer_rate),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": r"^[1-9][0-9]* ?MT/s$"}]}
    ),
]
PcieBytes = Annotated[int, BeforeValidator(_parse_pcie_bytes), _make_schema("integer", enum=list(_PCIE_BYTES))]
ArpMode = Annotated[int, BeforeValidator(_parse_arp_mode), _make_schema("integer", enum=list(_ARP_MODES))]
UdpPort = Annotated[int, BeforeValidator(_parse_udp_port), _make_schema("integer", minimum=1, maximum=0xFFFF)]
Flag = Annotated[bool, BeforeValidator(_parse_flag), _make_schema("boolean")]
Percent = Annotated[
    int,
    BeforeValidator(_parse_percent),
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 100}, {"type": "string", "pattern": r"^[0-9]+ ?%$"}]}
    ),
]
Share = Annotated[
    int,
    BeforeValidator(lambda text: _parse_percent(text, minimum=1)),  # a queue without a share sends nothing
    WithJsonSchema(
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 100}, {"type": "string", "pattern": r"^[0-9]+ ?%$"}]}
    ),
]
OptionalPercent = Annotated[
    int | Literal["none"],
    BeforeValidator(lambda text: text if text == NOT_CONFIGURED else _parse_percent(text)),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 100},
                {"type": "string", "pattern": r"^([0-9]+ ?%|none)$"},
            ]
        }
    ),
]
OptionalWhole = Annotated[
    int | Literal["none"],
    BeforeValidator(lambda text: text if text == NOT_CONFIGURED else _parse_whole(text)),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 0}, {"const": "none"}]}),
]
BandwidthText = Annotated[
    Bandwidth, BeforeValidator(_make_quantity_parser(Bandwidth)), _make_schema("string", examples=["400 Gb/s"])
]
SizeText = Annotated[Size, BeforeValidator(_make_quantity_parser(Size)), _make_schema("string", examples=["1 MiB"])]
DurationText = Annotated[
    Duration, BeforeValidator(_make_quantity_parser(Duration)), _make_schema("string", examples=["200 ms"])
]
LengthText = Annotated[Length, BeforeValidator(_make_quantity_parser(Length)), _make_schema("string", examples=["3 m"])]
DscpNumber = Annotated[Dscp, BeforeValidator(_make_number_parser(Dscp)), _make_schema("integer", minimum=0, maximum=63)]
PriorityNumber = Annotated[
    Priority, BeforeValidator(_make_number_parser(Priority)), _make_schema("integer", minimum=0, maximum=7)
]
NicTrafficClassNumber = Annotated[
    NicTrafficClass,
    BeforeValidator(_make_number_parser(NicTrafficClass)),
    _make_schema("integer", minimum=0, maximum=7),
]
NicCosQueueNumber = Annotated[
    NicCosQueue, BeforeValidator(_make_number_parser(NicCosQueue)), _make_schema("integer", minimum=0, maximum=7)
]
SwitchTrafficClassNumber = Annotated[
    SwitchTrafficClass,
    BeforeValidator(_make_number_parser(SwitchTrafficClass)),
    _make_schema("integer", minimum=0, maximum=7),
]
SwitchQueueNumber = Annotated[
    SwitchQueue, BeforeValidator(_make_number_parser(SwitchQueue)), _make_schema("integer", minimum=0, maximum=7)
]
PriorityGroupNumber = Annotated[
    PriorityGroup, BeforeValidator(_make_number_parser(PriorityGroup)), _make_schema("integer", minimum=0, maximum=7)
]
Dscps = Annotated[
    frozenset[Dscp],
    BeforeValidator(_parse_dscps),
    WithJsonSchema(
        {"anyOf": [{"type": ["integer", "string"]}, {"type": "array", "items": {"type": ["integer", "string"]}}]}
    ),
]
Network = Annotated[
    IPv4Network | IPv6Network,
    BeforeValidator(_parse_network),
    _make_schema("string", examples=["10.1.0.0/16", "fd00::/48"]),
]
Network4 = Annotated[
    IPv4Network, BeforeValidator(_parse_ipv4_network), _make_schema("string", examples=["10.255.0.0/24"])
]
InterfaceAddress = Annotated[
    IPv4Interface | IPv6Interface,
    BeforeValidator(_parse_interface_address),
    _make_schema("string", examples=["10.1.0.1/31"]),
]
HostAddress = Annotated[
    IPv4Address | IPv6Address,
    BeforeValidator(_parse_host_address),
    _make_schema("string", examples=["10.1.0.254"]),
]
Hardware = Annotated[
    ModelCount, BeforeValidator(_parse_count), _make_schema("string", examples=["8 x broadcom-bcm957608-p1400gd"])
]
SlotText = Annotated[SlotSize, BeforeValidator(parse_slot), _make_schema("string", examples=["gen5 x8"])]
ModelName = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_MODEL, "a catalogue name of letters, digits, dots and hyphens")),
    _make_schema("string"),
]
VersionText = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_VERSION, "a version that begins with a digit, such as 11.4")),
    WithJsonSchema({"type": ["string", "number"]}),
]
ReleaseText = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_RELEASE, "a release that begins with a digit, such as 5.9, 4.33.1F, 10.4(3)")),
    WithJsonSchema({"type": ["string", "number"]}),
]
RevisionText = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_REVISION, "a tag or a commit, such as v2.13.6")),
    WithJsonSchema({"type": ["string", "number"]}),
]
GencodeText = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_GENCODE, "options of nvcc such as -gencode=arch=compute_35,code=sm_35")),
    _make_schema("string", examples=["-gencode=arch=compute_35,code=sm_35"]),
]
InterfaceName = Annotated[
    str,
    BeforeValidator(
        _make_pattern_check(_INTERFACE, "a network interface name of at most 15 letters, digits, _, . and -")
    ),
    _make_schema("string"),
]
DomainName = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_DOMAIN, "a domain name of letters, digits, dots and hyphens")),
    _make_schema("string", examples=["cluster.example"]),
]
PcieAddress = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_PCIE_ADDRESS, "a PCIe address such as 04:00.0 or 0000:04:00.0")),
    _make_schema("string", examples=["04:00.0"]),
]
PortName = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_PORT, "a port name such as Eth1/1 or Ethernet1/1")),
    _make_schema("string"),
]
PciId = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_PCI_ID, "numbers of vendor and device such as 10de:26b9")),
    _make_schema("string", examples=["10de:26b9"]),
]
CpuVendor = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_CPU_VENDOR, "amd or intel")),
    _make_schema("string", enum=["amd", "intel"]),
]
SourceText = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_SOURCE, "one line of at most 200 characters")),
    _make_schema("string"),
]
VariableName = Annotated[
    str,
    BeforeValidator(_make_pattern_check(_VARIABLE, "the name of an environment variable: letters, digits and _")),
    _make_schema("string"),
]
KernelParameter = Annotated[
    str,
    BeforeValidator(
        _make_pattern_check(
            _KERNEL_PARAMETER, "a parameter of the kernel command line, such as net.ifnames=0, without spaces"
        )
    ),
    _make_schema("string", examples=["net.ifnames=0"]),
]
Line = Annotated[
    str,
    BeforeValidator(
        _make_pattern_check(
            _LINE, "one line of at most 63 plain characters", "quotes and control characters reach configurations"
        )
    ),
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
