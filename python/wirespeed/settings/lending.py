"""PCIe devices that hosts lend each other over non-transparent bridges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from wirespeed.settings.model import Compare, Setting
from wirespeed.units import Size


@dataclass(frozen=True, slots=True)
class Ntb:
    """A non-transparent bridge: it connects the PCIe of two hosts. Its name is its number, from 1."""

    kind: ClassVar[str] = "ntb"

    node_id: Annotated[int | None, Setting("node ID of the host in the PCIe cluster")] = None
    prefetch: Annotated[
        Size | None, Setting("prefetchable memory window for borrowed devices", "bytes", Compare.AT_LEAST)
    ] = None
    members: Annotated[
        tuple[str, ...] | None,
        Setting("hosts of the PCIe cluster, in the order of their node IDs", compare=Compare.NONE),
    ] = None


@dataclass(frozen=True, slots=True)
class Loan:
    """A device that is lent or borrowed. Its name is its ID on both hosts."""

    kind: ClassVar[str] = "loan"

    borrowed: Annotated[bool | None, Setting("direction: borrowed or lent by this host", compare=Compare.NONE)] = None
    device: Annotated[str | None, Setting("PCIe address in the lending host", compare=Compare.NONE)] = None
    peer: Annotated[int | None, Setting("node ID of the other host", compare=Compare.NONE)] = None
    window: Annotated[
        Size | None, Setting("memory of the borrower within reach of the device", "bytes", Compare.NONE)
    ] = None
    listed: Annotated[bool | None, Setting("presence in the host's list of lent or borrowed devices")] = None
    state: Annotated[str | None, Setting("state as reported by the tool", compare=Compare.NONE)] = None
    gpu: Annotated[bool | None, Setting("whether the device is a GPU", compare=Compare.NONE)] = None
