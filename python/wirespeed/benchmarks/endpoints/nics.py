"""Find NICs of the plan by name, device or address, and their speed and PCIe slots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.errors import did_you_mean, format_first, refuse
from wirespeed.limits import pcie
from wirespeed.limits.impact import gpu_function, nic_function
from wirespeed.limits.nic import build_path, build_slot, catalogue_speed
from wirespeed.plan import Plan
from wirespeed.settings import Nic
from wirespeed.units import Bandwidth


@dataclass(frozen=True, slots=True)
class NicLocation:
    """One NIC of the plan."""

    host: str
    interface: str
    nic: Nic

    @property
    def port(self) -> str:
        """``node1:enp29s0np0``, as users name it."""
        return f"{self.host}:{self.interface}"

    def __str__(self) -> str:
        return f"{self.host}:{self.nic.rdma_device or self.interface}"


def list_nics(plan: Plan) -> Iterator[NicLocation]:
    """All NICs of the plan."""
    for host, settings in plan.hosts.items():
        for interface, nic in settings.nics.items():
            yield NicLocation(host, interface, nic)


def named_ends(plan: Plan, source: str | None, target: str | None) -> list[NicLocation]:
    """The NICs that the user names with --from and --to, if any.

    Raises:
        Refusal: one is named in another form, or the plan has no such host or NIC.
    """
    return [
        nic_named(plan, option, name) for option, name in (("--from", source), ("--to", target)) if name is not None
    ]


def nic_named(plan: Plan, option: str, name: str) -> NicLocation:
    """The NIC that a user names as HOST:NIC, by its interface or its RDMA device.

    Raises:
        Refusal: the name has another form, or the plan has no such host or NIC.
    """
    host, _, device = name.partition(":")
    if not host or not device:
        raise refuse(option, repr(name), _EXPECTED, _suggest_spelling(plan, name.strip(":")))
    if host in plan.switches:
        raise refuse(option, f"{host}, a switch", _EXPECTED)
    if host not in plan.hosts:
        raise refuse(option, f"host {host!r}", f"a host of {plan.name}", did_you_mean(host, list(plan.hosts)))
    for nic in list_nics(plan):
        if nic.host == host and device in (nic.interface, nic.nic.rdma_device):
            return nic
    nics_of_host = [nic for nic in list_nics(plan) if nic.host == host]
    names = [name for nic in nics_of_host for name in (nic.interface, nic.nic.rdma_device) if name]
    hint = did_you_mean(device, names) or _format_nics(plan, host)
    raise refuse(option, f"NIC {device!r}", f"a NIC of {host}", hint)


_EXPECTED = "HOST:NIC, such as node1:enp29s0np0"


def _suggest_spelling(plan: Plan, name: str) -> str | None:
    """A hint for a name without colon: of a host, of a NIC, or of both with a slash between them."""
    if name in plan.hosts:
        return _format_nics(plan, name)
    host, slash, device = name.partition("/")
    if slash and host in plan.hosts:
        return f"did you mean '{host}:{device}'?"
    hosts = [nic.host for nic in list_nics(plan) if name in (nic.interface, nic.nic.rdma_device)]
    return f"name its host: {format_first([f'{host}:{name}' for host in hosts], 2)}" if hosts else None


def _format_nics(plan: Plan, host: str) -> str:
    nics = [nic for nic in list_nics(plan) if nic.host == host]
    names = (f"{nic.interface} ({nic.nic.rdma_device})" if nic.nic.rdma_device else nic.interface for nic in nics)
    return f"its NICs are {', '.join(names)}"


def nic_with_device(plan: Plan, device: str) -> NicLocation | None:
    """The first NIC with an RDMA device or interface of this name."""
    return next((nic for nic in list_nics(plan) if device in (nic.nic.rdma_device, nic.interface)), None)


def nic_with_address(plan: Plan, address: str) -> NicLocation | None:
    """The NIC with this IP address."""
    for location in list_nics(plan):
        if any(nic_address.partition("/")[0] == address for nic_address in location.nic.addresses or ()):
            return location
    return None


def nic_speed(plan: Plan, location: NicLocation) -> Bandwidth | None:
    """The speed of a NIC: as planned, else by the catalogue."""
    return catalogue_speed(plan, location.nic) if location.nic.link.speed is None else location.nic.link.speed


def nic_slot(plan: Plan, location: NicLocation, assumptions: list[str]) -> pcie.Slot | None:
    """The PCIe slot of a NIC, None where neither plan nor catalogue know it."""
    return build_slot(nic_function(plan, location.host, location.nic), assumptions)


def gpu_slot(plan: Plan, host: str, gpu: str | None, assumptions: list[str]) -> pcie.Slot | None:
    """The PCIe slot of a GPU, None where neither plan nor catalogue know it."""
    return build_slot(gpu_function(plan, host, gpu), assumptions) if gpu else None


def planned_path_mtu(plan: Plan, location: NicLocation) -> int | None:
    """The RDMA path MTU a NIC is planned to have, bytes."""
    path = build_path(location.nic, [], speed=nic_speed(plan, location))
    return path.path_mtu if path else None
