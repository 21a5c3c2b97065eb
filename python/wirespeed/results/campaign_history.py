"""Campaigns of a store, compared with each other and over time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import comb

from wirespeed.results.series import Series


@dataclass(frozen=True, slots=True)
class Campaign:
    """A set of runs taken together. ``id`` is None for logs that were read for one comparison and are not stored."""

    id: int | None
    label: str
    started: str | None  # ISO 8601 in UTC
    cluster: str | None
    finished: bool  # false when storing it was interrupted: store the same logs again to go on
    logs: int
    runs: int
    failed: int


@dataclass(frozen=True, slots=True)
class Change:
    """A setting or parameter that differs between two campaigns. None on a side where it was not read.

    ``place`` is a place of the cluster for settings, the tool and test for parameters of runs.
    """

    place: str
    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """What differs between two campaigns, and why that may not be all."""

    changed: tuple[Change, ...]
    unread: int  # settings that only one of the two read
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The values of a series in one campaign. ``spread`` is their robust standard deviation, None for a single one."""

    count: int
    median: float
    lowest: float
    highest: float
    spread: float | None


class Difference(StrEnum):
    """The difference of a series between two campaigns."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"  # significant, of a metric that has no better
    NONE = "no significant change"  # the values are not distinguishable
    TOO_FEW_VALUES = "too few values"  # too few values on a side to distinguish them, whatever they are


@dataclass(frozen=True, slots=True)
class SeriesComparison:
    """A series side by side.

    ``change`` is relative to A's median, None where that is 0. ``p`` is the probability of a difference this large
    where there is none, by the series' own repeated values; ``unlike`` the same, by how much the other places of the
    same measurement changed; ``adjusted`` is the smaller of the two for as many tests as were made. ``effect`` is the
    probability that a value of B is higher than one of A.
    """

    series: Series
    a: Summary
    b: Summary
    difference: Difference
    reason: str
    change: float | None = None
    p: float | None = None
    adjusted: float | None = None
    effect: float | None = None
    unlike: float | None = None


@dataclass(frozen=True, slots=True)
class JointChange:
    """A measurement that was taken at several places, all of them together; ``series`` names none of them.

    ``change`` is the median of the places' relative changes, from ``lowest`` to ``highest``; ``p`` is the
    probability that this many move this far in one direction by chance, ``adjusted`` the same for all measurements.
    """

    series: Series
    places: int
    difference: Difference
    change: float
    lowest: float
    highest: float
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Campaign A against campaign B, all series that both have; ``only_a`` and ``only_b`` count the others."""

    a: Campaign
    b: Campaign
    significance: float
    at_least: float
    noise: float | None  # median relative spread of repeated values, both sides
    series: tuple[SeriesComparison, ...]
    only_a: int
    only_b: int
    changes: Changes
    joint_changes: tuple[JointChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """A series in one campaign of its history."""

    campaign: int
    count: int
    median: float
    lowest: float
    highest: float


@dataclass(frozen=True, slots=True)
class Step:
    """A change point: from ``campaign`` on the level is ``after``, up to ``last_before`` it was ``before``."""

    last_before: int
    campaign: int
    before: float
    after: float
    change: float | None
    p: float
    difference: Difference


@dataclass(frozen=True, slots=True)
class SeriesHistory:
    """A series over campaigns, oldest first, with its change points."""

    series: Series
    points: tuple[Point, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """What changed between two campaigns that follow each other, where a change point lies between them."""

    last_before: int
    campaign: int
    changes: Changes


@dataclass(frozen=True, slots=True)
class History:
    """Series over campaigns. ``significance`` and ``at_least`` are what a step had to pass."""

    campaigns: tuple[Campaign, ...]
    significance: float
    at_least: float
    series: tuple[SeriesHistory, ...]
    turns: tuple[Turn, ...]

    @property
    def fewest(self) -> int:
        """The smallest number of campaigns with which a change of level can be distinguished from chance.

        Of n values in any order, one split in halves is one of n over n/2 that are as likely, and so is its mirror.
        """
        count = 2
        while 2 / comb(count, count // 2) > self.significance:
            count += 1
        return count
