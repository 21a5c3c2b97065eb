"""The source rule of one NIC is deleted: what it sends finds no table, or another NIC's.

The rules were flushed, or one NIC was set up by hand. Pings may still come back, over another NIC. --device and --port
name the NIC.
"""

from __future__ import annotations

from ipaddress import ip_interface

from wirespeed.errors import refuse
from wirespeed.lab.faults.place import FaultPlace, cleanup_command, ip
from wirespeed.results.lab import LabFault

TITLE = "the routing rule of a NIC is missing"


def make(place: FaultPlace) -> LabFault:
    """Every planned rule from an address of the NIC."""
    host = place.host_end(place.host_link())
    rules = place.plan.hosts[host.device].rules
    acts = []
    for address in place.nic(host).addresses or ():
        nic_address = ip_interface(address)
        selector = f"from {nic_address.ip}/{nic_address.max_prefixlen}"
        rule = rules.get(selector)
        if rule is not None:
            arguments = f"{selector} table {rule.table} priority {rule.priority}"
            acts.append(ip(host.device, f"rule del {arguments}", version=f"-{nic_address.version}"))
    if not acts:
        raise refuse(f"{host.device}:{host.port}", "no planned rule from its address", "a NIC with a source rule")
    removed_rules = ", ".join(" ".join(act.do[4:6]) for act in acts)
    # A rule added by hand is not managed by networkd and would stay after the link goes down. When the link comes up
    # again, networkd adds all rules, so a link flap removes the fault.
    recovery = [cleanup_command(host.device, f"link set dev {host.interface} {state}") for state in ("up", "down")]
    return LabFault(
        "missing-rule",
        f"{host.device}:{host.port}",
        f"{host.device} has no rule {removed_rules}, the address of {place.nic_name(host)}",
        (*recovery, *acts),
    )
