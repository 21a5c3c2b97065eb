"""Launch settings of jobs: hosts, ranks and their cores, and settings of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import CpuTopology, LibraryModel, ServerModel, Tuning
from wirespeed.cluster import Cluster, HostSpec
from wirespeed.cluster.launch import BindingPolicy, Launcher, LaunchPart
from wirespeed.errors import format_choices
from wirespeed.plan.affinity import Chassis, HostPort
from wirespeed.plan.classes import ROCE
from wirespeed.plan.combination import parse_version
from wirespeed.plan.core_binding import Ranks, Topology, bind_ranks, build_topology, count_cores
from wirespeed.plan.numa import has_smt, nodes_per_socket
from wirespeed.plan.pcie_tree import gpu_positions
from wirespeed.plan.problems import Problems
from wirespeed.settings import BiosAttribute, Cores, Launch, Nvm, TrafficClass


def plan_launch(
    cluster: Cluster,
    chassis: Chassis,
    classes: dict[str, TrafficClass],
    spec: HostSpec,
    catalogue: Catalogue,
    bios: Mapping[str, BiosAttribute],
    nvm: Nvm,
    problems: Problems,
) -> Launch:
    """The launch settings of every host of one kind."""
    part, roce = cluster.launch, classes.get(ROCE)
    vendor = _gpu_vendor(chassis, catalogue)
    name = part.library or _select_library(vendor, catalogue)
    library = catalogue.libraries.get(name)
    if library is None:
        problems.refuse_unknown(("launch", "library"), "library", name, catalogue.libraries)
        return Launch()
    launcher = _select_launcher(part, library, problems)
    if library.gpus is not None and library.gpus != vendor:
        problems.refuse(
            ("launch", "library"),
            f"{name} on {chassis.server.title}",
            f"hosts with GPUs of {library.gpus}",
            f"{_select_library(vendor, catalogue)} serves these",
        )
    host_ports = _select_job_ports(spec, chassis, problems)
    ranks = part.ranks or chassis.server.gpu_count or len(host_ports)
    tuning = _tuning_settings(part, spec, library, chassis, nvm, problems)
    queue_pairs = _count_queue_pairs(cluster, replace(chassis, host_ports=host_ports), ranks, tuning, problems)
    _check_threads(part, chassis, ranks, tuning, problems)
    return Launch(
        library=name,
        launcher=launcher,
        hosts=tuple(cluster.hosts),
        ranks_per_host=ranks,
        other_ranks={},
        threads=part.threads,
        binding=part.binding and str(part.binding),
        cores=_bind_cores(part, chassis, ranks, bios, problems),
        memlock="unlimited" if launcher == Launcher.SLURM else None,
        rdma_devices=tuple(host_port.rdma_device for host_port in host_ports),
        gid_index=part.gid_index,
        needed_queue_pairs=queue_pairs,
        dscp=roce.nic_dscp if library.marks and roce else None,
        priority=part.priority,
        control_interface=spec.part.control_interface if library.gpus is not None else None,
        environment=dict(part.environment) or None,
        gpu_memory=_select_gpu_memory(part, chassis, vendor, problems),
        **tuning,
    )


def _select_job_ports(spec: HostSpec, chassis: Chassis, problems: Problems) -> tuple[HostPort, ...]:
    """The NIC ports that jobs use; source: Broadcom 957608-AN210, 8.7.3.4."""
    excluded = {interface for interface, part in spec.part.nic.items() if part.jobs is False}
    host_ports = tuple(host_port for host_port in chassis.host_ports if host_port.interface not in excluded)
    if not host_ports:
        problems.refuse((*spec.path, "nic"), "jobs: false on every NIC", "a NIC that jobs use")
    return host_ports


def _select_launcher(part: LaunchPart, library: LibraryModel, problems: Problems) -> str:
    launcher = part.launcher or library.launchers[0]
    if launcher not in library.launchers:
        problems.refuse(
            ("launch", "launcher"), f"{launcher} for jobs over {library.title}", format_choices(library.launchers)
        )
    return str(launcher)


def _count_queue_pairs(
    cluster: Cluster, chassis: Chassis, ranks: int, tuning: Mapping[str, Any], problems: Problems
) -> int | None:
    """The queue pairs of a host if every rank sends to every other; None: the transport decides while a job runs.

    More than its NICs have is a warning. Over RC a rank has a connection to each rank of other hosts that it sends to,
    in hybrid at most a number of them, and a UD queue pair on every NIC too.
    """
    limit = chassis.nic.queue_pairs
    peers, maximum = ranks * (len(cluster.hosts) - 1), tuning["rc_connections"]
    transport = (tuning["transport"] or "").removesuffix("-verbs")
    needed: int | None
    connection_pairs = tuning["queue_pairs"] or 1
    if transport == "rc" or (transport == "hybrid" and _is_below_hybrid(tuning, ranks * len(cluster.hosts))):
        needed, reason = ranks * peers * connection_pairs, "if every rank sends to every other"
        hint = "transport: hybrid (with hybrid_from at most the number of ranks) or ud, or fewer ranks"
        text = "over RC"
    elif transport == "hybrid" and maximum is not None:
        needed = ranks * (min(peers, maximum) * connection_pairs + len(chassis.host_ports))
        reason, hint, text = "with their UD queue pairs", "fewer rc_connections", f"with {maximum} RC connections each"
    else:
        needed = None
    if transport == "hybrid":
        _check_smaller_jobs(len(cluster.hosts), chassis, ranks, tuning, problems)
    if needed is None:
        return None
    if limit is None or needed <= limit.value * len(chassis.host_ports):
        return needed
    problems.warn(
        ("launch", "transport"),
        f"{ranks} ranks on each of {len(cluster.hosts)} hosts {text}: {needed:,} queue pairs on a host {reason}",
        f"at most {limit.value * len(chassis.host_ports):,}, the limit of its NICs: {chassis.nic.title}",
        hint,
    )
    return needed


def _check_smaller_jobs(
    hosts: int, chassis: Chassis, ranks: int, tuning: Mapping[str, Any], problems: Problems
) -> None:
    """A hybrid job with fewer ranks than `hybrid_from` is over RC: the largest one on a part of the hosts counts."""
    limit, hybrid_from = chassis.nic.queue_pairs, tuning["hybrid_from"]
    if limit is None or hybrid_from is None or hybrid_from > ranks * hosts:
        return  # a job on all hosts is over RC: it is the largest
    available, of_peer = limit.value * len(chassis.host_ports), ranks * ranks * (tuning["queue_pairs"] or 1)
    largest, smallest = (hybrid_from - 1) // ranks, available // of_peer + 2
    if largest < smallest:
        return
    count = str(largest) if largest == smallest else f"{smallest} to {largest}"
    problems.warn(
        ("launch", "hybrid_from"),
        f"up to {of_peer * (largest - 1):,} queue pairs on a host if every rank sends to every other: jobs on {count} "
        f"hosts with {ranks} ranks per host use RC alone (fewer than {hybrid_from:,} ranks)",
        f"at most {available:,}, the limit of its NICs: {chassis.nic.title}",
        f"set hybrid_from: {ranks * (smallest - 1) + 1}, so that jobs on {smallest} or more hosts use UD too",
    )


def _is_below_hybrid(tuning: Mapping[str, Any], ranks: int) -> bool:
    """Whether hybrid connects all ranks of the job over RC, as it does below its number of ranks."""
    return tuning["hybrid_from"] is not None and ranks < tuning["hybrid_from"]


def _check_threads(
    part: LaunchPart, chassis: Chassis, ranks: int, tuning: Mapping[str, Any], problems: Problems
) -> None:
    """A rank's threads and the progress thread of its library need a core each, or they take turns on one."""
    cpus, threads = chassis.server.cpus, part.threads or 1
    if cpus is None or not tuning["async_progress"]:
        return
    cores, needed = cpus.sockets.value * cpus.cores.value, ranks * (threads + 1)
    if needed <= cores:
        return
    of_rank = "its progress thread" if threads == 1 else f"{threads} threads and a progress thread"
    problems.warn(
        ("launch", "async_progress"),
        f"{ranks} ranks on each host, each with {of_rank}: {needed} threads",
        f"at most {cores}, the cores of {chassis.server.title}",
        f"at most {cores // (threads + 1)} ranks, or async_progress: false",
    )


_GPU_MEMORY = {"nvidia": "cuda", "amd": "rocm"}


def _select_gpu_memory(part: LaunchPart, chassis: Chassis, vendor: str | None, problems: Problems) -> str | None:
    """The kind of GPU memory in messages; None: not configured."""
    if part.gpu_memory is None:
        return None
    if not part.gpu_memory:
        return "none"
    kind = _GPU_MEMORY.get(vendor or "")
    if kind is None:
        problems.refuse(
            ("launch", "gpu_memory"),
            f"messages in GPU memory on {chassis.server.title}",
            f"hosts with GPUs of {format_choices(_GPU_MEMORY)}",
        )
    return kind


def _gpu_vendor(chassis: Chassis, catalogue: Catalogue) -> str | None:
    gpu = catalogue.gpus.get(chassis.server.gpu or "")
    return gpu.vendor if gpu else None


_WITHOUT_GPUS = "openmpi"
"""Source: Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, tables 5 and 5.1: UCX and OpenMPI."""


def _select_library(vendor: str | None, catalogue: Catalogue) -> str:
    """The default library of jobs on hosts with such GPUs."""
    libraries = [name for name, library in catalogue.libraries.items() if vendor is not None and library.gpus == vendor]
    return libraries[0] if libraries else _WITHOUT_GPUS


def _tuning_settings(
    part: LaunchPart, spec: HostSpec, library: LibraryModel, chassis: Chassis, nvm: Nvm, problems: Problems
) -> dict[str, Any]:
    """Settings of the library: from the cluster file, else from the catalogue.

    Without relaxed ordering in the NICs, a library of GPUs registers no memory for it unless the cluster file states
    it. NCCL's own default is automatic: for relaxed ordering where the driver supports it (NCCL_IB_PCI_RELAXED_ORDERING
    is 2; NCCL, src/transport/net_ib).
    """
    settings: dict[str, Any] = {}
    for name in Tuning.model_fields:
        usual, configured = getattr(library.tuning, name), getattr(part, name)
        value = configured if configured is not None else usual.value if usual is not None else None
        settings[name] = str(value) if isinstance(value, StrEnum) else value
    if nvm.relaxed_ordering is False and part.relaxed_ordering is None and library.gpus is not None:
        settings["relaxed_ordering"] = False
    if settings["dma_buf"] and _needs_virtual_memory(part, spec, library, chassis, problems):
        settings["virtual_memory"] = True
    return settings


def _needs_virtual_memory(
    part: LaunchPart, spec: HostSpec, library: LibraryModel, chassis: Chassis, problems: Problems
) -> bool:
    """Whether the NIC's driver registers dma-buf of virtual memory only, with the hosts' ROCm."""
    rule = library.dma_buf_needs_virtual_memory
    if rule is None or chassis.nic.driver not in rule.drivers:
        return False
    release = spec.part.software.rocm
    if release is None:
        problems.warn(
            ("launch", "dma_buf"),
            "dma-buf without a ROCm release",
            "software: {rocm: …} of the hosts",
            f"from {rule.since} on it needs virtual memory too with {chassis.nic.driver}",
        )
        return False
    needed_here = parse_version(release) >= parse_version(rule.since)
    if needed_here and part.virtual_memory is False:
        problems.refuse(
            ("launch", "virtual_memory"),
            f"dma-buf without virtual memory with {chassis.nic.driver}",
            f"both, from ROCm {rule.since} on",
            "leave virtual_memory out",
        )
    return needed_here


def _bind_cores(
    part: LaunchPart, chassis: Chassis, ranks: int, bios: Mapping[str, BiosAttribute], problems: Problems
) -> Cores | None:
    if part.binding is None:
        return None
    cpus, threads = chassis.server.cpus, part.threads or 1
    if cpus is None:
        problems.refuse(
            ("launch", "binding"),
            f"the binding {part.binding} on {chassis.server.title}",
            "a server whose cores are in the catalogue",
            "describe the server in hardware: servers: with this one as base and its cpus, or leave the binding out",
        )
        return None
    topology, nodes, gpu_nodes = _find_nodes(chassis.server, cpus, bios)
    total, core_count = len(topology.cores), count_cores(part.binding, ranks, threads)
    if core_count > total:
        problem = (
            f"{ranks} ranks of {threads} threads on each host" if core_count > ranks else f"{ranks} ranks on each host"
        )
        problems.refuse(("launch", "ranks"), problem, f"at most {total} cores, those of {chassis.server.title}")
        return None
    if part.binding is BindingPolicy.COMPACT and threads > topology.siblings:
        problems.refuse(
            ("launch", "threads"),
            f"{threads} threads of a rank, bound compact",
            f"at most {topology.siblings}, the hardware threads of a core{'' if has_smt(bios) else ' without SMT'}",
            "linear and spread give each thread a separate core",
        )
        return None
    one_core = (BindingPolicy.BUNCH, BindingPolicy.SCATTER, BindingPolicy.NUMA)
    if threads > 1 and part.binding in one_core:
        problems.warn(
            ("launch", "binding"),
            f"{threads} threads of a rank on one core, bound {part.binding}",
            "linear or spread, which give each thread a separate core",
        )
    return bind_ranks(part.binding, topology, nodes, Ranks(ranks, threads, gpu_nodes))


def _find_nodes(
    server: ServerModel, cpus: CpuTopology, bios: Mapping[str, BiosAttribute]
) -> tuple[Topology, list[tuple[int, ...]], tuple[int, ...]]:
    """The cores from the first NIC's on, the cores of each NUMA node, and the node of each GPU.

    With another number of nodes per socket than in the catalogue, only the sockets are known: a socket of one node
    gives the nodes of its GPUs.
    """
    nodes_of_socket, smt = nodes_per_socket(server, bios), has_smt(bios)
    near, gpus = server.nic_numa_node(1), [position.numa_node for position in gpu_positions(server).values()]
    if nodes_of_socket != cpus.numa_nodes.value:
        near = None if near is None else near // cpus.numa_nodes.value * nodes_of_socket
        sockets = [None if node is None else node // cpus.numa_nodes.value for node in gpus]
        gpus = sockets if nodes_of_socket == 1 else []
    ordered = build_topology(cpus, None, nodes_of_socket, smt=smt)
    nodes = [cores for socket in ordered.sockets for cores in socket]
    gpu_nodes = tuple(node for node in gpus if node is not None)
    topology = build_topology(cpus, near, nodes_of_socket, smt=smt)
    return topology, nodes, gpu_nodes if len(gpu_nodes) == len(gpus) else ()
