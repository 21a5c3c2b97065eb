"""Facts about a run of nccl-tests or rccl-tests that NCCL's debug lines prove: algorithm, protocol, NICs, GPUDirect.

Only what the library printed counts. A size for which it printed two choices, or none, is not in the result. What is
proven comes before what the user states or the library usually does; where it contradicts the user, a note states it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from wirespeed.benchmarks.endpoints.nics import list_hosts_of_ranks
from wirespeed.benchmarks.tools.nccl_debug.lines import ALGORITHMS, LIBFABRIC_PROVIDER, NO_RDMA, PROTOCOLS, algorithm
from wirespeed.limits.algorithms import Algorithm
from wirespeed.limits.gpus import find_gpu_links
from wirespeed.limits.host import socket_term
from wirespeed.number_ranges import format_ranges, parse_ranges
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Run, RunStatus
from wirespeed.results.nccl import (
    MIXED_LINKS,
    Communicator,
    NcclChoice,
    NcclConflict,
    NcclNic,
    NcclRank,
    describe_mixed_links,
)
from wirespeed.settings import Host

_FUNCTIONS = {
    "all_reduce": "AllReduce",
    "all_gather": "AllGather",
    "reduce_scatter": "ReduceScatter",
    "broadcast": "Broadcast",
    "reduce": "Reduce",
}
_OF_ONE_RANK = ("AllGather", "ReduceScatter")  # NCCL counts what one rank gives or gets, nccl-tests all of it
_NAME = re.compile(r"\w+")
_ALGORITHM_LIST = "NCCL_ALGO"
_NVLS = "NCCL_NVLS_ENABLE"
_DEVICE_LIST = "NCCL_IB_HCA"
SOCKET_INTERFACE = "NCCL_SOCKET_IFNAME"
_NETWORK_TRANSPORTS = ("NET/", "COLLNET/")
_SOCKET_PROVIDERS = ("tcp", "sockets")
_NO_PEERS: Mapping[str, Callable[[str], bool]] = {
    "NCCL_P2P_DISABLE": lambda value: _is_flag_set(value),
    "NCCL_P2P_LEVEL": lambda value: value in ("LOC", "0"),
}
_NO_SHARED_MEMORY = "NCCL_SHM_DISABLE"
_SOCKETS = ("socket", "fastsocket")  # NCCL src/transport/net_socket.cc; google/nccl-fastsocket, net_fastsocket.cc


def _is_flag_set(value: str) -> bool:
    """Whether a number that NCCL reads as a flag is not 0."""
    return value.isdecimal() and int(value) != 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Proven facts. ``algorithms`` and ``protocols`` are by message size of the run's table."""

    communicator: Communicator
    algorithms: Mapping[int, str] = field(default_factory=dict)
    protocols: Mapping[int, str] = field(default_factory=dict)
    forced_algorithm: str | None = None
    forced_protocol: str | None = None
    excluded_algorithms: Mapping[str, str] = field(default_factory=dict)  # to the variable with its value
    network: str | None = None
    link: str | None = None
    nics: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gdrdma: str | None = None
    device_list: str | None = None  # NCCL_IB_HCA
    lines: tuple[int, ...] = ()
    conflicts: tuple[NcclConflict, ...] = ()
    within_host: bool = False  # all ranks are on one host

    @property
    def uses_network(self) -> bool:
        """Whether data of the run cross the network: between hosts, or from a GPU to another of its host over NICs.

        NCCL lists NICs and names its network in a run on one host too, where data stay inside the host.
        """
        paths = self.communicator.paths or ()
        over_network = any(path.transport.startswith(_NETWORK_TRANSPORTS) for path in paths)
        return not self.within_host or over_network or self.nics_only is not None

    @property
    def ends(self) -> str:
        """What connections over the network are between."""
        return "the GPUs of the host" if self.within_host else "hosts"

    @property
    def nics_only(self) -> str | None:
        """The variables that leave the GPUs of a host only its NICs: neither their links nor host memory.

        NCCL user guide, NCCL_P2P_DISABLE, NCCL_P2P_LEVEL (LOC: never) and NCCL_SHM_DISABLE. None if the log shows other
        paths, so that without these variables NICs are a loss.
        """
        environment, paths = self.communicator.environment or {}, self.communicator.paths or ()
        peers = [name for name, is_off in _NO_PEERS.items() if is_off(environment.get(name, ""))]
        if not peers or not _is_flag_set(environment.get(_NO_SHARED_MEMORY, "")):
            return None
        if any(not path.transport.startswith(_NETWORK_TRANSPORTS) for path in paths):
            return None
        return ", ".join(f"{name}={environment[name]}" for name in (*peers, _NO_SHARED_MEMORY))

    @property
    def is_over_sockets(self) -> bool:
        """Whether data between hosts went over TCP sockets: NCCL's own, or those of a provider of libfabric."""
        if self.socket_provider is not None or (self.network or "").lower() in _SOCKETS:
            return True
        return self.network is None and self.has_no_rdma_device

    @property
    def socket_provider(self) -> str | None:
        """The provider of libfabric with which a plugin of NCCL sends over sockets: fi_provider(7), fi_tcp(7)."""
        plugins = self.communicator.plugins or ()
        return next((name for name in _SOCKET_PROVIDERS if f"{LIBFABRIC_PROVIDER}{name}" in plugins), None)

    @property
    def has_no_rdma_device(self) -> bool:
        """Whether NCCL printed that it found no RDMA device or no library for them."""
        return any(text in warning.text for warning in self.communicator.warnings for text in NO_RDMA)


def describe_sockets(proven: Evidence) -> str:
    """What a run over TCP sockets used, and why, where NCCL prints that it found no RDMA device."""
    reason = "NCCL found no RDMA device" if proven.has_no_rdma_device else "NCCL did not use RDMA"
    network = "NET/Socket" if proven.socket_provider is None else f"{LIBFABRIC_PROVIDER}{proven.socket_provider}"
    names = dict.fromkeys(name for interfaces in proven.nics.values() for name in interfaces)
    interfaces = f" over {', '.join(names)}" if names else ""
    return (
        f"transport between {proven.ends}: TCP sockets{interfaces}, {reason} ({network}; `wirespeed explain NCCL-01`)"
    )


def list_failures(evidence: Evidence, plan: Plan) -> tuple[str, ...]:
    """Entries of the failure catalogue: first those that the log proves, then likely ones."""
    likely = (failure for cause in find_causes(evidence, plan) for failure in cause.likely)
    return tuple(dict.fromkeys((*list_proven_failures(evidence, plan), *likely)))


def list_proven_failures(evidence: Evidence, plan: Plan) -> tuple[str, ...]:
    """Entries of the failure catalogue that the log proves."""
    bootstrap = _FAILURE_OF_BOOTSTRAP if describe_bootstrap(evidence, plan) else ()
    causes = (failure for cause in find_causes(evidence, plan) for failure in cause.failures)
    return tuple(dict.fromkeys((*bootstrap, *causes)))


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a run was slow, with the entries of the failure catalogue that are proven, and those that are likely.

    ``bottleneck`` names what limits the run; None for a cause of losses that is no limit.
    """

    text: str
    failures: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    bottleneck: str | None = None
    limits_nics: bool = False
    is_staged: bool = False  # between the GPUs of a host, in its memory


def evidence(run: Run, communicators: Sequence[Communicator]) -> Evidence | None:
    """The evidence of a run's communicator; None where no communicator certainly belongs to the run."""
    communicator = _find_communicator(run, communicators)
    return None if communicator is None else _collect_evidence(run, communicator)


def find_causes_without_results(communicators: Sequence[Communicator], plan: Plan) -> tuple[str, ...]:
    """What the debug lines of a log without benchmark results prove, such as the use of TCP sockets.

    A part of a log does not show all NICs in use.
    """
    no_run = Run("nccl-tests", None, None, RunStatus.FAILED, None, None)
    evidences = [_collect_evidence(no_run, communicator) for communicator in communicators]
    causes = [cause for evidence in evidences for cause in find_causes(evidence, plan)]
    warnings = [warning for communicator in communicators for warning in communicator.warnings if warning.failures]
    texts = [cause.text for cause in causes if not cause.limits_nics]
    return tuple(dict.fromkeys((*texts, *(_add_explanation(warning.text, warning.failures) for warning in warnings))))


def _collect_evidence(run: Run, communicator: Communicator) -> Evidence:
    algorithms: dict[int, str] = {}
    protocols: dict[int, str] = {}
    lines: list[int] = []
    for size, choices in _group_choices_by_size(run, communicator).items():
        if len({choice.algorithm for choice in choices}) == 1:
            algorithms[size] = choices[0].algorithm
            lines.append(choices[0].line)
        if len({choice.protocol for choice in choices}) == 1:
            protocols[size] = choices[0].protocol
    links = {nic.link for nic in _nics_in_use(communicator)}
    environment = {**run.parameters.environment, **communicator.environment}
    function = _FUNCTIONS.get(run.test or "")
    return Evidence(
        communicator=communicator,
        algorithms=algorithms,
        protocols=protocols,
        forced_algorithm=_find_only_choice(environment.get(_ALGORITHM_LIST), ALGORITHMS, function),
        forced_protocol=_find_only_choice(environment.get("NCCL_PROTO"), PROTOCOLS, function),
        excluded_algorithms=_list_excluded_algorithms(environment, function),
        network=communicator.network or _find_only_network(communicator),
        link=next(iter(links)) if len(links) == 1 else None,
        nics={
            host: tuple(dict.fromkeys(nic.name for nic in _nics_in_use(communicator) if nic.host == host))
            for host in communicator.hosts
            if any(nic.host == host for nic in _nics_in_use(communicator))
        },
        gdrdma=communicator.gdrdma,
        device_list=run.parameters.environment.get(_DEVICE_LIST) or environment.get(_DEVICE_LIST),
        lines=tuple(sorted(lines)),
        conflicts=communicator.conflicts,
        within_host=_is_within_host(run, communicator),
    )


def _is_within_host(run: Run, communicator: Communicator) -> bool:
    """Whether the log proves that all ranks are on one host."""
    hosts = list_hosts_of_ranks(run, run.ranks or communicator.ranks or 0, communicator)
    return len(set(hosts)) == 1 or 1 in (run.parameters.nodes, communicator.nodes)


def _find_communicator(run: Run, communicators: Sequence[Communicator]) -> Communicator | None:
    """The last communicator of the run's size before its numbers."""
    first = min((measurement.line for measurement in run.measurements), default=None)
    fitting = [
        communicator
        for communicator in communicators
        if (first is None or communicator.line < first)
        and (None in (communicator.ranks, run.ranks) or communicator.ranks == run.ranks)
    ]
    if not fitting:
        return None
    of_run_size = [
        communicator for communicator in fitting if communicator.ranks is not None and communicator.ranks == run.ranks
    ]
    if of_run_size:
        return of_run_size[-1]
    return fitting[0] if len(fitting) == 1 else None


def _group_choices_by_size(run: Run, communicator: Communicator) -> dict[int, list[NcclChoice]]:
    functions = {choice.function for choice in communicator.choices}
    wanted = _FUNCTIONS.get(run.test or "") or (next(iter(functions)) if len(functions) == 1 else None)
    sizes: dict[int, list[NcclChoice]] = {
        measurement.size_bytes: [] for measurement in run.measurements if measurement.size_bytes
    }
    for choice in communicator.choices:
        if choice.function not in (wanted, None) or (wanted is None and len(functions) > 1):
            continue
        factors = (1, communicator.ranks or 1) if choice.function in (*_OF_ONE_RANK, None) else (1,)
        for factor in dict.fromkeys(reversed(factors)):
            if choice.size_bytes * factor in sizes:
                sizes[choice.size_bytes * factor].append(choice)
                break
    return {size: choices for size, choices in sizes.items() if choices}


def _nics_in_use(communicator: Communicator) -> list[NcclNic]:
    """The NICs that connections use; all NICs that the library lists if the log contains no connection."""
    used = {(path.host, path.transport, path.device) for path in communicator.paths if path.device is not None}
    of_network = [
        nic
        for nic in communicator.nics
        if communicator.network is None or _is_same_network(nic.network, communicator.network)
    ]
    if not used:
        return of_network
    devices = {(host, device) for host, _, device in used}
    return [nic for nic in of_network if (nic.host, nic.device) in devices]


def _find_only_network(communicator: Communicator) -> str | None:
    """TCP sockets, where the library lists no other devices; it tries them last (NCCL src/plugin/net.cc)."""
    networks = {nic.network for nic in communicator.nics}
    return "Socket" if networks == {"Socket"} else None


def _is_same_network(listed: str, used: str) -> bool:
    """Whether NICs listed by ``NET/IB : Using`` are those of the network in use; plugins list theirs as IB too."""
    return (listed == "Socket") == (used == "Socket")


def _list_allowed(value: str, choices: Sequence[str], function: str | None) -> frozenset[str]:
    """The algorithms or protocols that a variable allows for a function: all, those of its list, or all others.

    ``Ring,Tree``, ``^NVLS``, and since NCCL 2.24 ``ring;allreduce:^tree``: NCCL src/graph/tuning.cc, parseList, which
    accepts no numbers.
    """
    allowed = frozenset(choices)
    for entry in value.split(";"):
        prefix, _, names = entry.rpartition(":")
        if prefix and prefix.lower() != (function or "").lower():
            continue
        listed = frozenset(algorithm(name) for name in names.removeprefix("^").split(",") if not name.isdecimal())
        if listed:
            allowed = frozenset(choices) - listed if names.startswith("^") else listed
    return allowed


def _find_only_choice(value: str | None, choices: Sequence[str], function: str | None) -> str | None:
    """The only algorithm or protocol that the environment allows; None where it allows several."""
    allowed = [] if value is None else sorted(_list_allowed(value, choices, function))
    return allowed[0] if len(allowed) == 1 and _NAME.fullmatch(allowed[0]) else None


def _list_excluded_algorithms(environment: Mapping[str, str], function: str | None) -> dict[str, str]:
    """The algorithms that variables exclude, each with the variable and its value."""
    excluded = {}
    value = environment.get(_ALGORITHM_LIST)
    if value is not None:
        allowed = _list_allowed(value, ALGORITHMS, function)
        excluded = {name: f"{_ALGORITHM_LIST}={value}" for name in ALGORITHMS if name not in allowed}
    if environment.get(_NVLS) == "0":  # NCCL user guide, NCCL_NVLS_ENABLE
        excluded |= dict.fromkeys(("NVLS", "NVLS_TREE"), f"{_NVLS}=0")
    return excluded


_ALGORITHMS: Mapping[str, Algorithm] = {
    "RING": Algorithm.RING,
    "TREE": Algorithm.TREE,
    "NVLS": Algorithm.NVLS,
    "NVLS_TREE": Algorithm.NVLS_TREE,
    "COLLNET_DIRECT": Algorithm.COLLNET,
    "COLLNET_CHAIN": Algorithm.COLLNET,
}
_SUMMING = ("COLLNET_DIRECT", "COLLNET_CHAIN")
_SLOW_PROTOCOLS = {"LL": "half of each 8 bytes are flags", "LL128": "8 of each 128 bytes are flags"}


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof for one run: ``algorithms`` by message size, ``causes`` of a loss, and ``notes``.

    ``excluded``: algorithms with the variable that excludes them. ``has_bottleneck``: a cause limits the run at a rate
    that is not that of its NICs; ``has_fewer_nics``: a host used fewer NICs than planned.
    """

    algorithms: Mapping[int, Algorithm] = field(default_factory=dict)
    forced: Algorithm | None = None
    excluded: Mapping[Algorithm, str] = field(default_factory=dict)
    summing: bool = False  # the switches of the network reduce
    causes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    has_bottleneck: bool = False
    has_fewer_nics: bool = False

    def algorithm(self, size: int | None) -> Algorithm | None:
        """The algorithm that moved a size, as far as the log states it."""
        return self.algorithms.get(size or 0, self.forced)


def derive_proof(run: Run, evidence: Evidence | None, plan: Plan, stated: Algorithm | None) -> Proof:
    """Derive the proof from the debug lines of a run; without them, from the variables of its command."""
    if evidence is None:
        environment, function = run.parameters.environment, _FUNCTIONS.get(run.test or "")
        name = _find_only_choice(environment.get(_ALGORITHM_LIST), ALGORITHMS, function)
        excluded = _find_excluded(_list_excluded_algorithms(environment, function))
        return Proof(forced=_ALGORITHMS.get(name or ""), excluded=excluded, summing=name in _SUMMING)
    by_size = {size: _ALGORITHMS[name] for size, name in evidence.algorithms.items() if name in _ALGORITHMS}
    forced = _ALGORITHMS.get(evidence.forced_algorithm or "")
    names = {*evidence.algorithms.values(), evidence.forced_algorithm}
    excluded = _find_excluded(evidence.excluded_algorithms)
    causes = find_causes(evidence, plan)
    return Proof(
        algorithms=by_size,
        forced=forced,
        excluded=excluded,
        summing=any(name in _SUMMING for name in names),
        causes=tuple(cause.text for cause in causes),
        notes=(
            *_find_contradictions(by_size, forced, stated, excluded),
            *(note for note in (describe_bootstrap(evidence, plan), _describe_sockets_of_gpus(evidence, plan)) if note),
        ),
        has_bottleneck=any(cause.bottleneck is not None and not cause.limits_nics for cause in causes),
        has_fewer_nics=any(cause.limits_nics for cause in causes),
    )


def _find_excluded(excluded: Mapping[str, str]) -> dict[Algorithm, str]:
    """The algorithms of which NCCL's environment excludes every form, each with the variable."""
    forms: dict[Algorithm, list[str]] = {}
    for name, algorithm_of_name in _ALGORITHMS.items():
        forms.setdefault(algorithm_of_name, []).append(name)
    return {
        algorithm_of_names: excluded[names[0]]
        for algorithm_of_names, names in forms.items()
        if all(name in excluded for name in names)
    }


def find_causes(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Causes of a loss that the log proves, bottlenecks of the network first."""
    crosses_network = evidence.uses_network
    causes = [*_report_transport(evidence, plan)] if crosses_network else []
    causes += _report_shared_memory(evidence, plan)
    causes += _report_nic_settings(evidence, plan) if crosses_network else []
    causes += _report_far_cores(evidence) or _report_cores_of_another_node(evidence, plan)
    causes += _report_shared_cores(evidence) or _report_single_cores(evidence)
    causes += _report_conflicts(evidence) if crosses_network else []
    protocol = _select_largest_size(evidence.protocols) or evidence.forced_protocol
    if protocol in _SLOW_PROTOCOLS:
        text = f"the largest messages went by protocol {protocol}: {_SLOW_PROTOCOLS[protocol]}"
        causes.append(Cause(text, bottleneck=f"protocol {protocol}"))
    return causes


def _report_transport(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Report sockets where RDMA is planned, NICs that were not used, and connections without GPUDirect RDMA."""
    if not evidence.is_over_sockets:
        return [*_report_unused_nics(evidence, plan), *_report_staging(evidence)]
    if not any(nic.rdma_device for host in plan.hosts.values() for nic in host.nics.values()):
        return []
    return [Cause(describe_sockets(evidence), ("NCCL-01",), bottleneck=f"TCP sockets between {evidence.ends}")]


def _report_nic_settings(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Report another GID, link or traffic class of the NICs than planned."""
    causes = _report_gid(evidence, plan)
    if not evidence.is_over_sockets:
        causes += _report_mixed_links(evidence)
    if evidence.link == "IB":
        causes.append(Cause("the NICs were on InfiniBand, not RoCE"))
    return causes if evidence.is_over_sockets else [*causes, *_traffic_class(evidence, plan)]


def _report_conflicts(evidence: Evidence) -> Iterator[Cause]:
    """Report variables of the network that differ between the processes of a job."""
    for conflict in evidence.conflicts:
        values = ", ".join(conflict.values)
        text = f"{conflict.variable} differs between processes ({values}): {conflict.effect}; {conflict.fix}"
        yield Cause(_add_explanation(text, conflict.failures), conflict.failures)


def _add_explanation(text: str, failures: Sequence[str]) -> str:
    return f"{text} (`wirespeed explain {' '.join(failures)}`)" if failures else text


_NO_GPU_REGISTRATION = ("OS-10", "OS-11")  # no peer-memory client, no DMA-BUF


def _report_staging(evidence: Evidence) -> list[Cause]:
    """Report connections without GPUDirect RDMA; NCCL's "GPU Direct RDMA Disabled" proves why."""
    if evidence.gdrdma not in ("none", "some"):
        return []
    text = f"only some connections between {evidence.ends} used GPUDirect RDMA"
    bottleneck = "GPUDirect RDMA on only some connections"
    if evidence.gdrdma == "none":
        text = f"no connection between {evidence.ends} used GPUDirect RDMA: data were staged in host memory"
        bottleneck = f"no GPUDirect RDMA between {evidence.ends}"
    if any(nic.gpudirect is False for nic in evidence.communicator.nics):
        explained = _add_explanation(text, _NO_GPU_REGISTRATION)
        return [Cause(explained, _NO_GPU_REGISTRATION, bottleneck=bottleneck)]
    return [Cause(text, likely=_NO_GPU_REGISTRATION, bottleneck=bottleneck)]


def _report_mixed_links(evidence: Evidence) -> list[Cause]:
    """Report InfiniBand and RoCE devices of one communicator."""
    text = describe_mixed_links(_nics_in_use(evidence.communicator))
    return [Cause(_add_explanation(text, MIXED_LINKS), likely=MIXED_LINKS)] if text else []


def _traffic_class(evidence: Evidence, plan: Plan) -> list[Cause]:
    """NCCL_IB_TC with another DSCP than planned; its two low bits are ECN."""
    used = evidence.communicator.traffic_class
    planned = next((host.launch.dscp for host in plan.hosts.values() if host.launch.dscp is not None), None)
    if used is None or planned is None or used >> 2 == planned:
        return []
    text = f"NCCL_IB_TC={used} is DSCP {used >> 2}, planned is {planned}"
    return [Cause(_add_explanation(text, ("QOS-01",)), ("QOS-01",))]


def _report_shared_memory(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Report GPUs of a host that exchange data in its memory (``via SHM``) although they can reach each other.

    They can over their links, or peer to peer over PCIe at one CPU socket; between sockets staging is the default
    (NCCL user guide, NCCL_P2P_LEVEL).
    """
    staged = dict.fromkeys(path.host for path in evidence.communicator.paths or () if path.transport.startswith("SHM"))
    hosts = [host for host in staged if host in plan.hosts and _has_peer_access(plan, host)]
    if not hosts:
        return []
    further_hosts = f" and {len(hosts) - 1} more" if len(hosts) > 1 else ""
    text = f"GPUs of {hosts[0]}{further_hosts} exchanged data in host memory (SHM), not peer to peer"
    disabled = evidence.communicator.environment.get("NCCL_P2P_DISABLE")
    if disabled not in (None, "0"):
        text += f": NCCL_P2P_DISABLE={disabled}"
    return [Cause(text, bottleneck=f"host memory between GPUs of {hosts[0]} (SHM)", is_staged=True)]


def _has_peer_access(plan: Plan, host: str) -> bool:
    if find_gpu_links(plan, host) is not None:
        return True
    addresses = [gpu.pcie for gpu in plan.hosts[host].gpus.values()]
    return all(socket_term(plan, host, addresses[0], address, bidirectional=True) is None for address in addresses[1:])


def _report_far_cores(evidence: Evidence) -> list[Cause]:
    """Report ranks whose processes have no core near their GPU.

    NCCL restricts a process to those of its cores that are near its GPU and prints them; without one it leaves the
    process where its launcher bound it (src/graph/topo.cc, ncclTopoGetCpuAffinity). Releases that print "Setting
    affinity" then print nothing.
    """
    places = evidence.communicator.places or ()
    far, silent = [], []
    for place in places:
        cores, near = parse_ranges(place.cores or ""), parse_ranges(place.gpu_cores or "")
        if cores and near and not cores & near:
            far.append(place)
        elif place.cores is None and place.gpu is not None:
            silent.append(place)
    if far:
        text = f"{_list_ranks(far)} on cores {far[0].cores}, none of them near its GPU ({far[0].gpu_cores})"
        return [Cause(_add_explanation(text, _FAR_CORES), _FAR_CORES)]
    if not silent or len(silent) == len(places):
        return []
    text = f"{_list_ranks(silent)} without a core near its GPU: NCCL set the affinity of the other ranks only"
    return [Cause(_add_explanation(text, _FAR_CORES), likely=_FAR_CORES)]


_FAR_CORES = ("OS-13",)


def _report_cores_of_another_node(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Report ranks whose processes have no core of the NUMA node that is planned for their GPU.

    NCCL leaves a process those of its cores that the kernel states to be near its GPU, so the GPU, the numbers of the
    cores or the binding of the launcher are not as planned.
    """
    far = []
    for place, host, node in _list_planned_nodes(evidence, plan):
        planned = host.numa.get(str(node))
        cores = parse_ranges(place.cores or "")
        if cores and planned is not None and planned.cpus and not _add_first_threads(cores, host, plan) & planned.cpus:
            far.append((place, node, planned.cpus))
    if not far:
        return []
    place, node, cpus = far[0]
    text = (
        f"{_list_ranks([place for place, _, _ in far])} on {_format_cores(place.cores or '')}, none of the "
        f"{_format_cores(','.join(format_ranges(cpus)))} of NUMA node {node}, where GPU{place.gpu} is planned"
    )
    return [Cause(_add_explanation(text, _FAR_CORES), likely=_FAR_CORES)]


def _add_first_threads(cpus: frozenset[int], host: Host, plan: Plan) -> frozenset[int]:
    """CPUs, and the first threads of their cores: Linux numbers all of these first. A planned BIOS may disable the
    second threads, and that of the log have them."""
    server = plan.hardware.servers.get(host.model or "")
    if server is None or server.cpus is None:
        return cpus
    first_threads = server.cpus.sockets.value * server.cpus.cores.value
    return cpus | {cpu % first_threads for cpu in cpus}


def _format_cores(cores: str) -> str:
    return f"core {cores}" if cores.isdecimal() else f"cores {cores}"


def _list_planned_nodes(evidence: Evidence, plan: Plan) -> list[tuple[NcclRank, Host, int]]:
    """Ranks with their host in the plan and the NUMA node that is planned for their GPU.

    Ranks of a host that print one number of a GPU each see some of its GPUs only, which the number does not name.
    """
    places = evidence.communicator.places or ()
    counts = Counter((place.host, place.gpu) for place in places)
    nodes = []
    for place in places:
        host = plan.hosts.get(place.host or "")
        gpu = host.gpus.get(f"GPU{place.gpu}") if host is not None and counts[place.host, place.gpu] == 1 else None
        function = host.pcie.get(gpu.pcie) if host is not None and gpu is not None and gpu.pcie else None
        if host is not None and function is not None and function.numa_node is not None:
            nodes.append((place, host, function.numa_node))
    return nodes


def _list_ranks(places: Sequence[NcclRank]) -> str:
    """The first rank with its host, and the number of the others."""
    host = f" of {places[0].host}" if places[0].host else ""
    further_ranks = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"rank {places[0].rank}{host}{further_ranks} ran"


def _report_shared_cores(evidence: Evidence) -> list[Cause]:
    """Report a host whose ranks have fewer cores than ranks, by the cores to which NCCL restricts their processes.

    "Sometimes, the affinity settings are affected by job schedulers such as SLURM" (Broadcom 957608-AN210, 8.7.3.1).
    """
    by_host: dict[str | None, list[NcclRank]] = {}
    for place in evidence.communicator.places or ():
        by_host.setdefault(place.host, []).append(place)
    crowded = []
    for host, places in by_host.items():
        cores = [parse_ranges(place.cores or "") or frozenset() for place in places]
        union = frozenset().union(*cores)
        if all(cores) and len(union) < len(places):
            crowded.append((host, places, sorted(union)))
    if not crowded:
        return []
    name, places, shared = crowded[0]
    of_host = f" of {name}" if name else ""
    further_hosts = f", and so on {len(crowded) - 1} more" if len(crowded) > 1 else ""
    cores_in_use = _format_cores(",".join(format_ranges(shared)))
    text = f"the {len(places)} ranks{of_host} share {cores_in_use}{further_hosts}"
    return [Cause(_add_explanation(text, _SHARED_CORES), _SHARED_CORES)]


_SHARED_CORES = ("MPI-06",)


def _report_single_cores(evidence: Evidence) -> list[Cause]:
    """Report a rank whose process has one core, where most ranks have many: its threads of NCCL share the core."""
    cores = {place.rank: parse_ranges(place.cores or "") for place in evidence.communicator.places or ()}
    counts = sorted(len(numbers) for numbers in cores.values() if numbers)
    usual = counts[len(counts) // 2] if counts else 0
    single = [place for place in evidence.communicator.places or () if len(cores[place.rank] or ()) == 1]
    if not single or usual < _MANY_CORES:
        return []
    text = f"{_list_ranks(single)} on core {single[0].cores} alone, most other ranks on {usual} cores"
    return [Cause(_add_explanation(text, _SHARED_CORES), likely=_SHARED_CORES)]


_MANY_CORES = 4  # a process of NCCL has its main thread, and at least a proxy, a service and a network thread


def _describe_sockets_of_gpus(evidence: Evidence, plan: Plan) -> str | None:
    """A note on a host whose GPUs are near other cores than planned: those of two sockets are exchanged or equal.

    NCCL restricts a process to cores near its GPU. Linux numbers the cores of the first socket before those of others,
    which counts where the plan has no cores of the sockets.
    """
    if _report_shared_cores(evidence) or _report_cores_of_another_node(evidence, plan):
        return None
    by_host: dict[str, list[tuple[int, NcclRank]]] = {}
    for place, _, node in _list_planned_nodes(evidence, plan):
        if place.host and place.cores:
            by_host.setdefault(place.host, []).append((node, place))
    for host, places in by_host.items():
        for (node, place), (other_node, other_place) in itertools.combinations(places, 2):
            cores, other_cores = parse_ranges(place.cores or ""), parse_ranges(other_place.cores or "")
            if node == other_node or not cores or not other_cores:
                continue
            is_exchanged = not plan.hosts[host].numa and (node < other_node) != (min(cores) < min(other_cores))
            if cores & other_cores or is_exchanged:
                return (
                    f"NCCL bound the ranks of GPU{place.gpu} and GPU{other_place.gpu} of {host} to cores "
                    f"{place.cores} and {other_place.cores}; planned are sockets {node} and {other_node}: compare the "
                    "NUMA nodes of the GPUs with the plan (`wirespeed check`), and the binding of the launcher"
                )
    return None


def describe_bootstrap(evidence: Evidence, plan: Plan) -> str | None:
    """A note on hosts that found each other over another interface than planned, or over a bridge of containers.

    Broadcom 957608-AN210, 8.7.3.2: "misconfigured IP interfaces (such as docker0) ... can confuse RCCL".
    """
    used = dict(entry.split(" ", 1) for entry in evidence.communicator.bootstrap or () if " " in entry)
    interfaces = {host: address.partition(":")[0] for host, address in used.items()}
    if len(interfaces) < 2:  # ranks of one host reach each other over any interface
        return None
    planned = next(
        (host.launch.control_interface for host in plan.hosts.values() if host.launch.control_interface), None
    )
    wrong = {
        host: name
        for host, name in interfaces.items()
        if _is_inside_host(name) or (host in plan.hosts and planned not in (None, name))
    }
    if not wrong:
        return None
    host, name = next(iter(wrong.items()))
    further_hosts = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    remark = ", an interface inside each host" if _is_inside_host(name) else ""
    value = f"={planned}" if planned else " to the interface between the hosts"
    text = f"NCCL bootstrapped over {name} of {host}{further_hosts}{remark}: set NCCL_SOCKET_IFNAME{value}"
    return _add_explanation(text, _FAILURE_OF_BOOTSTRAP)


_FAILURE_OF_BOOTSTRAP = ("OS-14",)
_BRIDGES = ("docker", "virbr", "br-", "cni", "lxdbr", "podman")
"""Docker, libvirt, CNI, LXD and Podman name their bridges so; NCCL skips docker and lo unless it finds no other (NCCL
user guide, NCCL_SOCKET_IFNAME)."""


def _is_inside_host(name: str) -> bool:
    return name == "lo" or name.startswith(_BRIDGES)


def _report_gid(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Queue pairs with another GID than planned: another address, or RoCE v1."""
    planned = next((host.launch.gid_index for host in plan.hosts.values() if host.launch.gid_index is not None), None)
    unplanned = [str(index) for index in evidence.communicator.gid_indices or () if index != planned]
    if planned is None or not unplanned:
        return []
    text = f"GID index {', '.join(unplanned)} in use, planned is {planned}"
    return [Cause(_add_explanation(text, ("NIC-05",)), ("NIC-05",))]


def _report_unused_nics(evidence: Evidence, plan: Plan) -> list[Cause]:
    """Report a host that used fewer NICs than are planned and than it has ranks: each rank uses one NIC."""
    if not evidence.nics or not plan.hosts:
        return []
    planned = next(iter(plan.hosts.values()))
    devices = planned.launch.rdma_devices or [nic.rdma_device for nic in planned.nics.values() if nic.rail is not None]
    ranks = max(evidence.communicator.ranks_per_node or (0,))
    count = min(len(devices), ranks) if ranks else len(devices)
    fewer = {host: len(names) for host, names in evidence.nics.items() if len(names) < count}
    if not fewer:
        return []
    smallest = min(fewer, key=lambda host: fewer[host])
    further_hosts = f", and too few on {len(fewer) - 1} more" if len(fewer) > 1 else ""
    names = [name for name in devices if name]
    is_known = set(evidence.nics[smallest]) <= set(names)  # the log is from this cluster, by its names of devices
    is_cause = is_known and evidence.device_list is not None and _count_listed(evidence.device_list, names) < count
    failures = ("NCCL-02",) if is_cause else ()
    text = f"{fewer[smallest]} of {count} NICs used on {smallest}{further_hosts}"
    if failures:
        text = f"{text}: {_DEVICE_LIST}={evidence.device_list}"
    bottleneck = f"{fewer[smallest]} of {count} NICs on {smallest}"
    return [Cause(_add_explanation(text, failures), failures, bottleneck=bottleneck, limits_nics=True)]


def is_selected(names: str, interface: str) -> bool:
    """Whether NCCL_SOCKET_IFNAME selects an interface; its form is that of NCCL_IB_HCA."""
    return _count_listed(names, [interface]) == 1


def _count_listed(device_list: str, devices: Sequence[str]) -> int:
    """The number of devices that NCCL_IB_HCA lets NCCL use: prefixes of names, exact after ``=``, excluded after ``^``.

    NCCL user guide, environment variables, NCCL_IB_HCA.
    """
    excludes = device_list.startswith("^")
    is_exact = device_list.lstrip("^").startswith("=")
    names = [entry.partition(":")[0] for entry in device_list.lstrip("^=").split(",")]

    def is_listed(device: str) -> bool:
        return any(device == name if is_exact else device.startswith(name) for name in names)

    return sum(is_listed(device) != excludes for device in devices)


def _select_largest_size(by_size: Mapping[int, str]) -> str | None:
    return by_size[max(by_size)] if by_size else None


def _find_contradictions(
    by_size: Mapping[int, Algorithm],
    forced: Algorithm | None,
    stated: Algorithm | None,
    excluded: Mapping[Algorithm, str],
) -> list[str]:
    proven = by_size[max(by_size)] if by_size else forced
    if stated is None or proven is stated:
        return []
    if proven is not None:
        return [f"the log proves {proven.value} for the largest messages, not {stated.value} as --algorithm states"]
    return [f"{excluded[stated]} excludes {stated.value}, which --algorithm states"] if stated in excluded else []
