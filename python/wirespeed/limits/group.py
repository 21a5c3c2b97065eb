"""The hosts of a collective with their ranks, NICs and GPU links, and the factors of its bandwidths.

Bandwidths are in GB/s (10^9 bytes per second) of payload.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from wirespeed.limits.bound import number

PCIE = "PCIe"
"""The name of the links between GPUs without direct links."""


@dataclass(frozen=True, slots=True)
class Group:
    """The hosts of a collective in rank order."""

    members: tuple[Member, ...]
    root: int = 0  # rank

    @property
    def ranks(self) -> int:
        """Number of ranks on all hosts."""
        return sum(member.ranks for member in self.members)

    @property
    def across_hosts(self) -> bool:
        """Whether data crosses the network."""
        return len(self.members) > 1

    @property
    def has_switch_reduction(self) -> bool:
        """Whether the switch between the GPUs of a host makes sums (NVLS)."""
        return any(member.links is not None and bool(member.links.reduction_share) for member in self.members)

    @property
    def uses_pcie(self) -> bool:
        """Whether GPUs of one host reach each other over their PCIe slots."""
        return any(member.links is not None and member.links.name == PCIE for member in self.members)

    @property
    def root_member(self) -> Member:
        """The host of the root rank; the first host if no host has this rank."""
        next_rank = 0
        for member in self.members:
            next_rank += member.ranks
            if self.root < next_rank:
                return member
        return self.members[0]


@dataclass(frozen=True, slots=True)
class Member:
    """One host of a collective, with one rank for each GPU.

    ``nics`` has one value for each NIC: the largest bandwidth in one direction while the other direction has the same
    load. ``nics_acknowledged`` has the same values less the frames of acknowledgements.
    """

    name: str
    ranks: int
    nics: tuple[float, ...]
    nics_acknowledged: tuple[float, ...]
    nics_bottleneck: str  # limiting term of most NICs
    links: Links | None

    @property
    def network(self) -> float:
        """Largest bandwidth of all NICs in one direction."""
        return sum(self.nics)

    def format_nics(self, rates: tuple[float, ...]) -> str:
        """These bandwidths of its NICs as text: ``2 × 14.33 GB/s + 2 × 7.16 GB/s``."""
        counts = Counter(map(number, sorted(rates, reverse=True)))
        return " + ".join(f"{count} × {rate} GB/s" for rate, count in counts.items())

    @property
    def network_acknowledged(self) -> float:
        """Largest bandwidth of all NICs in one direction, less the frames of acknowledgements."""
        return sum(self.nics_acknowledged)


@dataclass(frozen=True, slots=True)
class Links:
    """The links between the GPUs of one host. Bandwidths are of one link in one direction.

    ``reduction_share`` is the share of ``usable`` that sums and copies made by the switch (NVLS) reach; None without
    such a switch.
    """

    name: str
    per_gpu: int
    full_mesh: bool  # each GPU has a link to every other GPU; False: to switches
    peak: float
    usable: float | None
    source: str
    reduction_share: float | None = None

    def count_links(self, gpus: int) -> int:
        """Number of links that one of a number of GPUs uses: one to each other GPU in a mesh, all to a switch."""
        if gpus < 2:
            return 0
        return min(self.per_gpu, gpus - 1) if self.full_mesh else self.per_gpu


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


def find_collective(name: str) -> Collective | None:
    """The collective of a name, in the form of nccl-tests (``all_reduce``, ``alltoall_perf``) or of `Collective`."""
    plain = "".join(letter for letter in name.lower().removesuffix("_perf") if letter.isalpha())
    return next((collective for collective in Collective if collective.value.replace("-", "") == plain), None)


def bus_factor(collective: Collective, ranks: int) -> float:
    """Bus bandwidth × time / size, as nccl-tests computes it (nccl-tests, doc/PERFORMANCE.md, src/*.cu)."""
    if ranks < 1:
        raise ValueError(f"{ranks} ranks: expected at least 1")
    match collective:
        case Collective.ALL_REDUCE:
            return 2 * (ranks - 1) / ranks
        case Collective.BROADCAST | Collective.REDUCE | Collective.SENDRECV:
            return 1.0
        case _:
            return (ranks - 1) / ranks


def convert_printed_factor(collective: Collective, ranks: int) -> float:
    """Bus bandwidth / algorithm bandwidth as printed: hypercube counts the data of the other ranks in both."""
    return 1.0 if collective is Collective.HYPERCUBE else bus_factor(collective, ranks)
