"""Campaigns of a store, compared with each other and over time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import comb

from wirespeed.results.series import Series


@dataclass(frozen=True, slots=True)
class Campaign:
    """A set of runs. ``id`` is None for logs that were read for one comparison and are not stored."""

    id: int | None
    label: str
    started: str | None  # ISO 8601 in UTC
    cluster: str | None
    finished: bool  # false if storing was interrupted: store the same logs again to continue
    logs: int
    runs: int
    failed: int


@dataclass(frozen=True, slots=True)
class Change:
    """A setting or parameter that differs between two campaigns. A side on which it was not read is None.

    ``place`` is a place of the cluster for settings, the tool and test for parameters of runs.
    """

    place: str
    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """The differences between two campaigns, and notes on why the list may be incomplete."""

    changed: tuple[Change, ...]
    unread: int  # number of settings that only one campaign contains
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The values of a series in one campaign. ``spread`` is their robust standard deviation; None for one value."""

    count: int
    median: float
    lowest: float
    highest: float
    spread: float | None


class Difference(StrEnum):
    """The difference of a series between two campaigns."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"  # significant, for a metric of which neither higher nor lower is better
    NOT_PROVEN = "not proven"  # the values do not overlap, but too few runs prove nothing for this number of series
    NONE = "no significant change"  # the values are not distinguishable
    TOO_FEW_VALUES = "too few values"  # too few values on a side for a significant difference


@dataclass(frozen=True, slots=True)
class SeriesComparison:
    """A series in both campaigns.

    ``change`` is relative to A's median, None if that is 0. ``last_digit`` is set if the medians differ by their last
    printed digit alone, which is no change; ``resolution`` is the last digit relative to A's median, set if a change of
    the size looked for may be hidden by it. ``p`` is the probability of such a difference by chance,
    from the repeated values of the series; ``unlike`` the same, from the changes of other series of the same
    measurement; ``adjusted`` is the smaller of the two, corrected for the number of tests. ``effect`` is the
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
    last_digit: float | None = None
    resolution: float | None = None


@dataclass(frozen=True, slots=True)
class JointChange:
    """The joint change of a measurement with several series; ``series`` has no ends and no label.

    ``change`` is the median of the relative changes, from ``lowest`` to ``highest``; ``p`` is the
    probability that this many move this far in one direction by chance, ``adjusted`` the same for all measurements.
    """

    series: Series
    series_count: int
    difference: Difference
    change: float
    lowest: float
    highest: float
    p: float
    adjusted: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of campaigns A and B by their common series; ``only_a`` and ``only_b`` count the others.

    ``parts`` counts series of parts of a run, such as single streams, which are not compared. ``unpaired`` states why
    the campaigns have no series in common. ``from_times`` counts series of bandwidths that were computed from times,
    which are printed with more digits.
    """

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
    parts: int = 0
    unpaired: str | None = None
    from_times: int = 0


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
    """Changes between two consecutive campaigns with a change point between them."""

    last_before: int
    campaign: int
    changes: Changes


@dataclass(frozen=True, slots=True)
class History:
    """Series over campaigns. ``significance`` and ``at_least`` are the thresholds of a change point."""

    campaigns: tuple[Campaign, ...]
    significance: float
    at_least: float
    series: tuple[SeriesHistory, ...]
    turns: tuple[Turn, ...]

    def __post_init__(self) -> None:
        """Refuse a threshold that no number of campaigns reaches.

        Raises:
            ValueError: the significance is not between 0 and 1.
        """
        if not 0 < self.significance < 1:
            raise ValueError(f"{self.significance} for history.significance")

    @property
    def fewest(self) -> int:
        """The minimum number of campaigns in which a change of level can be significant.

        With n values in random order, a split into halves is one of n over n/2 equally likely ones, as is its mirror.
        """
        count = 2
        while 2 / comb(count, count // 2) > self.significance:
            count += 1
        return count
