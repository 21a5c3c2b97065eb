"""The gates of a profile: the runs that they apply to, and the value that these runs must reach.

A gate requires a value of one run. A relative gate compares runs with each other: one side with a baseline, or runs of
one test among themselves.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.catalogue.model import BandwidthField, Entry, SizeField
from wirespeed.errors import did_you_mean
from wirespeed.limits.group import Collective
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import dictionary
from wirespeed.units import BITS_PER_SECOND


class Range(Entry):
    """A range of a parameter's values, both ends included."""

    at_least: float | None = None
    at_most: float | None = None


class Selection(Entry):
    """A selection of measurements. A field that is absent matches every run.

    ``tests`` are names as `bench parse` gives them; ``gpu`` is a word of the GPU's name; ``label`` may hold ``*``.
    """

    tools: list[str] = Field(min_length=1)
    tests: list[str] = Field(default_factory=list)
    collective: Collective | None = None
    metric: Metric
    link: BandwidthField | None = None
    memory: Literal["host", "gpu"] | None = None
    bidirectional: bool | None = None
    gpu: str | None = None
    hosts: int | None = None
    ranks: int | None = None
    connection_type: Literal["RC", "UD"] | None = None
    sizes: list[SizeField] = Field(default_factory=list)
    from_size: SizeField | None = None
    label: str | None = None


class Gate(Selection):
    """A number that a measurement of one kind must reach, or stay below, independent of its limits."""

    name: str = Field(min_length=1)
    at_least: float | None = None
    at_most: float | None = None
    unit: str
    tolerance: float = Field(default=0.0, ge=0, lt=1)  # a value within this fraction of the number warns
    severity: Literal["fail", "warn"] = "fail"
    source: str = Field(min_length=1)

    @model_validator(mode="after")
    def _check_numbers(self) -> Gate:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("expected either at_least or at_most")
        if self.unit not in BITS_PER_SECOND and self.unit not in SECONDS:
            raise ValueError(f"{self.unit!r} is no unit of bandwidth or time")
        return self


class Path(StrEnum):
    """The part of the network between the two NICs of a run."""

    SAME_LEAF = "same-leaf"
    BETWEEN_LEAVES = "between-leaves"


class AtOnce(StrEnum):
    """Which other runs were measured between the same hosts at the same time."""

    ALONE = "alone"  # nothing
    RAILS = "rails"  # every rail of both hosts


class Runs(Selection):
    """One side of a relative gate: measurements, selected also by path and by what was measured at the same time.

    ``parameters`` are those of the log, by the names of `results/parameters.py`; another name is refused.
    """

    path: Path | None = None
    at_once: AtOnce | None = None
    parameters: dict[str, Range | bool | int | float | str] = Field(default_factory=dict)

    @field_validator("parameters")
    @classmethod
    def _check_names(cls, value: dict[str, Any]) -> dict[str, Any]:
        names = list(dictionary())
        for name in value:
            if name not in names:
                raise ValueError(f"no parameter named {name!r}; {did_you_mean(name, names) or 'see bench parse'}")
        return value


class Statistic(StrEnum):
    """The statistic of a side's measurements that is compared."""

    MEDIAN = "median"
    MEAN = "mean"
    SUM = "sum"
    MIN = "min"
    MAX = "max"
    SPREAD = "spread"  # standard deviation over mean


class CommonEnd(StrEnum):
    """Ends that runs must share to be compared, in addition to tool, test and all identity parameters."""

    PAIR = "pair"  # both NICs, in either order
    HOSTS = "hosts"  # both hosts
    RAIL = "rail"


class RelativeGate(Entry):
    """A comparison of runs: the ratio of two sides, their difference in ``unit``, or the spread of one side.

    ``to`` contains only what the baseline changes in ``of``.
    """

    name: str = Field(min_length=1)
    of: Runs
    to: Runs | None = None
    statistic: Statistic = Statistic.MEDIAN  # of ``of``
    baseline: Statistic = Statistic.MEDIAN  # of ``to``
    same: list[CommonEnd] = Field(default_factory=list)
    runs: int = Field(default=1, ge=1)  # minimum number of runs per side
    at_least: float | None = None
    at_most: float | None = None
    unit: str | None = None  # of a difference; None: of a ratio or a spread
    tolerance: float = Field(default=0.0, ge=0, lt=1)
    severity: Literal["fail", "warn"] = "fail"
    measure: str | None = None  # command that measures missing runs
    source: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _complete_baseline(cls, data: Any) -> Any:
        """Complete the baseline with the fields that it inherits from ``of``."""
        if isinstance(data, dict) and isinstance(data.get("of"), dict) and isinstance(data.get("to"), dict):
            return {**data, "to": {**data["of"], **data["to"]}}
        return data

    @model_validator(mode="after")
    def _check_sides(self) -> RelativeGate:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("expected either at_least or at_most")
        if (self.to is None) != (self.statistic is Statistic.SPREAD):
            raise ValueError("expected a baseline, to, or the statistic spread of one side")
        if self.to is not None and (self.to == self.of or self.baseline is Statistic.SPREAD):
            raise ValueError("expected a baseline that differs from of, and has a value")
        if self.to is not None and self.to.metric is not self.of.metric:
            raise ValueError("expected one metric on both sides")
        if self.unit is not None and self.unit not in SECONDS and self.unit not in BITS_PER_SECOND:
            raise ValueError(f"{self.unit!r} is no unit of bandwidth or time")
        if self.statistic is Statistic.SPREAD and (self.unit is not None or self.runs < _LEAST_SPREAD):
            raise ValueError(f"expected of a spread no unit, and runs: {_LEAST_SPREAD} or more")
        return self


_LEAST_SPREAD = 2  # a single run has no spread
