"""Attributes that a person sets in the menus of a host's firmware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from wirespeed.settings.model import Compare, Setting

_SWITCH = ("enabled", "disabled")
BIOS_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "smt": _SWITCH,  # two hardware threads on each core
    "virtualization": _SWITCH,  # virtual machines, and with it DMA remapping where the firmware has one switch for both
    "sub-numa": _SWITCH,  # several NUMA nodes on a socket (Intel)
    "nps": ("0", "1", "2", "4"),  # NUMA nodes on a socket (AMD)
    "memory-interleaving": ("auto",),  # consecutive addresses on several channels (Broadcom 957608-AN210, 5.1, item 8)
    "core-enumeration": ("linear", "round-robin"),  # order in which the cores of the sockets are numbered
    "sr-iov": _SWITCH,
    "above-4g-decoding": _SWITCH,  # device memory at addresses of more than 32 bits
    "iommu": _SWITCH,
    "x2apic": _SWITCH,  # interrupts addressed with 32 bits
    "system-profile": ("performance", "balanced", "custom"),
    "workload-profile": ("not-configured",),
    "determinism": ("performance", "power"),  # the same clock on every processor, or the highest that its power allows
    "power-limit-control": _SWITCH,  # a limit of the socket's power other than the default
    "fixed-p-state": _SWITCH,  # performance state of the data fabric
    "c-states": _SWITCH,
    "power-on-delay": ("immediate", "random", "user"),  # delay after mains power is restored
}
"""Each attribute and the values that a plan can require. Firmware may offer more."""

BIOS_CPU_VENDORS: Final[Mapping[str, str]] = {
    "sub-numa": "intel",
    "nps": "amd",
    "determinism": "amd",
    "power-limit-control": "amd",
    "fixed-p-state": "amd",
}
"""Attributes that only the processors of one vendor have."""


@dataclass(frozen=True, slots=True)
class BiosAttribute:
    """An attribute of a host's firmware. Its name is a key of `BIOS_VALUES`, not the vendor's name."""

    kind: ClassVar[str] = "bios"

    value: Annotated[str | None, Setting("value; as the firmware names it if not in `BIOS_VALUES`")] = None
    menu: Annotated[str | None, Setting("path in the firmware's menus", compare=Compare.NONE)] = None
    menu_value: Annotated[str | None, Setting("name of the value in the menu", compare=Compare.NONE)] = None
    why: Annotated[str | None, Setting("purpose", compare=Compare.NONE)] = None
    source: Annotated[str | None, Setting("source of the value", compare=Compare.NONE)] = None
    verified: Annotated[bool | None, Setting("certainty of the attribute's name", compare=Compare.NONE)] = None
