"""The dictionary of run parameters: facts in a log about how a run was made, one name per fact.

A field that the log does not contain is ``None``. ``identity`` marks a property of the requested traffic: another
value is another experiment. All other parameters are circumstances: the experiment stays the same, and a comparison
shows their differences. ``docs/reference/measurements.md`` is generated from this file.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import Annotated, Any

Scalar = str | int | float | bool | None

_PERFTEST = ("perftest",)
_NCCL = ("nccl-tests", "rccl-tests")
_IPERF = ("iperf3", "iperf2")
_SISCI = ("scibench2", "dma_bench")
_OSU = ("osu-micro-benchmarks",)
_UCX = ("ucx_perftest",)
_P2P = ("p2pBandwidthLatencyTest",)
_ROCM = ("rocm-bandwidth-test",)
_BANDWIDTH_TEST = ("bandwidthTest",)
_GPU_COPIES = (*_P2P, *_ROCM, "nvbandwidth")


@dataclass(frozen=True, slots=True)
class Parameter:
    """The annotation of a field: its meaning, the tools whose logs state it, its unit."""

    meaning: str
    tools: tuple[str, ...]
    unit: str | None = None
    identity: bool = False


@dataclass(frozen=True, slots=True)
class MeshPair:
    """Output for one pair of a mesh, in addition to its numbers."""

    exit_code: int
    route: str | None = None  # destination, source, next hop, device and table of the kernel's route; ``none: `` why
    small_packet_exit_code: int | None = None  # of a ping after full-size packets were lost
    message: str | None = None  # the last line that a failed command printed


@dataclass(frozen=True, slots=True)
class RankPlace:
    """Where a rank runs; ``bus_id`` is the PCIe address of its GPU as printed (``0000:1b:00``; ``0x1b`` is a bus)."""

    host: str
    gpu: int | None = None
    bus_id: str | None = None


@dataclass(frozen=True, slots=True)
class FailedPair:
    """A cell of a matrix that contains an error instead of a number, and its line in the log."""

    text: str
    line: int


def _text(meaning: str, *tools: str, identity: bool = False) -> Parameter:
    return Parameter(meaning, tools, identity=identity)


def _count(meaning: str, *tools: str, unit: str | None = None, identity: bool = False) -> Parameter:
    return Parameter(meaning, tools, unit, identity)


@dataclass(slots=True, kw_only=True)
class Parameters:
    """The parameters of one run. A reader fills the fields while it reads; nothing changes them afterwards."""

    # Ends of the run
    side: Annotated[
        str | None,
        _text("client or server: which side printed the log", *_PERFTEST, *_IPERF, "sockperf", *_UCX, identity=True),
    ] = None
    server_address: Annotated[str | None, _text("address that the client connects to", *_IPERF, "sockperf")] = None
    server_port: Annotated[
        int | None, _count("TCP or UDP port of the server, of several that of the first", *_IPERF, "sockperf")
    ] = None
    local_node: Annotated[int | None, _count("node ID of the PCIe bridge that sends or reads", *_SISCI)] = None
    remote_node: Annotated[int | None, _count("node ID of the other PCIe bridge", *_SISCI)] = None
    local_address: Annotated[str | None, _text("IP address of the side that printed the log", *_IPERF)] = None
    remote_address: Annotated[str | None, _text("IP address of the other side", *_IPERF)] = None
    local_gid: Annotated[
        str | None, _text("GID of the local NIC; perftest prints its bytes in decimal", *_PERFTEST, "ibv_pingpong")
    ] = None
    remote_gid: Annotated[str | None, _text("GID of the remote NIC", *_PERFTEST, "ibv_pingpong")] = None
    source_host: Annotated[str | None, _text("host that the pairs of a mesh start from", "mesh")] = None
    source_device: Annotated[str | None, _text("GPU or CPU that data are copied from", *_ROCM)] = None
    target_device: Annotated[str | None, _text("GPU or CPU that data are copied to", *_ROCM)] = None
    process_label: Annotated[
        str | None,
        _text("process or host whose output this is, where several print into one log", *_PERFTEST, *_NCCL, *_IPERF),
    ] = None

    inferred: Annotated[
        str | None,
        _text("what no line of the log states, but the numbers of its table show: collective, ranks", *_NCCL),
    ] = None

    # Traffic
    message_bytes: Annotated[
        int | None,
        _count(
            "size of one message, block of a stream, or transfer, where the table does not list sizes",
            *("iperf3", "qperf", "sockperf", "mpigraph", *_UCX, "TransferBench"),
            unit="bytes",
            identity=True,
        ),
    ] = None
    min_message_bytes: Annotated[int | None, _count("smallest size of the table", *_NCCL, unit="bytes")] = None
    max_message_bytes: Annotated[int | None, _count("largest size of the table", *_NCCL, unit="bytes")] = None
    message_step_bytes: Annotated[
        int | None, _count("difference of one size of the table to the next", *_NCCL, unit="bytes")
    ] = None
    message_step_factor: Annotated[int | None, _count("factor from one size of the table to the next", *_NCCL)] = None
    am_header_bytes: Annotated[
        int | None, _count("size of the header of an active message", *_UCX, unit="bytes", identity=True)
    ] = None
    bidirectional: Annotated[
        bool | None,
        _text(
            "both ends send at the same time",
            *(*_PERFTEST, "iperf3", "netpipe", *_GPU_COPIES, "TransferBench"),
            identity=True,
        ),
    ] = None
    reverse: Annotated[bool | None, _text("the server sends (iperf3 -R)", "iperf3", identity=True)] = None
    round_trip: Annotated[
        bool | None, _text("times are of a message and its reply", "sockperf", "ibv_pingpong", identity=True)
    ] = None
    one_way_stream: Annotated[
        bool | None, _text("messages are sent without waiting for replies (NetPIPE -s)", "netpipe", identity=True)
    ] = None
    streams: Annotated[int | None, _count("TCP or UDP connections", "iperf3", identity=True)] = None
    processes: Annotated[
        int | None, _count("processes that measured at the same time, if more than one", "iperf3", identity=True)
    ] = None
    protocol: Annotated[str | None, _text("TCP or UDP", "sockperf", identity=True)] = None
    target_bits_per_second: Annotated[
        int | None, _count("requested bitrate; 0 is unlimited", "iperf3", unit="b/s", identity=True)
    ] = None
    congestion_control: Annotated[str | None, _text("TCP congestion control of the sender", "iperf3")] = None
    tcp_mss_bytes: Annotated[int | None, _count("TCP maximum segment size", "iperf3", unit="bytes")] = None
    tos: Annotated[int | None, _count("IP TOS byte, or traffic class of IPv6", *_PERFTEST, "iperf3")] = None
    flows: Annotated[int | None, _count("flows that were steered", *_PERFTEST, identity=True)] = None
    datagrams: Annotated[int | None, _count("UDP datagrams that were sent, by the receiver's count", "iperf3")] = None
    sent_datagrams: Annotated[int | None, _count("UDP datagrams that were sent, by the sender's count", "iperf3")] = (
        None
    )
    batch: Annotated[str | None, _text("name of the test in a batch file", *_UCX, identity=True)] = None
    data_layout: Annotated[str | None, _text("layout of the send and receive buffers", *_UCX, identity=True)] = None

    # RDMA
    rdma_device: Annotated[str | None, _text("RDMA device of the local NIC", *_PERFTEST)] = None
    second_port: Annotated[bool | None, _text("both ports of the NIC are used and added", *_PERFTEST)] = None
    queue_pairs: Annotated[
        int | None, _count("queue pairs between the two NICs", *_PERFTEST, "ibv_pingpong", identity=True)
    ] = None
    path_mtu_bytes: Annotated[int | None, _count("RDMA path MTU", *_PERFTEST, "qperf", unit="bytes")] = None
    connection_type: Annotated[
        str | None,
        _text(
            "transport service of the queue pairs: RC, UC, UD, XRC, RawEth; of MPI what the command line selects",
            *(*_PERFTEST, *_OSU),
            identity=True,
        ),
    ] = None
    transport: Annotated[str | None, _text("RDMA transport: IB (also of RoCE) or iWARP", *_PERFTEST)] = None
    link_type: Annotated[str | None, _text("link layer of the port: Ethernet or IB", *_PERFTEST)] = None
    gid_index: Annotated[int | None, _count("index of the GID in the port's table", *_PERFTEST)] = None
    second_gid_index: Annotated[int | None, _count("index of the second port's GID", *_PERFTEST)] = None
    rdma_cm: Annotated[bool | None, _text("queue pairs are connected by the RDMA connection manager", *_PERFTEST)] = (
        None
    )
    data_exchange: Annotated[
        str | None, _text("how both sides exchange addresses: Ethernet or rdma_cm", *_PERFTEST)
    ] = None
    shared_receive_queue: Annotated[bool | None, _text("queue pairs share a receive queue", *_PERFTEST)] = None
    pcie_relaxed_ordering: Annotated[
        bool | None, _text("memory is registered with PCIe relaxed ordering", *_PERFTEST)
    ] = None
    lock_free: Annotated[bool | None, _text("the provider works without locks", *_PERFTEST)] = None
    ddp: Annotated[bool | None, _text("the receiver takes packets out of order (DDP)", *_PERFTEST)] = None
    work_request_api: Annotated[bool | None, _text("work requests are posted by ibv_wr_*", *_PERFTEST)] = None
    send_queue_depth: Annotated[int | None, _count("work requests of the send queue", *_PERFTEST)] = None
    receive_queue_depth: Annotated[int | None, _count("work requests of the receive queue", *_PERFTEST)] = None
    send_post_list: Annotated[int | None, _count("send work requests posted at once", *_PERFTEST)] = None
    receive_post_list: Annotated[int | None, _count("receive work requests posted at once", *_PERFTEST)] = None
    cq_moderation: Annotated[int | None, _count("work requests for each completion", *_PERFTEST)] = None
    cqe_poll_batch: Annotated[int | None, _count("completions taken from the queue at once", *_PERFTEST)] = None
    max_inline_bytes: Annotated[
        int | None, _count("largest message written into the work request", *_PERFTEST, unit="bytes")
    ] = None
    outstanding_reads: Annotated[int | None, _count("RDMA READs outstanding on a queue pair", *_PERFTEST)] = None
    immediate: Annotated[bool | None, _text("writes carry immediate data", *_PERFTEST)] = None
    events: Annotated[bool | None, _text("completions are waited for by events, not polled", *_PERFTEST)] = None

    # Memory and GPUs
    memory: Annotated[
        str | None, _text("GPU memory of the buffers: cuda or rocm; absent for host memory", *_PERFTEST, identity=True)
    ] = None
    send_memory: Annotated[
        str | None, _text("memory of the send buffer: host, device, managed, cuda, rocm …", *_OSU, *_UCX, identity=True)
    ] = None
    receive_memory: Annotated[str | None, _text("memory of the receive buffer", *_OSU, *_UCX, identity=True)] = None
    host_memory: Annotated[
        str | None, _text("host memory of copies: pinned or pageable", *_BANDWIDTH_TEST, identity=True)
    ] = None
    accelerator: Annotated[
        str | None, _text("GPU support that the test was built with and uses", *_OSU, identity=True)
    ] = None
    dmabuf: Annotated[bool | None, _text("GPU memory is registered through DMA-BUF", *_PERFTEST)] = None
    cuda_device_index: Annotated[int | None, _count("CUDA device of the buffers", *_PERFTEST)] = None
    rocm_device_index: Annotated[int | None, _count("ROCm device of the buffers", *_PERFTEST)] = None
    gpu_model: Annotated[
        str | None, _text("model of the GPUs, where all are of one", *_PERFTEST, *_NCCL, *_GPU_COPIES, *_BANDWIDTH_TEST)
    ] = None
    gpus: Annotated[int | None, _count("GPUs that the tool lists", *_GPU_COPIES, *_BANDWIDTH_TEST, identity=True)] = (
        None
    )
    gpu_addresses: Annotated[str | None, _text("PCIe addresses of the GPUs, joined by commas", *_GPU_COPIES)] = None
    gpu_driver: Annotated[str | None, _text("version of the GPU driver", "nvbandwidth")] = None
    cuda_runtime_version: Annotated[str | None, _text("version of the CUDA runtime", "nvbandwidth")] = None
    copy_engine: Annotated[
        str | None,
        _text(
            "what copies: CE or DMA (copy engine), SM or GFX (GPU cores)", "nvbandwidth", "TransferBench", identity=True
        ),
    ] = None
    transfer_part: Annotated[
        str | None, _text("part of a bidirectional transfer: read1, write2, total …", "nvbandwidth", identity=True)
    ] = None
    operation: Annotated[str | None, _text("read or write: which GPU moves the data", *_P2P, identity=True)] = None
    p2p_enabled: Annotated[bool | None, _text("GPUs may access each other's memory", *_P2P, identity=True)] = None
    without_p2p_access: Annotated[str | None, _text("pairs of GPUs without peer access, or none", *_P2P)] = None
    read_memory: Annotated[
        str | None, _text("whether the executing GPU reads local or remote memory", "TransferBench", identity=True)
    ] = None
    write_memory: Annotated[
        str | None, _text("whether the executing GPU writes local or remote memory", "TransferBench", identity=True)
    ] = None
    test_number: Annotated[int | None, _count("number of the test in a configuration file", "TransferBench")] = None
    waived: Annotated[bool | None, _text("the hardware cannot do this test: nothing was measured", "nvbandwidth")] = (
        None
    )

    # Ranks of a job
    nodes: Annotated[
        int | None,
        _count(
            "hosts that take part",
            *(*_NCCL, *_OSU, "gpcnet", "nvbandwidth", "GROMACS", "OpenFOAM"),
            identity=True,
        ),
    ] = None
    host_names: Annotated[
        str | None,
        _text(
            "names of the hosts that the ranks are on, in alphabetical order, joined by commas",
            *(*_NCCL, *_OSU, "OpenFOAM"),
        ),
    ] = None
    rank_places: Annotated[
        Mapping[str, RankPlace],
        _text("host, GPU and its PCIe address of each rank, by rank, of jobs with up to 4096 ranks", *_NCCL),
    ] = field(default_factory=dict)
    sockets: Annotated[
        str | None,
        _text(
            "interfaces of the TCP sockets between hosts, joined by commas, where NCCL lists no RDMA device",
            *_NCCL,
            identity=True,
        ),
    ] = None
    tcp_evidence: Annotated[
        str | None, _text("words of the log that name TCP as the transport of MPI between hosts", *_OSU)
    ] = None
    network_nodes: Annotated[int | None, _count("hosts that measure the network", "gpcnet", identity=True)] = None
    congestion_nodes: Annotated[int | None, _count("hosts that make congestion", "gpcnet", identity=True)] = None
    nodes_per_congestor: Annotated[int | None, _count("hosts of one congestion pattern", "gpcnet", identity=True)] = (
        None
    )
    rank_cores: Annotated[
        str | None,
        _text("CPU cores of each rank, from rank 0 on, as MVAPICH prints them; ranks joined by colons", *_OSU),
    ] = None
    command: Annotated[
        str | None,
        _text(
            "command line that started the ranks, from the launcher on, or that of an application without its launcher",
            *(*_OSU, "GROMACS", "OpenFOAM"),
        ),
    ] = None
    pairs: Annotated[int | None, _count("pairs of ranks, or of NICs in a mesh", *_OSU, "mesh", identity=True)] = None
    rank_groups: Annotated[int | None, _count("groups that the ranks are split into", *_NCCL, identity=True)] = None
    threads_per_process: Annotated[
        int | None, _count("threads of each process", *_NCCL, "CP2K", "GROMACS", identity=True)
    ] = None
    gpus_per_thread: Annotated[int | None, _count("GPUs of each thread", *_NCCL, identity=True)] = None
    mixed_tables: Annotated[int | None, _count("tables of processes without MPI, mixed in the log", *_NCCL)] = None
    sender_threads: Annotated[int | None, _count("threads of the sender", *_OSU)] = None
    receiver_threads: Annotated[int | None, _count("threads of the receiver", *_OSU)] = None
    sender_processes: Annotated[int | None, _count("processes of the sender", *_OSU)] = None
    receiver_processes: Annotated[int | None, _count("processes of the receiver", *_OSU)] = None

    # Collectives and MPI
    datatype: Annotated[
        str | None, _text("type of one element; several joined by commas", *_NCCL, *_OSU, identity=True)
    ] = None
    reduction: Annotated[
        str | None, _text("reduction operation; none where the collective has none", *_NCCL, identity=True)
    ] = None
    root_rank: Annotated[
        int | str | None, _count("root of the collective; -1 where it has none; several joined", *_NCCL, identity=True)
    ] = None
    graph_launches: Annotated[
        int | None, _count("launches of a captured CUDA graph; 0 without one", *_NCCL, identity=True)
    ] = None
    aggregated_iterations: Annotated[
        int | None, _count("operations aggregated into one launch", *_NCCL, identity=True)
    ] = None
    validation_iterations: Annotated[int | None, _count("iterations whose data are checked; 0: none", *_NCCL)] = None
    unalign: Annotated[int | None, _count("elements by which buffers are moved off their alignment", *_NCCL)] = None
    library_version: Annotated[str | None, _text("version of NCCL or RCCL that was loaded", *_NCCL)] = None
    nccl_headers_version: Annotated[int | None, _count("version code of NCCL that the test was built with", *_NCCL)] = (
        None
    )
    nccl_library_version: Annotated[int | None, _count("version code of NCCL that was loaded", *_NCCL)] = None
    window_messages: Annotated[
        int | str | None,
        _count("messages in flight; varied where the table has several windows", *_OSU, "mpigraph", identity=True),
    ] = None
    window_creation: Annotated[
        str | None, _text("how the window of a one-sided test was created", *_OSU, identity=True)
    ] = None
    synchronization: Annotated[str | None, _text("how a one-sided test synchronizes", *_OSU, identity=True)] = None
    mpi_init_ms: Annotated[float | None, _count("time of MPI_Init", *_OSU, unit="ms")] = None
    asynchronous_receives: Annotated[bool | None, _text("receives are posted before the data come", "netpipe")] = None
    synchronous_sends: Annotated[bool | None, _text("sends wait until the receive was posted", "netpipe")] = None
    integrity_check: Annotated[bool | None, _text("data are checked; nothing is timed", "netpipe", identity=True)] = (
        None
    )

    # Input of an application
    case_name: Annotated[
        str | None,
        _text(
            "what an application computes: its input file, project or folder without the path",
            *("CP2K", "GROMACS", "OpenFOAM"),
            identity=True,
        ),
    ] = None
    atoms: Annotated[int | None, _count("atoms of the simulated system", "CP2K", "GROMACS", identity=True)] = None
    grid_points: Annotated[
        str | None, _text("points of the outer grid, from west to east x from south to north", "WRF", identity=True)
    ] = None
    time_steps: Annotated[
        int | None,
        _count("time steps that are computed, of WRF those of domain 1", "GROMACS", "WRF", identity=True),
    ] = None
    end_time: Annotated[
        str | None,
        _text("last simulated time as printed, of a steady solver its iterations", "OpenFOAM", identity=True),
    ] = None

    # Length of the run
    iterations: Annotated[
        int | None, _count("iterations of each size", *_PERFTEST, *_NCCL, *_UCX, "mpigraph", "ibv_pingpong")
    ] = None
    warmup_iterations: Annotated[int | None, _count("iterations before the measurement", *_NCCL)] = None
    duration_s: Annotated[
        int | float | None, _count("time of the measurement", "iperf3", "qperf", "sockperf", unit="s")
    ] = None
    valid_duration_s: Annotated[
        int | float | None, _count("part of the time that counts, without start and end", "sockperf", unit="s")
    ] = None
    omitted_s: Annotated[int | float | None, _count("time at the start that is left out", "iperf3", unit="s")] = None
    latency_samples: Annotated[int | None, _count("single latencies that the log lists", *_PERFTEST)] = None

    # The report
    title: Annotated[str | None, _text("title that the user gave the run", "iperf3", identity=True)] = None
    report_title: Annotated[
        str | None,
        _text(
            "heading of a table that names no known test, or copy function",
            *_OSU,
            "pair-matrix",
            "scibench2",
            identity=True,
        ),
    ] = None
    cpu_frequency_conflict: Annotated[
        str | None, _text("two CPU frequencies in MHz: times in cycles are then unreliable", *_PERFTEST)
    ] = None
    environment: Annotated[
        Mapping[str, str], _text("NCCL_* and RCCL_* variables set in the environment, by name", *_NCCL)
    ] = field(default_factory=dict)
    other_settings: Annotated[
        Mapping[str, str | int], _text("settings that this dictionary does not name, as printed", "qperf")
    ] = field(default_factory=dict)
    mesh_pairs: Annotated[
        Mapping[str, MeshPair], _text("exit code, route and message of each pair, by 'from -> to'", "mesh")
    ] = field(default_factory=dict)
    failed_pairs: Annotated[
        Mapping[str, FailedPair], _text("pairs without a result and what the matrix prints for them", "pair-matrix")
    ] = field(default_factory=dict)

    @property
    def failed_pair_count(self) -> int:
        """The number of failed pairs of a mesh or matrix."""
        return len(self.failed_pairs) + sum(pair.exit_code != 0 for pair in self.mesh_pairs.values())

    @property
    def pair_count(self) -> int:
        """The number of pairs of a mesh or matrix in the log, including those without a number."""
        return len(self.failed_pairs) + len(self.mesh_pairs)

    @property
    def on_gpu(self) -> bool:
        """Whether a buffer of perftest is in GPU memory."""
        return self.memory in ("cuda", "rocm")

    def to_dict(self) -> dict[str, Any]:
        """The fields that the log states, by name in alphabetical order."""
        return {name: value for name in _list_names() if (value := getattr(self, name)) is not None and value != {}}

    def update(self, stated: Parameters) -> None:
        """Copy the fields that are set in other parameters."""
        for name, value in stated.to_dict().items():
            setattr(self, name, value)

    def is_inferred(self, fact: str) -> bool:
        """Whether the log does not state a fact (``collective``, ``ranks``) that its numbers show."""
        return self.inferred is not None and fact in self.inferred.split(", ")

    def read_setting(self, name: str, text: str | int | float | bool) -> None:
        """Set a field that is not set yet from a setting as a tool prints it; ignore a value of the wrong type.

        Raises:
            KeyError: the dictionary has no such field.
        """
        types = _list_types()[name]
        if getattr(self, name) is not None:
            return
        value = _convert_value(text, types)
        if value is not None:
            setattr(self, name, value)


def flatten(stated: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and values of parameters in JSON; an entry of a mapping is named ``environment NCCL_ALGO``."""
    for name, value in stated.items():
        if isinstance(value, Mapping):
            yield from ((f"{name} {inner}", plain) for inner, plain in flatten(value) if plain is not None)
        else:
            yield name, value


def dictionary() -> dict[str, Parameter]:
    """Every field with its annotation, in the order of this file."""
    hints = typing.get_type_hints(Parameters, include_extras=True)
    return {
        parameter_field.name: hints[parameter_field.name].__metadata__[0]
        for parameter_field in dataclasses.fields(Parameters)
    }


IDENTITY = frozenset(name for name, parameter in dictionary().items() if parameter.identity)
"""Names of the parameters that identify a series."""


@cache
def _list_names() -> tuple[str, ...]:
    return tuple(sorted(parameter_field.name for parameter_field in dataclasses.fields(Parameters)))


@cache
def _list_types() -> dict[str, tuple[type, ...]]:
    """The plain types of every field with a single value."""
    hints = typing.get_type_hints(Parameters)
    return {
        name: tuple(kind for kind in typing.get_args(hint) if kind is not type(None))
        for name, hint in hints.items()
        if isinstance(hint, UnionType) or typing.get_origin(hint) is typing.Union
    }


_LONGEST_NUMBER = 20  # characters; no setting has more digits
_SWITCH = {"on": True, "off": False, "true": True, "false": False, "yes": True, "no": False}


def _convert_value(value: str | int | float | bool, types: tuple[type, ...]) -> str | int | float | bool | None:
    if bool in types:
        return value if isinstance(value, bool) else _SWITCH.get(str(value).lower())
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float) and type(value) in types:
        return value
    if isinstance(value, int) and float in types:
        return float(value)
    text = str(value)
    if int in types and len(text) <= _LONGEST_NUMBER and text.removeprefix("-").isdecimal():
        return int(text)
    return text if str in types else None
