"""Whether every NIC of two hosts reaches every NIC of the other, along the way that the plan says."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address, ip_network

from wirespeed.lab import Lab
from wirespeed.plan import Plan
from wirespeed.settings import Host

HEADERS = {4: 28, 6: 48}
"""Bytes of IP and ICMP header in a ping, by IP version."""

_ANSWER = re.compile(r"(\S+) from (\S+) (?:via (\S+) )?dev (\S+) table (\S+)")


def verify(plan: Plan, network: Lab, one: str, other: str) -> list[str]:
    """What is not as planned, in words; empty when all is well."""
    return [
        *_routes(plan, network, one, other),
        *_routes(plan, network, other, one),
        *_pings(plan, network, one, other),
    ]


def addresses(host: Host) -> dict[str, str]:
    """Address of each interface."""
    return {name: nic.addresses[0].partition("/")[0] for name, nic in host.nics.items() if nic.addresses}


def planned_way(host: Host, source: str, target: str) -> tuple[str | None, str | None, int | None]:
    """Gateway, device and table by which the plan sends a packet: the rule of its source, the longest prefix there."""
    bits = ip_address(source).max_prefixlen
    table = host.rules[f"from {source}/{bits}"].table
    ways = []
    for key, route in host.routes.items():
        number, _, destination = key.partition(" ")
        prefix = ip_network("0.0.0.0/0" if destination == "default" else destination)
        if int(number) == table and ip_address(target) in prefix:
            ways.append((prefix.prefixlen, route))
    route = max(ways, key=lambda way: way[0])[1]
    return route.gateway or None, route.device, table


def _routes(plan: Plan, network: Lab, one: str, other: str) -> Iterator[str]:
    host = plan.hosts[one]
    pairs = [
        (source, target) for source in addresses(host).values() for target in addresses(plan.hosts[other]).values()
    ]
    questions = "".join(f"route get {target} from {source}\n" for source, target in pairs)
    done = subprocess.run(
        ["ip", "-o", "-n", network.namespace(one), "-force", "-batch", "-"],
        input=questions,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {}
    for line in done.stdout.splitlines():
        match = _ANSWER.match(line)
        if match:
            target, source, gateway, device, table = match.groups()
            found[source, target] = gateway, device, int(table) if table.isdigit() else table
    for source, target in pairs:
        wanted = planned_way(host, source, target)
        got = found.get((source, target))
        if got != wanted:
            yield f"{one}: {source} to {target}: planned {_said(wanted)}, found {_said(got)}"


def _said(way: tuple[object, object, object] | None) -> str:
    if way is None:
        return "no route"
    gateway, device, table = way
    return f"{'direct' if gateway is None else f'via {gateway}'} dev {device} table {table}"


def _pings(plan: Plan, network: Lab, one: str, other: str) -> Iterator[str]:
    host = plan.hosts[one]
    mtu = min(nic.link.mtu or 0 for nic in host.nics.values())
    pairs = [
        (source, target) for source in addresses(host).values() for target in addresses(plan.hosts[other]).values()
    ]

    def ping(pair: tuple[str, str]) -> str | None:
        source, target = pair
        # Five a second until one is answered: the first may be lost while both ends learn addresses.
        size = mtu - HEADERS[ip_address(source).version]
        ask = ("ping", "-nq", "-c1", "-i0.2", "-w2", "-Mdo", f"-s{size}", "-I", source, target)
        done = subprocess.run(["ip", "netns", "exec", network.namespace(one), *ask], capture_output=True, check=False)
        return None if done.returncode == 0 else f"{one}: {source} to {target}: no answer to a ping of {mtu} bytes"

    with ThreadPoolExecutor(32) as pool:
        yield from (problem for problem in pool.map(ping, pairs) if problem)
