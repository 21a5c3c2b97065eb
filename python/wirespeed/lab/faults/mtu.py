"""A leaf port at MTU 1500: larger packets are dropped without a message, small packets pass.

Forgotten on one port, on a new switch, or after a port was exchanged. --device and --port name the port, or the NIC
that is cabled to it.
"""

from __future__ import annotations

from wirespeed.lab.faults.place import FaultPlace, cleanup_command, ip
from wirespeed.results.lab import LabFault

TITLE = "a leaf port with MTU 1500"

_ETHERNET = 1500  # IEEE 802.3, without jumbo frames


def make(place: FaultPlace) -> LabFault:
    """At the switch's end of a host's cable."""
    link = place.host_link()
    host = place.host_end(link)
    end = link.opposite_end(host.device)
    planned_mtu = place.plan.switches[end.device].ports[end.port].link.mtu or place.nic(host).link.mtu or _ETHERNET
    return LabFault(
        "mtu",
        f"{end.device}:{end.port}",
        f"{end.device}:{end.port}, the port of {place.nic_name(host)}: MTU 1500, larger packets are dropped",
        (
            *(cleanup_command(host_name, "route flush cache") for host_name in place.lab.hosts),
            ip(
                end.device,
                f"link set dev {end.interface} mtu {_ETHERNET}",
                f"link set dev {end.interface} mtu {planned_mtu}",
            ),
        ),
    )
