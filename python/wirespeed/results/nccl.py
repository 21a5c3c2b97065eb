"""Facts about each communicator from the debug lines of NCCL and RCCL, as plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class NcclNic:
    """A device that a host uses: its network, its number in ``via NET/IB/<device>``, name, port, and RoCE or IB.

    ``sharp``: the device can use reductions of InfiniBand switches, as its plugin lists it (``mlx5_0:1/IB/SHARP``).
    """

    host: str
    network: str
    device: int
    name: str
    port: int | None
    link: str | None
    gpudirect: bool | None = None
    sharp: bool = False


MIXED_LINKS = ("NCCL-02",)
"""Entries of the failure catalogue for devices of different networks in one list."""


def describe_mixed_links(nics: Iterable[NcclNic]) -> str | None:
    """The devices of a list by their network, InfiniBand or RoCE; None if all are of one.

    Newer releases of NCCL refuse to connect them (src/transport/net_ib/connect.cc, "incompatible devices"); older ones
    hang or time out (NVIDIA/nccl issue 302).
    """
    names: dict[str, dict[str, None]] = {}
    for nic in nics:
        if nic.link is not None:
            names.setdefault(nic.link, {})[nic.name] = None
    if len(names) < 2:
        return None
    devices = " and ".join(f"{link} ({', '.join(of_link)})" for link, of_link in sorted(names.items()))
    return f"one list has devices of networks that do not reach each other: {devices}"


@dataclass(frozen=True, slots=True)
class NcclRank:
    """Where a rank runs: its host, the number and the PCIe address of its GPU, and the NICs of its connections.

    ``cores`` are the CPU cores of its process after NCCL bound it, as ranges, or as printed with a question mark
    where that may be a mask as well; ``gpu_cores`` those near its GPU.
    """

    rank: int
    host: str | None
    gpu: int | None
    bus_id: str | None
    nics: tuple[str, ...] = ()
    cores: str | None = None
    gpu_cores: str | None = None


@dataclass(frozen=True, slots=True)
class NcclPath:
    """Connections of one host over one transport, one device and one direction.

    ``gdrdma`` is None if no NIC is in the path; ``forwarded``: another GPU of the host sends (PXN).
    """

    host: str
    transport: str
    device: int | None
    direction: str | None
    gdrdma: bool | None
    forwarded: bool
    channels: tuple[int, ...]
    connections: int


@dataclass(frozen=True, slots=True)
class NcclRing:
    """The order of ranks on a channel."""

    channel: int
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NcclTree:
    """The parents of ranks on a channel, as far as their processes print them; the root's parent is None."""

    channel: int
    parents: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class NcclChoice:
    """Algorithm and protocol that NCCL chose for a size; ``line`` is the first line with this choice."""

    function: str | None
    size_bytes: int
    algorithm: str
    protocol: str
    channels: tuple[int, int] | None
    count: int
    line: int


@dataclass(frozen=True, slots=True)
class NcclWarning:
    """A warning of NCCL, its count, and the entries of the failure catalogue that cause it, likeliest first.

    ``fatal``: the reported operation cannot continue, so that the communicator is aborted.
    """

    host: str
    text: str
    count: int
    line: int
    failures: tuple[str, ...] = ()
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class NcclConflict:
    """A variable that must be equal in all processes but is not, with effect, fix and catalogue entries."""

    variable: str
    values: tuple[str, ...]
    effect: str
    fix: str
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Communicator:
    """One communicator of a log. Facts that the log does not contain are None or empty.

    ``complete``: every rank that prints reported a complete initialization. ``gdrdma`` is ``all``,
    ``some`` or ``none`` of the connections over a network. ``gid_indices`` and ``path_mtus`` are those of the queue
    pairs. ``differing_environment`` are variables that are not the same in all processes, ``conflicts`` those of them
    that must be. ``places`` are the ranks that print, in their order.
    """

    library: str | None
    version: str | None
    id: str | None
    line: int
    complete: bool
    ranks: int | None
    ranks_seen: int
    nodes: int | None
    ranks_per_node: tuple[int, ...]
    hosts: tuple[str, ...]
    network: str | None
    plugins: tuple[str, ...]
    bootstrap: tuple[str, ...]
    nics: tuple[NcclNic, ...]
    relaxed_ordering: bool | None
    dma_buf: bool | None
    gdrdma: str | None
    paths: tuple[NcclPath, ...]
    channels: int | None
    collnet_channels: int | None
    nvls_channels: int | None
    p2p_channels: int | None
    rings: tuple[NcclRing, ...]
    trees: tuple[NcclTree, ...]
    nvls: bool | None
    multi_node_nvlink: bool | None
    gid_indices: tuple[int, ...]
    path_mtus: tuple[int, ...]
    traffic_class: int | None
    tuner: str | None
    choices: tuple[NcclChoice, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    differing_environment: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[NcclWarning, ...] = ()
    places: tuple[NcclRank, ...] = ()
    conflicts: tuple[NcclConflict, ...] = ()

    @property
    def fatal_errors(self) -> tuple[NcclWarning, ...]:
        """The warnings that abort the communicator."""
        return tuple(warning for warning in self.warnings if warning.fatal)
