"""Comparison of peer pairs and hosts: the slow ones, and the smallest set of causes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wirespeed.results.benchmarks import Metric


class Kind(StrEnum):
    """The kind of a suspect."""

    HOST = "host"
    NIC = "NIC"
    GPU = "GPU"
    RAIL = "rail"
    LEAF = "leaf"
    LEAVES = "leaves"  # from one leaf to another
    PAIR = "pair"  # both directions of a pair
    PATH = "path"  # one direction of a pair


class CellPattern(StrEnum):
    """Which cells of a suspect are slow."""

    ALL = "all"  # row and column of the matrix
    SENDS = "as sender"  # its row
    RECEIVES = "as receiver"  # its column
    INSIDE = "inside"  # cells with both ends in it


@dataclass(frozen=True, slots=True)
class Member:
    """A row and column of a matrix. ``rail`` and ``leaf`` are None if they are unknown or not unique."""

    name: str
    host: str
    device: str | None = None  # NIC, GPU or rank of the host
    rail: int | None = None
    leaf: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """One measurement of a cell; ``value`` is None if the run failed, and ``error`` is its message."""

    value: float | None
    file: str
    line: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A pair, or a single node if ``target`` is None.

    ``value`` is the median of its readings, None if all failed. ``fraction`` compares it with its peers: below 1 is
    worse, also for latencies; None if it has too few peers.
    """

    source: str
    target: str | None
    group: str
    value: float | None
    fraction: float | None
    low: bool
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class PeerGroup:
    """Cells that should measure the same.

    ``expected`` is their usual value, ``spread`` their robust relative standard deviation; a cell whose fraction of the
    expected value is below ``least`` is low. ``margin`` is 1 minus ``least`` in percent, with its formula. All are None
    if there are too few cells to compare. ``statistic`` names the median that ``expected`` is.
    """

    name: str
    cells: int
    expected: float | None
    lowest: float | None
    highest: float | None
    spread: float | None
    least: float | None
    margin: str | None = None
    statistic: str = "median"


@dataclass(frozen=True, slots=True)
class Margin:
    """The deviation of a member's row and column from the others: -0.4 is 40 % worse. None without cells."""

    member: str
    sends: float | None
    receives: float | None


@dataclass(frozen=True, slots=True)
class Suspect:
    """A cause of the low cells ``slow``. ``also`` lists causes with the same cells.

    It is confirmed when these cells, or three of many, were measured again and low each time; ``times`` is the number
    of logs with each of them. ``evidence`` lists the slowest of the ``results`` of these cells: a cell has one for each
    log and condition. ``cables`` are those of its NICs, ``node5:eth0 – leaf1:Eth1/33``, as far as the cluster
    file and the log determine them.
    """

    kind: Kind
    pattern: CellPattern
    name: str
    because: str
    fraction: float
    low: int
    cells: int
    confirmed: bool
    times: int = 1
    slow: tuple[tuple[str, str | None], ...] = ()
    other_causes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    results: int = 0
    retest: tuple[str, ...] = ()
    cables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matrix:
    """One number of one test, for pairs of members or for single members."""

    title: str
    tool: str
    test: str | None
    metric: Metric
    unit: str
    size_bytes: int | None
    lower_is_better: bool
    members: tuple[Member, ...]
    cells: tuple[Cell, ...]
    groups: tuple[PeerGroup, ...]
    suspects: tuple[Suspect, ...]
    margins: tuple[Margin, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Peers:
    """All matrices of several logs, and notes on what was not compared."""

    matrices: tuple[Matrix, ...]
    notes: tuple[str, ...] = ()
