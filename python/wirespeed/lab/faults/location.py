"""Where in a lab a fault is made."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.errors import did_you_mean, refuse
from wirespeed.lab.lab import Lab
from wirespeed.plan import Plan
from wirespeed.results.lab import LabAct, LabEnd, LabLink
from wirespeed.settings import Nic


@dataclass(frozen=True, slots=True)
class FaultLocation:
    """A lab, its plan, and the selected device and port, if any."""

    lab: Lab
    plan: Plan
    device: str | None = None
    port: str | None = None

    def host_link(self) -> LabLink:
        """The cable of a host that is meant, by either of its ends; the first of the first host for none.

        Raises:
            Refusal: there is none such.
        """
        links = [link for link in self.lab.links if self._host_end(link) is not None]
        if self.device is not None:
            device = self.lab.device(self.device).name
            links = [link for link in links if device in (link.a.device, link.b.device)]
        if self.port is not None:
            links = self._at_port(links, self.port)
        if not links:
            raise refuse(f"lab {self.lab.name}", f"no cable of a host on {self.device or 'any device'}", "one")
        return links[0]

    def host_end(self, link: LabLink) -> LabEnd:
        """The host's end of a cable that `host_link` gave."""
        end = self._host_end(link)
        assert end is not None
        return end

    def nic(self, end: LabEnd) -> Nic:
        """The planned NIC at a host's end of a cable."""
        return self.plan.hosts[end.device].nics[end.port]

    def nic_name(self, end: LabEnd) -> str:
        """``node2:enp105s0np0 (bnxt_re3)``: the NIC at a host's end of a cable."""
        device = self.nic(end).rdma_device
        return f"{end.device}:{end.port}" + (f" ({device})" if device else "")

    def _host_end(self, link: LabLink) -> LabEnd | None:
        """Of a cable between a host and a switch."""
        ends = [end for end in (link.a, link.b) if end.device in self.lab.hosts]
        return ends[0] if len(ends) == 1 else None

    def _at_port(self, links: list[LabLink], port: str) -> list[LabLink]:
        """By the port's name, the kernel's name for it, or that of the NIC's RDMA device."""
        found = [link for link in links if port in self._names(link)]
        if not found:
            known = [name for link in links for name in sorted(self._names(link))]
            hint = did_you_mean(port, known) or f"there are {', '.join(known[:8])}"
            raise refuse("--port", repr(port), "a port with a cable to a host", hint)
        return found

    def _names(self, link: LabLink) -> set[str]:
        ends = [end for end in (link.a, link.b) if self.device in (None, end.device)]
        names = {name for end in ends for name in (end.port, end.interface)}
        return names | {
            device for end in ends if end.device in self.lab.hosts and (device := self.nic(end).rdma_device)
        }


def ip(device: str, do: str, undo: str = "", version: str = "-4") -> LabAct:
    """Arguments of `ip` inside a device, and those that undo it. No argument contains a blank."""
    return LabAct(device, ("ip", version, *do.split()), ("ip", version, *undo.split()) if undo else ())


def cleanup_command(device: str, arguments: str) -> LabAct:
    """Arguments of `ip` for the removal only, such as flushing learnt entries; the first act is undone last."""
    return LabAct(device, ("true",), ("ip", *arguments.split()))


def parameter(device: str, key: str, value: str, before: str | None = None) -> LabAct:
    """A kernel parameter below /proc/sys inside a device: a key with slashes."""
    return LabAct(device, _write(key, value), _write(key, before) if before is not None else ())


def _write(key: str, value: str) -> tuple[str, ...]:
    return ("sh", "-ec", 'printf %s "$2" >"/proc/sys/$1"', "set", key, value)


def keep_ipv6(device: str, interface: str) -> LabAct:
    """An interface that goes down loses its IPv6 addresses otherwise (ip-sysctl, keep_addr_on_down)."""
    return parameter(device, f"net/ipv6/conf/{interface}/keep_addr_on_down", "1")
