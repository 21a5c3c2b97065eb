"""ARP resolution of the NIC's addresses

All other hosts resolve the NIC's addresses to the NIC's own MAC address.

Impact:
    By default Linux answers an ARP request on any interface for any address of the host (ARP flux). If several NICs of
    a host are in one subnet, all of them answer and the last answer is used: the traffic of all rails goes to one NIC.

Fix:
    Set arp_ignore and arp_announce as planned (address.arp), then flush the neighbour tables of the other hosts: ip
    neigh flush all. If another host answers, two hosts have the same address.

Example:
    $ ip neigh
    10.9.0.21 dev eth1 lladdr 02:00:00:00:02:08 REACHABLE
    10.9.0.22 dev eth1 lladdr 02:00:00:00:02:08 REACHABLE

Source:
    Broadcom 957608-AN210, 2.4; RFC 826; Linux Documentation/networking/ip-sysctl.rst, arp_ignore
"""

from __future__ import annotations

from wirespeed.checks.model import CheckContext, InapplicableError, NoIntentError, Outcome, failure, success
from wirespeed.errors import format_first
from wirespeed.results.findings import Fix
from wirespeed.settings import Host, Nic, Place

subject = Nic
needs = ("nic.mac", "nic.addresses", "host.neighbours", "neighbour.mac")
failures = ("OS-04",)


def check(context: CheckContext) -> Outcome:
    """By the neighbour tables of all other hosts. A host without an entry for an address proves nothing about it."""
    nic_mac = context.get_found_value("nic.mac")
    entries_by_address = context.facts.neighbour_entries
    addresses = [address.partition("/")[0] for address in context.get_found_value("nic.addresses")]
    entries = [(address, entry) for address in addresses for entry in entries_by_address.get(address, ())]
    entries = [(address, entry) for address, entry in entries if entry.device != context.place.device]
    if not entries:
        _are_read(context)
        raise InapplicableError("no other host that was read has resolved an address of the NIC")
    wrong = [
        (address, entry, mac)
        for address, entry in entries
        if (mac := context.get_found_value("neighbour.mac", entry)) != nic_mac
    ]
    if not wrong:
        return success(
            nic_mac, f"{nic_mac}, resolved by {format_first(sorted({entry.device for _, entry in entries}), 3)}"
        )
    nics = {nic.mac: name for name, nic in _find_host(context).nics.items()}
    foreign = any(mac not in nics for _, _, mac in wrong)
    found = "; ".join(
        dict.fromkeys(
            f"{entry.device} resolves {address} to {mac}{_format_interface(nics.get(mac))}"
            for address, entry, mac in wrong
        )
    )
    responder = "another device" if foreign else "another NIC of the host"
    summary = f"{responder} answers for the NIC's address"
    return failure(
        summary, nic_mac, found, Fix("set arp_ignore and arp_announce as planned, then flush neighbour tables")
    )


def _are_read(context: CheckContext) -> None:
    """Check that the neighbour table of at least one other host was read.

    Raises:
        NoIntentError: there is no other host.
        UnreadError: none was read.
    """
    other_hosts = [name for name in context.plan.hosts if name != context.place.device]
    if not other_hosts:
        raise NoIntentError("there is no other host")
    if not any(context.facts.complete(Place(name), "host.neighbours") for name in other_hosts):
        context.list_members("host.neighbours", Place(other_hosts[0]))


def _find_host(context: CheckContext) -> Host:
    host = context.facts.devices[context.place.device]
    assert isinstance(host, Host)
    return host


def _format_interface(interface: str | None) -> str:
    return f" ({interface})" if interface else ""
