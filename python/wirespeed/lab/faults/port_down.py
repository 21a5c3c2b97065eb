"""A leaf port that is down: the NIC behind it has no link, and its rail is dead.

--device and --port name the port, or the NIC that is cabled to it.
"""

from __future__ import annotations

from wirespeed.lab.faults.where import Where, ip, keep_ipv6
from wirespeed.results.lab import LabFault

TITLE = "a leaf port that is down"


def make(where: Where) -> LabFault:
    """At the switch's end of a host's cable."""
    link = where.host_link()
    host = where.host_end(link)
    end = link.other(host.device)
    return LabFault(
        "port-down",
        f"{end.device} {end.port}",
        f"{end.device} {end.port} is down, and so is the link of {host.device} {host.port}",
        (
            keep_ipv6(end.device, end.interface),
            ip(end.device, f"link set dev {end.interface} down", f"link set dev {end.interface} up"),
        ),
    )
