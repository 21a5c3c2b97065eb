"""Collectives of GPUs of hosts without RDMA: over Ethernet, over a PCIe bridge as IP interface, and over lent GPUs.

Programs, sizes and sets of GPUs are those of Johansen, Fast Multi-GPU communication over PCI Express (University of
Oslo, 2023), sections 3.2.3 and 4.2: GPUs of one host; one GPU on each host, then more on one of them, then all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from wirespeed.benchmarks.endpoints.fabric import Endpoint, group_by_fabric
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import add_socket_job

_SIZES = ("-b", "8", "-e", "128M", "-f", "2", "-g", "1")
_PROGRAMS = ("broadcast_perf", "all_reduce_perf", "alltoall_perf", "all_gather_perf")
_SECONDS = 20.0  # all sizes over PCIe; our own guess
_SLOWEST_BPS = 2**27 * 8 * 50 * 2
"""Bits that a table moves over its slowest link: 128 MiB, 25 runs in place and 25 out of place, sum of all sizes."""

_DEBUG = {"NCCL_DEBUG": "INFO"}
"""The log then names the interface that NCCL uses (NCCL user guide, environment variables)."""


def add_collectives(request: Request, steps: Steps) -> None:
    """Add the collectives of each host alone, then those over each network between two hosts or more."""
    gpus = {host: len(request.plan.hosts[host].gpus) for host in request.fabric.hosts}
    lenders = [host for host in gpus if request.plan.hosts[host].lent_gpus]
    if lenders:
        steps.notes.append(f"{', '.join(lenders)}: take lent GPUs back first; the suite lent-gpus measures them lent")
    for program in _PROGRAMS:
        for host, count in gpus.items():
            if count > 1:
                _add(request, steps, {host: count}, program, f"on {count} GPUs", _DEBUG, _SECONDS)
        steps.next_stage()
    for network in group_by_fabric(request.fabric.endpoints):
        counts = {endpoint.host: gpus[endpoint.host] for endpoint in network if gpus[endpoint.host]}
        if len(counts) < 2:  # NCCL uses no interface between the GPUs of one host
            steps.notes.append(f"nothing is measured over {network[0].interface}: the run has one host with GPUs on it")
            continue
        for program in _PROGRAMS:
            for ranks in _list_rank_counts(counts):
                interface = network[0].interface
                variables = {**_DEBUG, "NCCL_SOCKET_IFNAME": f"={interface}"}
                path = f"over {interface}, {' + '.join(map(str, ranks.values()))} GPUs"
                _add(request, steps, ranks, program, path, variables, _estimate_time(network))
            steps.next_stage()


def add_lent_collectives(request: Request, steps: Steps) -> None:
    """Add the collectives on a borrower: its own GPUs, lent ones and both, by their order on the PCI bus."""
    for host in request.fabric.hosts:
        settings = request.plan.hosts[host]
        loan_count = len(settings.borrowed_gpus)
        total = loan_count + len(settings.gpus)
        for program in _PROGRAMS if loan_count else ():
            for count in range(2, total + 1):
                for first in range(total - count + 1):
                    devices = ",".join(map(str, range(first, first + count)))
                    variables = {**_DEBUG, "CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": devices}
                    path = f"on {count} of {total} GPUs, {devices}"
                    _add(request, steps, {host: count}, program, path, variables, _SECONDS)
            steps.next_stage()


def _add(
    request: Request,
    steps: Steps,
    ranks: Mapping[str, int],
    program: str,
    path: str,
    variables: Mapping[str, str],
    seconds: float,
) -> None:
    add_socket_job(request, steps, ranks, (program, *_SIZES), seconds, path=path, variables=variables)


def _list_rank_counts(gpus: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Ranks of each host: for two hosts all combinations, for more the same number on each."""
    if len(gpus) == 2:
        for counts in sorted(product(*(range(1, count + 1) for count in gpus.values())), key=sum):
            yield dict(zip(gpus, counts, strict=True))
        return
    for count in range(1, min(gpus.values(), default=0) + 1):
        yield dict.fromkeys(gpus, count)


def _estimate_time(network: Sequence[Endpoint]) -> float:
    """The expected time of a table over the slowest interface of a network."""
    speeds = [endpoint.speed for endpoint in network if endpoint.speed is not None]
    return _SECONDS + (round(2 * _SLOWEST_BPS / min(speeds)) if speeds else 0.0)
