"""A leaf port that is down: the NIC behind it has no link, and its rail is dead.

--device and --port name the port, or the NIC that is cabled to it.
"""

from __future__ import annotations

import json

from wirespeed.lab.faults.place import FaultPlace, ip, keep_ipv6
from wirespeed.lab.lab import Lab
from wirespeed.reach import Status
from wirespeed.results.lab import LabFault

TITLE = "a leaf port that is down"


def make(place: FaultPlace) -> LabFault:
    """At the switch's end of a host's cable."""
    link = place.host_link()
    host = place.host_end(link)
    end = link.opposite_end(host.device)
    return LabFault(
        "port-down",
        f"{end.device}:{end.port}",
        f"{end.device}:{end.port}, the port of {place.nic_name(host)}, is down",
        (
            keep_ipv6(end.device, end.interface),
            ip(end.device, f"link set dev {end.interface} down", f"link set dev {end.interface} up"),
        ),
    )


def has_settled(lab: Lab, fault: LabFault) -> bool:
    """Whether the host's daemon has reacted: it removes the addresses."""
    device, port = fault.place.split(":", 1)
    link = next(candidate for candidate in lab.list_links(device) if candidate.end(device).port == port)
    end = link.opposite_end(device)
    ran = lab.run(end.device, "ip", "-json", "address", "show", "dev", end.interface, "scope", "global")
    return ran.status is not Status.OK or not any(entry.get("addr_info") for entry in json.loads(ran.stdout or "[]"))
