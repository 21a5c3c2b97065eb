"""Test on this machine only that the tools work and that their output is read; no network is measured.

iperf3 and ucx_perftest over the loopback interface, an OSU ping-pong and all-reduce through mpirun. It needs no cluster
file and no NIC, and none of its figures is judged.
"""

from __future__ import annotations

from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.benchmarks.steps.steps import limit
from wirespeed.results.campaign import Command, Step

TITLE = "only this machine: iperf3, ucx_perftest and MPI over loopback; needs no cluster"

LOCAL_HOST = "localhost"
_ADDRESS, _INTERFACE = "127.0.0.1", "lo"
_LARGEST = 8192  # bytes of an active message over TCP (UCX source, UCT_TCP_TX_SEG_SIZE)
_USES = {"this machine": 1}


def make(request: Request) -> Steps:
    """Add steps that run one after the other, because they share the machine."""
    steps = Steps()
    port = request.port(steps.number())
    _add_step(
        steps,
        "iperf3",
        ("iperf3", "-c", _ADDRESS, "-p", str(port), "-t", str(request.seconds), "--json"),
        request.seconds + 1.0,
        ("iperf3", "-s", "-1", "-B", _ADDRESS, "-p", str(port)),
        port,
    )
    for test, size, count in (("am_lat", 8, 1000), ("am_bw", _LARGEST, 5000)):
        port = request.port(steps.number())
        tool = ("ucx_perftest", "-p", str(port), "-d", _INTERFACE, "-x", "tcp")
        client = (*tool, "-t", test, "-s", str(size), "-n", str(count), _ADDRESS)
        _add_step(steps, f"ucx_perftest {test}", client, 3.0, tool, port)
    for ranks, program in ((2, "osu_latency"), (4, "osu_allreduce")):
        _add_step(steps, program, request.commands.job_here(ranks, (program,)), 10.0)
    return steps


def _add_step(
    steps: Steps,
    test: str,
    client: tuple[str, ...],
    seconds: float,
    server: tuple[str, ...] | None = None,
    port: int | None = None,
) -> None:
    steps.add(
        Step(
            id=test.replace(" ", "."),
            test=test,
            ends=f"{LOCAL_HOST} -> {LOCAL_HOST}" if server else LOCAL_HOST,
            client=Command(LOCAL_HOST, client),
            limit_s=limit(seconds),
            seconds=seconds,
            server=Command(LOCAL_HOST, server) if server else None,
            port=port,
            uses=_USES,
        )
    )
