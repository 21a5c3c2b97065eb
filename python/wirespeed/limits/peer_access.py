"""Whether the GPUs of a host reach each other peer to peer over PCIe, or data between them are staged in its memory.

NCCL uses peer access up to a distance of two GPUs, which NCCL_P2P_LEVEL sets. By default these are PCIe switches (PXB)
since 2.23, but for the only two GPUs of a host with AMD processors; before that, with Intel processors, too. Before
2.23, AMD processors had no limit. Source: NCCL, src/graph/paths.cc, ncclTopoCheckP2p of 2.8 to 2.30.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from wirespeed.limits.gpus import find_gpu_links
from wirespeed.limits.host import find_numa_node, has_shared_uplink, is_between_sockets
from wirespeed.plan import Plan
from wirespeed.plan.combination import parse_version

PEER_TO_PEER, STAGED = "peer to peer", "staged in memory"
"""The paths between two GPUs over PCIe, as limits name them."""

_LEVELS = ("LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS")
"""NCCL, src/graph/topo.cc, topoPathTypeStr of 2.28; earlier releases lack NVB, C2C, P2C or PXN."""
_NUMBERS = ("LOC", "PIX", "PXB", "PHB", "SYS", "SYS")
"""The levels as numbers; a larger one is the last: NCCL, src/graph/paths.cc, ncclGetLevel."""

_MOST_DIGITS = 9

_AMD, _AMD_PAIR = "amd", 2
_FIRST_LIMIT_OF_AMD = (2, 23)


@dataclass(frozen=True, slots=True)
class StagedPair:
    """The farthest GPUs of a host, between which NCCL stages data unless ``level`` is set."""

    host: str
    level: str  # the smallest value of NCCL_P2P_LEVEL with which they use peer access

    @property
    def is_between_sockets(self) -> bool:
        """Whether the GPUs are at different CPU sockets."""
        return self.level == "SYS"

    @property
    def place(self) -> str:
        """What lies between the GPUs."""
        return "CPU sockets" if self.is_between_sockets else "PCIe slots without a common PCIe switch"

    def __str__(self) -> str:
        return f"data between GPUs of {self.host} are {STAGED}, NCCL's default between {self.place}"


def find_staged_pair(
    plan: Plan, host: str, gpus: Sequence[str], stated: str | None = None, version: str | None = None
) -> StagedPair | None:
    """The farthest of these GPUs, if they are too far from each other for NCCL's peer access by default.

    ``stated``: the value of NCCL_P2P_LEVEL; None: as planned. NCCL ignores a value that is no level. ``version``: of
    NCCL or RCCL; None: 2.23 or later. None with direct links, or if the places of the GPUs are unknown.
    """
    settings = plan.hosts[host]
    if find_gpu_links(plan, host) is not None:
        return None
    distances = [_find_distance(plan, host, first, second) for first, second in combinations(gpus, 2)]
    farthest = max((distance for distance in distances if distance), key=_LEVELS.index, default=None)
    level = parse_level(stated or settings.launch.gpu_peers)
    if level is None:
        is_early = version is not None and parse_version(version) < _FIRST_LIMIT_OF_AMD
        has_no_limit = settings.cpu_vendor == _AMD and (is_early or len(settings.gpus) <= _AMD_PAIR)
        level = "SYS" if has_no_limit else "PXB"
    if farthest is None or _LEVELS.index(farthest) <= _LEVELS.index(level):
        return None
    return StagedPair(host, farthest)


def parse_level(text: str | None) -> str | None:
    """A value of NCCL_P2P_LEVEL as its name; None if it is neither a name nor a number of one."""
    if text is not None and text.isascii() and text.isdecimal():
        number = int(text) if len(text) <= _MOST_DIGITS else len(_NUMBERS)
        return _NUMBERS[min(number, len(_NUMBERS) - 1)]
    return text if text in _LEVELS else None


def _find_distance(plan: Plan, host: str, first: str, second: str) -> str | None:
    """The distance of two GPUs without direct links, in NCCL's terms."""
    addresses = [plan.hosts[host].gpus[gpu].pcie for gpu in (first, second)]
    if any(find_numa_node(plan, host, address) is None for address in addresses):
        return None
    if is_between_sockets(plan, host, *addresses):
        return "SYS"
    return "PXB" if has_shared_uplink(plan, host, *addresses) else "PHB"
