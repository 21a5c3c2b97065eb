"""Every NIC address of every host to every NIC address of every other host: which pairs are reachable, by which route.

For each pair: a ping with the largest packet that may not be fragmented (the MTU of both), from the NIC's address; the
kernel's route from that address, compared with the planned rules and routes; and an RDMA ping with the planned GID and
traffic class (ib_send_lat, a few exchanges). What was not measured is shown as unknown, never as good.

A bad row points to a NIC that cannot send, a bad column to one that does not reply, a bad block to a pair of hosts. No
bandwidth is measured. Pings run from all hosts at the same time; RDMA from half of the hosts to the other half, stage
by stage.
"""

from __future__ import annotations

from wirespeed.benchmarks.endpoints.fabric import Endpoint
from wirespeed.benchmarks.steps.pairing import tournament
from wirespeed.benchmarks.steps.ping_scripts import AT_ONCE, RDMA_CLIENT, RDMA_SERVER, pings
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import find_dscp, identifier, limit
from wirespeed.results.campaign import Command, Step

TITLE = "jumbo ping, route and RDMA ping from every NIC address to every other; a matrix of each test"

_HEADERS = {False: 28, True: 48}
"""Bytes of IP and ICMP header in a ping: RFC 791 and 792; RFC 8200 and 4443."""
_COUNT, _WAIT_S = 3, 2  # pings of a pair, and how long each may take; our own choice
_TRIES = 2  # large pings are repeated while small ones are answered
_PING_S, _RDMA_S = 0.2, 0.5  # expected time of a pair, several of which run at the same time; our own guess
_SERVER_S = 60


def make(request: Request) -> Steps:
    """Add pings of all pairs of hosts, then RDMA pings."""
    steps = Steps()
    hosts = request.fabric.hosts
    add_pings(request, steps, pings(_COUNT, _WAIT_S, AT_ONCE, _TRIES), _PING_S)
    steps.next_stage()
    for round_pairs in tournament(list(hosts)):
        for a, b in round_pairs:
            _add_rdma_pings(request, steps, hosts[a], hosts[b])
    return steps


def add_pings(request: Request, steps: Steps, script: str, pair_s: float) -> None:
    """Add pings of all pairs of hosts in both directions; ``pair_s`` is the expected time of a pair of NICs."""
    hosts = request.fabric.hosts
    steps.notes += request.fabric.excluded_nics
    steps.notes += [
        f"{endpoint.name} is not pinged: the cluster file has no mtu for it"
        for endpoint in request.fabric.endpoints
        if endpoint.mtu is None
    ]
    for round_pairs in tournament(list(hosts)):
        for a, b in round_pairs:
            for source, target in ((a, b), (b, a)):
                _add_ping(steps, hosts[source], hosts[target], script, pair_s)


def _list_pairs(sources: list[Endpoint], targets: list[Endpoint]) -> list[tuple[Endpoint, Endpoint]]:
    """Pairs of a source and a target in the same fabric."""
    return [(a, b) for a in sources for b in targets if a.fabric == b.fabric and a.is_ipv6 == b.is_ipv6]


def _add_ping(steps: Steps, sources: list[Endpoint], targets: list[Endpoint], script: str, pair_s: float) -> None:
    pairs = [(a, b) for a, b in _list_pairs(sources, targets) if a.mtu is not None and b.mtu is not None]
    if not pairs:
        return
    arguments: list[str] = []
    for a, b in pairs:
        payload = min(a.mtu or 0, b.mtu or 0) - _HEADERS[a.is_ipv6]
        arguments += [a.name, a.address, b.name, b.address, str(payload)]
    source, target = sources[0].host, targets[0].host
    seconds = 1.0 + pair_s * len(pairs)
    steps.add(
        Step(
            id=identifier("mesh-ping", source, target),
            test="mesh ping",
            ends=f"{source} -> {target}",
            client=Command(source, ("sh", "-c", script, "mesh", source, *arguments)),
            limit_s=limit(seconds),
            seconds=seconds,
            stage=steps.stage,
            uses={f"pings from {source}": 1},
        )
    )


def _add_rdma_pings(request: Request, steps: Steps, sources: list[Endpoint], targets: list[Endpoint]) -> None:
    pairs = [(a, b) for a, b in _list_pairs(sources, targets) if a.device and b.device]
    if not pairs:
        return
    clients: list[str] = []
    served: list[str] = []
    for a, b in pairs:
        port = str(request.port(steps.number()))
        clients += [a.name, b.name, a.device or "", port, _format_options(request, a)]
        served += [b.device or "", port, _format_options(request, b)]
    source, target = sources[0].host, targets[0].host
    seconds = 2.0 + _RDMA_S * len(pairs)
    steps.add(
        Step(
            id=identifier("mesh-rdma", source, target),
            test="mesh rdma",
            ends=f"{source} -> {target}",
            client=Command(source, ("sh", "-c", RDMA_CLIENT, "mesh", source, target, *clients)),
            limit_s=limit(seconds),
            seconds=seconds,
            server=Command(
                target, ("sh", "-c", RDMA_SERVER, "mesh", str(max(_SERVER_S, int(limit(seconds)))), *served)
            ),
            stage=steps.stage,
            uses={f"host {source}": 1, f"host {target}": 1},
        )
    )


def _format_options(request: Request, endpoint: Endpoint) -> str:
    """Options for the planned GID and traffic class."""
    launch = request.plan.hosts[endpoint.host].launch
    dscp = find_dscp(request, endpoint.host)
    arguments = [f"-x {launch.gid_index}"] if launch.gid_index is not None else []
    return " ".join([*arguments, *([f"--tclass={dscp.tos}"] if dscp is not None else [])])
