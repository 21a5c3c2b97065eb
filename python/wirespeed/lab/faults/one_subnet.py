"""All NICs of the hosts under a leaf are in one subnet, and the kernel replies to ARP with its default settings.

One VLAN and one subnet for all rails looks simple. Then every NIC of a host replies for every address of the host (ARP
flux): other hosts learn one MAC address for several NICs and send all traffic to that NIC. --mitigate keeps the subnet
and sets arp_ignore and arp_announce as planned: each NIC replies for its addresses only. --device names the leaf.
"""

from __future__ import annotations

import json
import re
from typing import Any

from wirespeed.errors import refuse
from wirespeed.lab.faults.place import FaultPlace, cleanup_command, ip, parameter
from wirespeed.lab.lab import Lab
from wirespeed.reach import Status
from wirespeed.results.lab import LabAct, LabEnd, LabFault

TITLE = "all NICs of the hosts under a leaf in one subnet, with default ARP settings (ARP flux)"

_BRIDGE = "one-subnet"
_NETWORK = "198.18"  # RFC 2544, C.2.2: reserved for network tests; a host's number and a NIC's follow
_BITS = 16
_ARP = ("arp_ignore", "arp_announce")
_REPLY = re.compile(r"reply from \S+ \[([0-9A-Fa-f:]+)\]")  # arping(8) of iputils
_PING_S = 10


def make(place: FaultPlace) -> LabFault:
    """A bridge of all host ports of the leaf, with the addresses of the leaf, and a further address for each NIC."""
    leaf, ends = _select_leaf(place)
    acts = [ip(leaf, f"link add name {_BRIDGE} type bridge", f"link del dev {_BRIDGE}")]
    links = {link["ifname"]: link for link in _run_ip_json(place.lab, leaf, "address", "show")}
    moved_ports = [
        link.opposite_end(end.device).interface for end, link in ((end, _find_link(place, end)) for end in ends)
    ]
    address_interfaces = dict.fromkeys(
        [*moved_ports, *(links[port]["master"] for port in moved_ports if "master" in links[port])]
    )
    for interface in address_interfaces:
        for address in links[interface].get("addr_info", ()):
            if address["scope"] == "global":
                assignment = f"{address['local']}/{address['prefixlen']}"
                version = "-6" if address["family"] == "inet6" else "-4"
                acts.append(
                    ip(
                        leaf,
                        f"address del {assignment} dev {interface}",
                        f"address add {assignment} dev {interface}",
                        version,
                    )
                )
                acts.append(ip(leaf, f"address add {assignment} dev {_BRIDGE}", version=version))
    for port in moved_ports:
        old = f"master {links[port]['master']}" if "master" in links[port] else "nomaster"
        acts.append(ip(leaf, f"link set dev {port} master {_BRIDGE}", f"link set dev {port} {old}"))
    # A router that forwards out of the ingress interface sends ICMP redirects, which hosts would keep using.
    acts += [parameter(leaf, f"net/ipv4/conf/{name}/send_redirects", "0", "1") for name in ("all", "default")]
    acts += [parameter(leaf, f"net/ipv4/conf/{_BRIDGE}/send_redirects", "0")]
    acts.append(ip(leaf, f"link set dev {_BRIDGE} up"))
    hosts = list(dict.fromkeys(end.device for end in ends))
    mitigation: list[LabAct] = []
    for number, host in enumerate(hosts, start=1):
        host_ends = [end for end in ends if end.device == host]
        for index, end in enumerate(host_ends, start=1):
            assignment = f"{_NETWORK}.{number}.{index}/{_BITS} dev {end.interface}"
            acts.append(ip(host, f"address add {assignment}", f"address del {assignment}"))
        for name in ("all", *(end.interface for end in host_ends)):
            for key in _ARP:
                planned_parameter = place.plan.hosts[host].sysctls.get(f"net.ipv4.conf.{name}.{key}")
                value = (
                    planned_parameter.value
                    if planned_parameter is not None and planned_parameter.value is not None
                    else "0"
                )
                path = f"net/ipv4/conf/{name}/{key}"
                acts.append(parameter(host, path, "0", value))
                mitigation.append(parameter(host, path, value))
    flush = [ip(device, "neigh flush all") for device in (leaf, *hosts)]
    return LabFault(
        "one-subnet",
        leaf,
        f"all NICs of {', '.join(hosts)} under {leaf} are in one subnet, {_NETWORK}.0.0/{_BITS}; "
        "each replies to ARP for all",
        (*(cleanup_command(device, "neigh flush all") for device in (leaf, *hosts)), *acts, *flush),
        (*mitigation, *flush),
    )


def show(lab: Lab, fault: LabFault) -> list[str]:
    """The MAC addresses that the first host learns for the NICs of the second, and the ARP replies for one address."""
    addresses: dict[str, dict[str, str]] = {}
    for act in fault.acts:
        if act.do[2:4] == ("address", "add") and act.do[4].startswith(_NETWORK):
            addresses.setdefault(act.device, {})[act.do[6]] = act.do[4].partition("/")[0]
    requester, target = list(addresses)[:2]
    interface = next(iter(addresses[requester]))
    for host, peer in ((requester, target), (target, requester)):
        script = 'for one; do ping -nq -c1 -W1 "$one" & done; wait'
        lab.run(host, "sh", "-c", script, "show", *addresses[peer].values(), timeout_s=_PING_S)
    table = _run_ip_json(lab, requester, "neigh", "show", "dev", interface)
    mac_by_address = {
        row["dst"]: row["lladdr"] for row in table if row["dst"] in addresses[target].values() and "lladdr" in row
    }
    macs = len(set(mac_by_address.values()))
    symptoms = [
        f"{requester} resolves {len(mac_by_address)} addresses of {target} "
        f"to {macs} MAC address{'' if macs == 1 else 'es'} (ip neigh)"
    ]
    address = list(addresses[target].values())[-1]
    ran = lab.run(requester, "arping", "-b", "-w1", "-I", interface, address, timeout_s=_PING_S)
    if ran.status is Status.OK or ran.stdout:
        replies = _REPLY.findall(ran.stdout.decode("utf-8", "replace"))
        nics = f"{len(set(replies))} NIC{'' if len(set(replies)) == 1 else 's'}"
        symptoms.append(f"{nics} of {target} replied to ARP for {address} (arping)")
    return symptoms


def _select_leaf(place: FaultPlace) -> tuple[str, list[LabEnd]]:
    """A leaf with two hosts of which one has several NICs there, and the hosts' ends of its cables.

    Raises:
        Refusal: there is no such leaf, or the selected one is not suitable.
    """
    lab = place.lab
    ends: dict[str, list[LabEnd]] = {}
    for link in lab.links:
        for end, other_end in ((link.a, link.b), (link.b, link.a)):
            if end.device in lab.hosts and other_end.device in lab.switches:
                ends.setdefault(other_end.device, []).append(end)
    fit = {
        leaf: leaf_ends
        for leaf, leaf_ends in ends.items()
        if len({end.device for end in leaf_ends}) > 1 and len(leaf_ends) > len({end.device for end in leaf_ends})
    }
    if place.device is not None and lab.device(place.device).name not in fit:
        problem = f"{place.device}, which has no two hosts with several NICs"
        raise refuse("--device", problem, "a leaf that has", f"there is {', '.join(fit) or 'none'}")
    if not fit:
        raise refuse(f"lab {lab.name}", "no leaf with several NICs of one host", "one, and a second host on it")
    leaf = place.device or next(iter(fit))
    return leaf, fit[leaf]


def _find_link(place: FaultPlace, end: LabEnd) -> Any:
    return next(link for link in place.lab.list_links(end.device) if link.end(end.device) == end)


def _run_ip_json(lab: Lab, device: str, *arguments: str) -> list[dict[str, Any]]:
    ran = lab.run(device, "ip", "-json", *arguments)
    if ran.status is not Status.OK:
        raise refuse(device, f"ip {' '.join(arguments)}: {ran.detail}", "an answer")
    rows: list[dict[str, Any]] = json.loads(ran.stdout or "[]")
    return rows
