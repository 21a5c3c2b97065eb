"""The request that a suite turns into steps, and the commands that platforms provide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from wirespeed.benchmarks.endpoints.fabric import Fabric
from wirespeed.plan import Plan
from wirespeed.results.campaign import Step

FIRST_PORT = 18600
"""First TCP port of servers: not perftest's default 18515, below Linux's ephemeral ports (32768, ip(7))."""

_PORTS = 4000  # ports are reused after this number; steps that far apart do not run at the same time


class JobCommands(Protocol):
    """Commands that start programs, as platforms format them."""

    def job(
        self, hosts: Sequence[str], ranks_per_host: int, program: Sequence[str], *, nics_only: bool = False
    ) -> tuple[str, ...]:
        """The command that starts a parallel program on hosts, run on the first of them."""

    def job_over_sockets(
        self, ranks: Mapping[str, int], program: Sequence[str], variables: Mapping[str, str]
    ) -> tuple[str, ...]:
        """The command that starts a parallel program on hosts without RDMA, with some ranks on each."""

    def job_alone(self, host: str, program: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
        """The command that starts a program in one process on a host, without MPI."""

    def job_here(self, ranks: int, program: Sequence[str]) -> tuple[str, ...]:
        """The command that starts a parallel program on this machine only."""

    def gpu_memory(self, host: str, gpu: int) -> tuple[str, ...]:
        """perftest's option for memory of a GPU of a host; () if it has none for this GPU."""

    def gpu_copies(self, host: str) -> tuple[tuple[str, ...], ...]:
        """Programs that copy between the GPUs of a host, with their options; () if none is known for them."""

    def environment(self, host: str, device: str) -> Mapping[str, str]:
        """Environment variables that make a UCX program use one NIC of a host."""


@dataclass(frozen=True, slots=True)
class Request:
    """The plan, the fabric and the options that steps are made from.

    ``seconds`` is the duration of a bandwidth measurement, ``messages`` the number of messages of an RDMA latency test.
    """

    plan: Plan
    fabric: Fabric
    commands: JobCommands
    seconds: int = 10
    messages: int = 10000
    first_port: int = FIRST_PORT
    bind: bool = True  # to the NUMA node of the NIC
    iperf3: str = ""  # further options of iperf3's client
    processes: int = 1  # of iperf3 for each pair

    def port(self, number: int) -> int:
        """The TCP port of the n-th server, the first one of its processes."""
        return self.first_port + number % (_PORTS // self.processes) * self.processes


@dataclass(slots=True)
class Steps:
    """Steps while a suite adds them, with notes on what they do not exercise.

    ``slow_links``: the shared PCIe links of a host that its NICs exceed at once, by host, direction and memory.
    """

    steps: list[Step] = field(default_factory=list)
    holds: dict[str, int] = field(default_factory=dict)
    slow_links: dict[tuple[str, bool, bool], dict[str, dict[str, float]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stage: int = 0
    servers: int = 0

    def add(self, step: Step) -> None:
        """Add a step to the current stage."""
        self.steps.append(step)

    def number(self) -> int:
        """The next server's number."""
        self.servers += 1
        return self.servers - 1

    def next_stage(self) -> None:
        """Start a stage: its steps wait until all steps before it have ended."""
        if self.steps and self.steps[-1].stage == self.stage:
            self.stage += 1
