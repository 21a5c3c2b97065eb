"""The ranks of a collective, one per GPU, and the bandwidth of each host."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Collective(StrEnum):
    """A collective as nccl-tests and rccl-tests measure it."""

    ALL_REDUCE = "all-reduce"
    ALL_GATHER = "all-gather"
    REDUCE_SCATTER = "reduce-scatter"
    ALL_TO_ALL = "all-to-all"
    BROADCAST = "broadcast"
    REDUCE = "reduce"
    SENDRECV = "sendrecv"
    GATHER = "gather"
    SCATTER = "scatter"
    HYPERCUBE = "hypercube"  # an all-gather by recursive doubling
    ALL_TO_ALL_V = "all-to-all-v"  # uneven shares


@dataclass(frozen=True, slots=True)
class Links:
    """The links between the GPUs of one host, GB/s in one direction of one link."""

    name: str
    per_gpu: int
    full_mesh: bool
    peak: float
    usable: float | None
    source: str
    reduces: float | None = (
        None  # the switch sums and copies (NVLS); share of the usable rate that this traffic reaches
    )

    def used(self, gpus: int) -> int:
        """Links of one GPU to the other GPUs that take part: one to each in a mesh, all behind a switch."""
        if gpus < 2:
            return 0
        return min(self.per_gpu, gpus - 1) if self.full_mesh else self.per_gpu


@dataclass(frozen=True, slots=True)
class Member:
    """One host of a collective.

    ``nics`` is the largest payload of each NIC in one direction while the other direction has the same load, GB/s;
    ``nics_acknowledged`` the same with acknowledgements. ``nics_bottleneck`` is their bottleneck.
    """

    name: str
    ranks: int
    nics: tuple[float, ...]
    nics_acknowledged: tuple[float, ...]
    nics_bottleneck: str
    links: Links | None

    @property
    def network(self) -> float:
        """All NICs in one direction, GB/s, at most."""
        return sum(self.nics)

    @property
    def network_acknowledged(self) -> float:
        """All NICs in one direction, GB/s, with acknowledgements."""
        return sum(self.nics_acknowledged)


@dataclass(frozen=True, slots=True)
class Group:
    """The hosts of a collective in rank order."""

    members: tuple[Member, ...]
    root: int = 0  # rank

    @property
    def ranks(self) -> int:
        """All ranks."""
        return sum(member.ranks for member in self.members)

    @property
    def across_hosts(self) -> bool:
        """Whether the network takes part."""
        return len(self.members) > 1

    @property
    def root_member(self) -> Member:
        """The host of the root; the first where the root is no rank."""
        last = 0
        for member in self.members:
            last += member.ranks
            if self.root < last:
                return member
        return self.members[0]


def bus_factor(collective: Collective, ranks: int) -> float:
    """Bus bandwidth times time over size, as nccl-tests computes it (nccl-tests, doc/PERFORMANCE.md, src/*.cu)."""
    if ranks < 1:
        raise ValueError(f"{ranks} ranks: expected at least 1")
    match collective:
        case Collective.ALL_REDUCE:
            return 2 * (ranks - 1) / ranks
        case Collective.BROADCAST | Collective.REDUCE | Collective.SENDRECV:
            return 1.0
        case _:
            return (ranks - 1) / ranks


def printed_factor(collective: Collective, ranks: int) -> float:
    """Bus bandwidth over algorithm bandwidth in the tool's columns: hypercube counts the other ranks' data in both."""
    return 1.0 if collective is Collective.HYPERCUBE else bus_factor(collective, ranks)
