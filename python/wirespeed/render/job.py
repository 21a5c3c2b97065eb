"""The commands that start a job on some hosts of the plan, for its launcher and library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirespeed.errors import refuse
from wirespeed.plan import Plan
from wirespeed.plan.launch_differences import list_host_settings
from wirespeed.platforms import Job, platforms, platforms_of_launch
from wirespeed.platforms.launcher.gpu_copies import list_gpu_copies
from wirespeed.platforms.launcher.library_variables import gpu_memory, nic_variables, restrict_to_nics
from wirespeed.platforms.launcher.openmpi.job import start_alone, start_locally, start_over_sockets, start_over_tcp


class Jobs:
    """The commands that start benchmarks on hosts of a plan."""

    def __init__(self, plan: Plan, launcher: str | None = None) -> None:
        """``launcher`` replaces the planned one."""
        self._plan, self._launcher = plan, launcher

    def job(
        self, hosts: Sequence[str], ranks_per_host: int, program: Sequence[str], *, nics_only: bool = False
    ) -> tuple[str, ...]:
        """The command that starts a program on hosts; with ``nics_only`` ranks of a host use the NICs among them too.

        Raises:
            Refusal: no platform starts such jobs, or the library cannot be restricted to the NICs.
        """
        host = self._plan.hosts[hosts[0]]
        launch = host.launch if self._launcher is None else replace(host.launch, launcher=self._launcher)
        launches = [self._plan.hosts[name].launch for name in hosts if name in self._plan.hosts]
        launch = replace(launch, host_settings=list_host_settings(launches))
        name = f"{self._plan.origins.get(hosts[0], self._plan.name)}: {hosts[0]}"
        if nics_only:
            nic_launch = restrict_to_nics(launch)
            if nic_launch is None:
                raise refuse(
                    name, f"jobs over {launch.library}", "a library that can be restricted to the NICs within a host"
                )
            launch = nic_launch
        starts = [
            platforms()["launcher", platform].start for platform in platforms_of_launch(launch.library, launch.launcher)
        ]
        start = next((start for start in reversed(starts) if start is not None), None)
        if start is None:
            raise refuse(
                name,
                f"jobs over {launch.library} with launcher {launch.launcher}",
                "a launcher that wirespeed can start",
            )
        bound = ranks_per_host == launch.ranks_per_host
        return start(Job(tuple(hosts), ranks_per_host, tuple(program), replace(host, launch=launch), bound))

    def job_over_sockets(
        self, ranks: Mapping[str, int], program: Sequence[str], variables: Mapping[str, str]
    ) -> tuple[str, ...]:
        """The command that starts a program on hosts without RDMA, with some ranks on each."""
        return start_over_sockets(ranks, program, self._plan.hosts[next(iter(ranks))].software, variables)

    def job_alone(self, host: str, program: Sequence[str], variables: Mapping[str, str]) -> tuple[str, ...]:
        """The command that starts a program in one process on a host, without MPI."""
        return start_alone(program, self._plan.hosts[host].software, variables)

    def job_here(self, ranks: int, program: Sequence[str]) -> tuple[str, ...]:
        """The command that starts a program on this machine only."""
        return start_locally(ranks, tuple(program))

    def gpu_memory(self, host: str, gpu: int) -> tuple[str, ...]:
        """perftest's option for memory of a GPU of a host; () if there is none."""
        return gpu_memory(self._plan.hosts[host].launch, gpu)

    def gpu_copies(self, host: str) -> tuple[tuple[str, ...], ...]:
        """The programs that copy between the GPUs of a host, with their options; () for GPUs of other vendors."""
        models = sorted({gpu.model for gpu in self._plan.hosts[host].gpus.values() if gpu.model})
        vendors = dict.fromkeys(self._plan.hardware.gpus[model].vendor for model in models)
        return tuple(program for vendor in vendors for program in list_gpu_copies(vendor))

    def environment(self, host: str, device: str) -> Mapping[str, str]:
        """Variables that restrict a program over UCX to one NIC of a host."""
        return dict(nic_variables(self._plan.hosts[host].launch, device))


class LabJobs(Jobs):
    """Jobs on hosts of a lab: always Open MPI over TCP, because a lab has neither RDMA nor ssh."""

    def __init__(self, plan: Plan, agent: Sequence[str], control: str) -> None:
        """``agent`` starts a command on a host, ``control`` is the interface without data traffic."""
        super().__init__(plan)
        self._agent, self._control = agent, control

    def job(
        self, hosts: Sequence[str], ranks_per_host: int, program: Sequence[str], *, nics_only: bool = False
    ) -> tuple[str, ...]:
        """The command that starts a program on hosts.

        Raises:
            Refusal: ``nics_only`` is not possible in a lab.
        """
        if nics_only:
            raise refuse("lab", "ranks that communicate over NICs only", "ranks on several hosts")
        return start_over_tcp(hosts, ranks_per_host, program, self._agent, self._control)
