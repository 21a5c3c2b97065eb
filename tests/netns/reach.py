"""Checks that every NIC of a host reaches every NIC of another host on the planned path."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address, ip_network

from wirespeed.lab import Lab
from wirespeed.plan import Plan
from wirespeed.settings import Host, split_route_name

HEADERS = {4: 28, 6: 48}
"""Bytes of IP and ICMP header in a ping, by IP version."""

_ANSWER = re.compile(r"(\S+) from (\S+) (?:via (\S+) )?dev (\S+) table (\S+)")


def verify(plan: Plan, network: Lab, sender: str, receiver: str) -> list[str]:
    """What is not as planned, as text; empty if all is as planned."""
    return [
        *_routes(plan, network, sender, receiver),
        *_routes(plan, network, receiver, sender),
        *_pings(plan, network, sender, receiver),
    ]


def addresses(host: Host) -> dict[str, str]:
    """Address of each interface."""
    return {name: nic.addresses[0].partition("/")[0] for name, nic in host.nics.items() if nic.addresses}


def find_route(host: Host, source: str, target: str) -> tuple[str | None, str | None, int | None]:
    """Gateway, device and table by which the plan sends a packet: the rule of its source, the longest prefix there."""
    bits = ip_address(source).max_prefixlen
    table = host.rules[f"from {source}/{bits}"].table
    matches = []
    for key, route in host.routes.items():
        number, destination = split_route_name(key)
        prefix = ip_network("0.0.0.0/0" if destination == "default" else destination)
        if int(number) == table and ip_address(target) in prefix:
            matches.append((prefix.prefixlen, route))
    route = max(matches, key=lambda match: match[0])[1]
    return route.gateway or None, route.device, table


def _routes(plan: Plan, network: Lab, sender: str, receiver: str) -> Iterator[str]:
    host = plan.hosts[sender]
    pairs = [
        (source, target) for source in addresses(host).values() for target in addresses(plan.hosts[receiver]).values()
    ]
    questions = "".join(f"route get {target} from {source}\n" for source, target in pairs)
    process = subprocess.run(
        ["ip", "-o", "-n", network.namespace(sender), "-force", "-batch", "-"],
        input=questions,
        capture_output=True,
        text=True,
        check=False,
    )
    routes = {}
    for line in process.stdout.splitlines():
        match = _ANSWER.match(line)
        if match:
            target, source, gateway, device, table = match.groups()
            routes[source, target] = gateway, device, int(table) if table.isdigit() else table
    for source, target in pairs:
        route = find_route(host, source, target)
        got = routes.get((source, target))
        if got != route:
            yield f"{sender}: {source} to {target}: planned {_format_route(route)}, found {_format_route(got)}"


def _format_route(route: tuple[object, object, object] | None) -> str:
    if route is None:
        return "no route"
    gateway, device, table = route
    return f"{'direct' if gateway is None else f'via {gateway}'} dev {device} table {table}"


def _pings(plan: Plan, network: Lab, sender: str, receiver: str) -> Iterator[str]:
    host = plan.hosts[sender]
    mtu = min(nic.link.mtu or 0 for nic in host.nics.values())
    pairs = [
        (source, target) for source in addresses(host).values() for target in addresses(plan.hosts[receiver]).values()
    ]

    def ping(pair: tuple[str, str]) -> str | None:
        source, target = pair
        # Five a second until one is answered: the first may be lost while both ends learn addresses.
        size = mtu - HEADERS[ip_address(source).version]
        ask = ("ping", "-nq", "-c1", "-i0.2", "-w2", "-Mdo", f"-s{size}", "-I", source, target)
        process = subprocess.run(
            ["ip", "netns", "exec", network.namespace(sender), *ask], capture_output=True, check=False
        )
        return (
            None if process.returncode == 0 else f"{sender}: {source} to {target}: no answer to a ping of {mtu} bytes"
        )

    with ThreadPoolExecutor(32) as pool:
        yield from (problem for problem in pool.map(ping, pairs) if problem)
