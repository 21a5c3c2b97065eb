"""Steps of each tool: the commands on both hosts, the expected time, and the resources they occupy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.benchmarks.endpoints.fabric import Endpoint
from wirespeed.benchmarks.endpoints.nics import NicPlace, find_path_mtu
from wirespeed.benchmarks.endpoints.perftest_command import BANDWIDTH_BYTES, LATENCY_BYTES
from wirespeed.benchmarks.steps.iperf3_options import parse_iperf3_options
from wirespeed.benchmarks.steps.iperf3_processes import start_clients, start_servers
from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.errors import refuse
from wirespeed.limits.host import list_contended_links
from wirespeed.results.campaign import Command, Step
from wirespeed.settings import Dscp

_START_S = 3.0  # ssh, memory registration, connection; our own guess
_LATENCY_S = 3.0
_SLACK = 6.0  # factor on the expected time of a step, after which it is ended
_LEAST_LIMIT_S = 30.0

BANDWIDTH = "ib_write_bw"
LATENCY = "ib_write_lat"
SEND_LATENCY = "ib_send_lat"
_ALL_BYTES = 16 << 20
"""Bytes of one message of each size of perftest's option -a: 2, 4, 8 … 8 MiB."""


@dataclass(frozen=True, slots=True)
class _Load:
    """How the test of a step uses the PCIe link of its NICs."""

    bidirectional: bool = False
    to_memory: bool = True  # of the host, so that it passes the uplinks of PCIe switches


def limit(seconds: float) -> float:
    """The time limit of a step with this expected time."""
    return max(_LEAST_LIMIT_S, _SLACK * seconds)


def add_perftest(
    request: Request,
    steps: Steps,
    pair: Pair,
    test: str = BANDWIDTH,
    *,
    queue_pairs: int = 1,
    gpu: bool = False,
    tag: str = "",
    shares_links: bool = False,
    connection: str | None = None,
) -> None:
    """Add a step with perftest between two NICs; bandwidth in both directions at the same time.

    ``connection``: RC or UD, perftest's connection type, with all sizes: over UD up to the path MTU.
    ``shares_links``: NICs behind one PCIe link are measured at the same time, to see what is left of each.
    """
    load = _Load(bidirectional=True, to_memory=not gpu) if test == BANDWIDTH and not shares_links else None
    number = steps.number()
    port = request.port(number)
    measured = request.seconds if test == BANDWIDTH else _LATENCY_S
    if connection == "RC":  # a UD message fits in a packet
        measured += 2 * request.messages * _ALL_BYTES / _find_rate(request, pair.a)
    commands = [
        Command(
            endpoint.host,
            (
                *_bind_to_numa_node(request, endpoint),
                *_build_perftest_command(request, endpoint, test, port, queue_pairs, gpu),
                *(() if connection is None else ("-c", connection)),
                *peers,
            ),
        )
        for endpoint, peers in ((pair.a, (pair.b.host,)), (pair.b, ()))
    ]
    of_gpu = "-gpu" if gpu else ""
    steps.add(
        Step(
            id=identifier(tag or test + of_gpu, pair.a.name, pair.b.name),
            test=f"{test}{' from GPU memory' if gpu else ''}{f' over {connection}' if connection else ''}",
            ends=pair.name,
            client=commands[0],
            limit_s=limit(measured + _START_S),
            seconds=measured + _START_S,
            server=commands[1],
            port=port,
            stage=steps.stage,
            uses=_list_resources(request, steps, pair, load),
            source=pair.a.name,
            target=pair.b.name,
        )
    )


def _build_perftest_command(
    request: Request, endpoint: Endpoint, test: str, port: int, queue_pairs: int, gpu: bool
) -> tuple[str, ...]:
    host = request.plan.hosts[endpoint.host]
    mtu = find_path_mtu(request.plan, NicPlace(endpoint.host, endpoint.interface, host.nics[endpoint.interface]))
    arguments = [test, "-F", "-d", endpoint.device or "", "-p", str(port)]
    if host.launch.gid_index is not None:
        arguments += ["-x", str(host.launch.gid_index)]
    dscp = find_dscp(request, endpoint.host)
    if dscp is not None:
        arguments.append(f"--tclass={dscp.tos}")
    if mtu is not None:
        arguments += ["-m", str(mtu)]
    if test == BANDWIDTH:
        arguments += [
            "--report_gbits",
            "-b",
            "-s",
            str(BANDWIDTH_BYTES),
            "-D",
            str(request.seconds),
            "-q",
            str(queue_pairs),
        ]
    else:
        sizes = ["-a"] if test == SEND_LATENCY else ["-s", str(LATENCY_BYTES)]
        arguments += [*sizes, "-n", str(request.messages)]
    if gpu and endpoint.gpu is not None:
        arguments += request.commands.gpu_memory(endpoint.host, endpoint.gpu)
    return tuple(arguments)


def _find_rate(request: Request, endpoint: Endpoint) -> float:
    """Bytes per second of the NIC's link; of 10 Gb/s, the slowest of the catalogue, if its speed is not planned."""
    speed = request.plan.hosts[endpoint.host].nics[endpoint.interface].link.speed
    return (10e9 if speed is None else int(speed)) / 8


def find_dscp(request: Request, host: str) -> Dscp | None:
    """Find the DSCP of a host's RoCE data, by its launch environment or its traffic class."""
    launch = request.plan.hosts[host].launch
    if launch.dscp is not None:
        return launch.dscp
    roce = request.plan.classes.get("roce")
    return roce.nic_dscp if roce else None


def add_iperf3(request: Request, steps: Steps, pair: Pair, *, udp: bool = False) -> None:
    """Add a step with iperf3 between two NICs in one direction: the rate of a NIC is that of the receiver."""
    port, count = request.port(steps.number()), request.processes
    protocol = ("-u", "-b", "0") if udp else ()
    options = (*protocol, *parse_iperf3_options(request.iperf3), "-t", str(request.seconds), "--json")
    client: tuple[str, ...] = ("iperf3", "-c", pair.b.address, "-B", pair.a.address)
    server: tuple[str, ...] = ("iperf3", "-s", "-1", "-B", pair.b.address)
    if count > 1:
        client, server = start_clients(count, port, (*client, *options)), start_servers(count, port, server)
    else:
        client, server = (*client, "-p", str(port), *options), (*server, "-p", str(port))
    steps.add(
        Step(
            id=identifier("iperf3", pair.a.name, pair.b.name),
            test="iperf3",
            ends=pair.name,
            client=Command(pair.a.host, (*_bind_to_numa_node(request, pair.a), *client)),
            limit_s=limit(request.seconds + _START_S),
            seconds=request.seconds + _START_S,
            server=Command(pair.b.host, (*_bind_to_numa_node(request, pair.b), *server)),
            port=port,
            stage=steps.stage,
            uses=_list_resources(request, steps, pair, _Load()),
            source=pair.a.name,
            target=pair.b.name,
        )
    )


def add_ucx(request: Request, steps: Steps, pair: Pair, test: str, size: int, count: int) -> None:
    """Add a step with ucx_perftest between two NICs, with tagged messages as MPI libraries send them."""
    port = request.port(steps.number())
    measured = ("ucx_perftest", "-p", str(port), "-t", test, "-s", str(size), "-n", str(count))
    environments = [request.commands.environment(endpoint.host, endpoint.device or "") for endpoint in (pair.a, pair.b)]
    steps.add(
        Step(
            id=identifier(f"ucx-{test}", pair.a.name, pair.b.name),
            test=f"ucx_perftest {test}",
            ends=pair.name,
            client=Command(
                pair.a.host, (*_bind_to_numa_node(request, pair.a), *measured, pair.b.host), environments[0]
            ),
            limit_s=limit(request.seconds + _START_S),
            seconds=request.seconds + _START_S,
            server=Command(pair.b.host, (*_bind_to_numa_node(request, pair.b), *measured[:3]), environments[1]),
            port=port,
            stage=steps.stage,
            uses=_list_resources(request, steps, pair, _Load()),
            source=pair.a.name,
            target=pair.b.name,
        )
    )


def add_job(
    request: Request,
    steps: Steps,
    hosts: Sequence[str],
    ranks: int,
    program: Sequence[str],
    seconds: float,
    *,
    tag: str,
    nics_only: bool = False,
    data: str = "",
) -> None:
    """Add a step with a parallel program on hosts, with ``ranks`` ranks on each. ``data``: where its buffers are."""
    arguments = request.commands.job(hosts, ranks, program, nics_only=nics_only)
    steps.add(
        Step(
            id=identifier(tag, *((hosts[0], f"{len(hosts)}-hosts", hosts[-1]) if len(hosts) > 2 else hosts)),
            test=f"{program[0]}{data}{' over NICs alone' if nics_only else ''}",
            ends=", ".join(hosts),
            client=Command(hosts[0], arguments),
            limit_s=limit(seconds + _START_S),
            seconds=seconds + _START_S,
            stage=steps.stage,
            uses={f"host {host}": 1 for host in hosts},
            collective=program[0] if program[0].endswith("_perf") else None,
            nics_only=nics_only,
        )
    )


def add_gpu_job(
    request: Request,
    steps: Steps,
    hosts: Sequence[str],
    program: Sequence[str],
    seconds: float,
    *,
    tag: str,
    nics_only: bool = False,
) -> None:
    """Add a step with a program of nccl-tests on all GPUs of hosts, with the planned ranks on each.

    With more ranks than GPUs, which MPI programs have, it has one rank for each GPU.

    Raises:
        Refusal: the hosts have no GPUs, or the planned ranks cannot share them evenly.
    """
    host = request.plan.hosts[hosts[0]]
    gpus, ranks = len(host.gpus), host.launch.ranks_per_host or len(host.gpus)
    require_gpus(request, hosts[0])
    if ranks > gpus:
        ranks = gpus
    if gpus % ranks:
        raise refuse(
            request.plan.name,
            f"{ranks} ranks on the {gpus} GPUs of {hosts[0]}",
            "a number of ranks that divides the number of GPUs",
            "change launch: {ranks: …}, or leave it out for one rank per GPU",
        )
    command = (*program, "-g", str(gpus // ranks))
    add_job(request, steps, hosts, ranks, command, seconds, tag=tag, nics_only=nics_only)


def require_gpus(request: Request, host: str) -> None:
    """Refuse a host without GPUs.

    Raises:
        Refusal: the host has no GPU.
    """
    if not request.plan.hosts[host].gpus:
        raise refuse(request.plan.name, f"{host} without GPUs", "hosts with GPUs", "the suite mpi needs none")


def add_socket_job(
    request: Request,
    steps: Steps,
    ranks: Mapping[str, int],
    program: Sequence[str],
    seconds: float,
    *,
    path: str,
    variables: Mapping[str, str],
) -> None:
    """Add a step with a parallel program on hosts without RDMA; ``path`` names its GPUs and what connects them."""
    arguments = request.commands.job_over_sockets(ranks, program, variables)
    steps.add(
        Step(
            id=identifier(program[0], path, *ranks),
            test=f"{program[0]} {path}",
            ends=", ".join(ranks),
            client=Command(next(iter(ranks)), arguments),
            limit_s=limit(seconds + _START_S),
            seconds=seconds + _START_S,
            stage=steps.stage,
            uses={f"host {host}": 1 for host in ranks},
            collective=program[0],
        )
    )


def add_process(
    request: Request,
    steps: Steps,
    host: str,
    program: Sequence[str],
    seconds: float,
    *,
    method: str,
    variables: Mapping[str, str],
) -> None:
    """Add a step with a program in one process on one host, without MPI; ``method`` names how it uses the GPUs."""
    steps.add(
        Step(
            id=identifier(program[0], method, host),
            test=f"{program[0]} {method}",
            ends=host,
            client=Command(host, request.commands.job_alone(host, program, variables)),
            limit_s=limit(seconds + _START_S),
            seconds=seconds + _START_S,
            stage=steps.stage,
            uses={f"host {host}": 1},
            collective=program[0],
        )
    )


def unique(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Make the ids of steps unique: a repeated id gets a number as suffix."""
    id_counts: dict[str, int] = {}
    renamed = []
    for step in steps:
        count = id_counts[step.id] = id_counts.get(step.id, 0) + 1
        fields = {name: getattr(step, name) for name in Step.__dataclass_fields__}
        renamed.append(step if count == 1 else Step(**{**fields, "id": f"{step.id}.again{count}"}))
    return tuple(renamed)


def _bind_to_numa_node(request: Request, endpoint: Endpoint) -> tuple[str, ...]:
    """The command prefix that runs a program on the NUMA node of the NIC."""
    if not request.bind or not endpoint.has_numa_node:
        return ()
    return ("numactl", f"--cpunodebind=netdev:{endpoint.interface}", f"--membind=netdev:{endpoint.interface}")


def _list_resources(request: Request, steps: Steps, pair: Pair, load: _Load | None) -> Mapping[str, int]:
    """Resources of a pair: both NICs, and its share of uplinks of leaves and of PCIe links, so that pairs that run at
    the same time never oversubscribe them.

    Interfaces of sockets alone share the cores of their host: they take turns.
    """
    uses = {f"NIC {endpoint.name}": 1 for endpoint in (pair.a, pair.b)}
    uses |= {f"host {endpoint.host}": 1 for endpoint in (pair.a, pair.b) if endpoint.rail is None}
    if pair.a.speed is None or pair.b.speed is None:
        return uses
    rate = min(pair.a.speed, pair.b.speed)
    for endpoint in (pair.a, pair.b):
        links = _list_slow_links(request, steps, endpoint, load) if load is not None else {}
        for name, capacity in links.items():
            steps.holds[name] = capacity
            uses[name] = min(rate, capacity)
    if not pair.crosses:
        return uses
    for leaf in (pair.a.leaf, pair.b.leaf):
        if leaf is not None and (whole := request.fabric.uplink_rate.get(leaf)):
            steps.holds[f"above {leaf}"] = whole
            uses[f"above {leaf}"] = min(rate, whole)
    return uses


def _list_slow_links(request: Request, steps: Steps, endpoint: Endpoint, load: _Load) -> dict[str, int]:
    """PCIe links of a NIC that cannot carry all NICs behind them at once, such as the slot of a card with two ports.

    By name, with the capacity in b/s.
    """
    key = endpoint.host, load.bidirectional, load.to_memory
    nics = request.plan.hosts[endpoint.host].nics
    if key not in steps.slow_links:
        rates = {
            nic.pcie: speed.gb_per_s
            for nic in nics.values()
            if nic.rail is not None and nic.pcie is not None and (speed := nic.link.speed or endpoint.speed)
        }
        steps.slow_links[key] = list_contended_links(
            request.plan, endpoint.host, rates, bidirectional=load.bidirectional, to_memory=load.to_memory
        )
    address = nics[endpoint.interface].pcie
    return {
        f"{name} of {endpoint.host}": round(capacities[address] * 10**9)
        for name, capacities in steps.slow_links[key].items()
        if address in capacities
    }


def identifier(*parts: str) -> str:
    """Build an id that is also a valid file name."""
    return ".".join(re.sub(r"[^A-Za-z0-9-]+", "-", part) for part in parts)
