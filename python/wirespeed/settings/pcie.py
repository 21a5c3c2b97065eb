"""PCI Express.

A function that was found is named by its address, ``0000:1d:00.0``. A planned function has no address: it is named by
its position in the server, and `wirespeed.plan.locate` replaces the position by the address found there.

* ``root1``: the first root port
* ``switch1``: the upstream port of the first PCIe switch
* ``switch1/port2``: its second downstream port
* ``switch1/port2.0``: function 0 of the card or GPU below that port; the ports of a NIC card are functions 0, 1, …
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, TypeGuard

from wirespeed.settings.model import Compare, Setting

_BDF = re.compile(r"(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


def bdf(text: str) -> str:
    """A PCI address in its full lower-case form, ``0000:1d:00.0``. The domain is optional; nvidia-smi prints 8 digits.

    Raises:
        ValueError: the text is no PCI address.
    """
    match = _BDF.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no PCI address, such as '0000:1d:00.0'")
    domain, bus, device, function = match.groups()
    return f"{int(domain or '0', 16):04x}:{bus}:{device}.{function}".lower()


def is_address(name: str | None) -> TypeGuard[str]:
    """Whether a function's name is an address in its full form, not a position."""
    return name is not None and _BDF.fullmatch(name) is not None and name == bdf(name)


def parse_function(name: str) -> int:
    """The number of a function on its card, from its address or its position."""
    return int(name.rpartition(".")[2])


@dataclass(frozen=True, slots=True)
class PcieLink:
    """The PCIe link of a function."""

    speed: Annotated[
        int | None, Setting("signalling rate, for example 32000 for 32 GT/s", "MT/s", Compare.AT_LEAST, observed=True)
    ] = None
    width: Annotated[int | None, Setting("lanes", "lanes", Compare.AT_LEAST, observed=True)] = None
    capable_speed: Annotated[int | None, Setting("highest signalling rate of the function", "MT/s", Compare.NONE)] = (
        None
    )
    capable_width: Annotated[int | None, Setting("largest number of lanes of the function", "lanes", Compare.NONE)] = (
        None
    )


@dataclass(frozen=True, slots=True)
class PcieFunction:
    """A PCIe bridge or endpoint. Its name is its address, ``0000:1d:00.0``, or its planned position."""

    kind: ClassVar[str] = "pcie"

    description: Annotated[str | None, Setting("description of the function by lspci", compare=Compare.NONE)] = None
    device_class: Annotated[
        str | None,
        Setting("class and subclass code: 0200 is an Ethernet controller", compare=Compare.NONE),
    ] = None
    device_ids: Annotated[
        frozenset[str] | None,
        Setting(
            "numbers of vendor and device, 1002:74a1; planned: those of every variant of the model",
            compare=Compare.WITHIN,
            observed=True,
        ),
    ] = None
    subsystem_id: Annotated[
        str | None, Setting("numbers of the card's vendor and of the card, 11c8:0930", compare=Compare.NONE)
    ] = None
    role: Annotated[str | None, Setting("root-port, switch-upstream, switch-downstream or endpoint", observed=True)] = (
        None
    )
    parent: Annotated[str | None, Setting("address or position of the bridge above", compare=Compare.NONE)] = None
    switch: Annotated[
        str | None,
        Setting(
            "nearest PCIe switch above, by position: functions of one switch exchange data below the root complex",
            compare=Compare.NONE,
        ),
    ] = None
    acs_capable: Annotated[
        bool | None, Setting("whether the function has the ACS capability; firmware may hide it", compare=Compare.NONE)
    ] = None
    acs: Annotated[
        frozenset[str] | None,
        Setting("enabled Access Control Services, as lspci names them: SrcValid, ReqRedir, UpstreamFwd, …"),
    ] = None
    link: PcieLink = field(default_factory=PcieLink)
    max_payload: Annotated[int | None, Setting("MaxPayload in use", "bytes", Compare.AT_LEAST, observed=True)] = None
    max_read_request: Annotated[int | None, Setting("MaxReadReq in use", "bytes", Compare.AT_LEAST, observed=True)] = (
        None
    )
    relaxed_ordering: Annotated[bool | None, Setting("Enable Relaxed Ordering in the device control register")] = None
    numa_node: Annotated[int | None, Setting("NUMA node of the function", compare=Compare.NONE)] = None
    socket: Annotated[int | None, Setting("CPU socket of the function, from 0", compare=Compare.NONE)] = None


def list_bridges(functions: Mapping[str, PcieFunction], name: str | None) -> tuple[str, ...]:
    """The bridges above a function, from the lowest. Empty if none is known."""
    names: list[str] = []
    function = functions.get(name) if name else None
    while function is not None and function.parent is not None and function.parent not in names:
        names.append(function.parent)
        function = functions.get(function.parent)
    return tuple(names)


def find_common_bridge(functions: Mapping[str, PcieFunction], first: str | None, second: str | None) -> str | None:
    """The lowest bridge above two functions. None: their traffic passes the root complex."""
    above = list_bridges(functions, second)
    return next((bridge for bridge in list_bridges(functions, first) if bridge in above), None)


def list_acs_bridges(functions: Mapping[str, PcieFunction]) -> tuple[PcieFunction, ...]:
    """The bridges with a planned ACS control register, which a boot service sets."""
    return tuple(
        function for function in functions.values() if function.acs is not None and function.role != "endpoint"
    )
