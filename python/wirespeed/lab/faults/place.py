"""Place of a fault in a lab."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.errors import did_you_mean, refuse
from wirespeed.lab.lab import Lab
from wirespeed.plan import Plan
from wirespeed.results.lab import LabAct, LabEnd, LabLink
from wirespeed.settings import Nic


@dataclass(frozen=True, slots=True)
class FaultPlace:
    """A lab, its plan, and the selected device and port, if any."""

    lab: Lab
    plan: Plan
    device: str | None = None
    port: str | None = None

    def host_link(self) -> LabLink:
        """The selected cable of a host, by either end. Default: the first cable of the first host.

        Raises:
            Refusal: no cable matches.
        """
        links = [link for link in self.lab.links if self._host_end(link) is not None]
        if self.device is not None:
            device = self.lab.device(self.device).name
            links = [link for link in links if device in (link.a.device, link.b.device)]
        if self.port is not None:
            links = self._filter_by_port(links, self.port)
        if not links:
            raise refuse(f"lab {self.lab.name}", f"no cable of a host on {self.device or 'any device'}", "one")
        return links[0]

    def host_end(self, link: LabLink) -> LabEnd:
        """The host's end of a cable of `host_link`."""
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
        """The host's end of a cable between a host and a switch, else None."""
        ends = [end for end in (link.a, link.b) if end.device in self.lab.hosts]
        return ends[0] if len(ends) == 1 else None

    def _filter_by_port(self, links: list[LabLink], port: str) -> list[LabLink]:
        """Links with a port of this name: planned name, kernel name, or RDMA device of the NIC."""
        matching_links = [link for link in links if port in self._list_names(link)]
        if not matching_links:
            port_names = [name for link in links for name in sorted(self._list_names(link))]
            hint = did_you_mean(port, port_names) or f"there are {', '.join(port_names[:8])}"
            raise refuse("--port", repr(port), "a port with a cable to a host", hint)
        return matching_links

    def _list_names(self, link: LabLink) -> set[str]:
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


def parameter(device: str, key: str, value: str, previous_value: str | None = None) -> LabAct:
    """Set a kernel parameter below /proc/sys in a device; the key has slashes."""
    return LabAct(
        device,
        _write_parameter(key, value),
        _write_parameter(key, previous_value) if previous_value is not None else (),
    )


def _write_parameter(key: str, value: str) -> tuple[str, ...]:
    return ("sh", "-ec", 'printf %s "$2" >"/proc/sys/$1"', "set", key, value)


def keep_ipv6(device: str, interface: str) -> LabAct:
    """Keep the IPv6 addresses of an interface that goes down (ip-sysctl, keep_addr_on_down)."""
    return parameter(device, f"net/ipv6/conf/{interface}/keep_addr_on_down", "1")
