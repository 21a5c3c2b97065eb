"""PCIe devices that hosts lend each other over non-transparent bridges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from wirespeed.settings.model import Compare, Setting
from wirespeed.units import Size


@dataclass(frozen=True, slots=True)
class Ntb:
    """A non-transparent bridge: it shows a host the PCIe of another. Its name is its number, from 1."""

    kind: ClassVar[str] = "ntb"

    node_id: Annotated[int | None, Setting("number of the host in the PCIe cluster")] = None
    prefetch: Annotated[
        Size | None, Setting("prefetchable memory it takes, which holds what is borrowed", "bytes", Compare.AT_LEAST)
    ] = None


@dataclass(frozen=True, slots=True)
class Loan:
    """A device that is lent or borrowed. Its name is its ID on both hosts."""

    kind: ClassVar[str] = "loan"

    borrowed: Annotated[bool | None, Setting("whether this host borrows it, or lends it", compare=Compare.NONE)] = None
    device: Annotated[str | None, Setting("PCIe address in the host that lends it", compare=Compare.NONE)] = None
    peer: Annotated[int | None, Setting("number of the other host", compare=Compare.NONE)] = None
    window: Annotated[
        Size | None, Setting("memory of the borrower that the device can reach", "bytes", Compare.NONE)
    ] = None
    listed: Annotated[bool | None, Setting("whether the host lists it as lent or borrowed")] = None
    state: Annotated[str | None, Setting("its state, as the tool reports it", compare=Compare.NONE)] = None
