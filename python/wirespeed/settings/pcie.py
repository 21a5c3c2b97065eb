"""PCI Express."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from wirespeed.settings.model import Compare, Setting

_BDF = re.compile(r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")


def bdf(text: str) -> str:
    """A PCI address in its full lower-case form, ``0000:1d:00.0``; the domain is optional.

    Raises:
        ValueError: the text is no PCI address.
    """
    match = _BDF.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no PCI address, such as '0000:1d:00.0'")
    domain, bus, device, function = match.groups()
    return f"{domain or '0000'}:{bus}:{device}.{function}".lower()


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
    """A PCIe bridge or endpoint. Its name is its address, ``0000:1d:00.0``."""

    kind: ClassVar[str] = "pcie"

    description: Annotated[str | None, Setting("description of the function by lspci", compare=Compare.NONE)] = None
    role: Annotated[str | None, Setting("root-port, switch-upstream, switch-downstream or endpoint", observed=True)] = (
        None
    )
    parent: Annotated[str | None, Setting("address of the bridge above", compare=Compare.NONE)] = None
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
