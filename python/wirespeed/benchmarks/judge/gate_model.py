"""The gates of a profile: the runs that they apply to, and the value that these runs must reach.

A gate requires a value of one run. A relative gate compares runs with each other: one side with a baseline, or runs of
one test among themselves.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, field_validator, model_validator

from wirespeed.benchmarks.logs.numbers import SECONDS
from wirespeed.catalogue.model import BandwidthField, Entry, SizeField
from wirespeed.errors import did_you_mean
from wirespeed.limits.group import Collective
from wirespeed.results.benchmarks import Metric
from wirespeed.results.parameters import dictionary
from wirespeed.units import BITS_PER_SECOND

_BandwidthText = Annotated[BandwidthField, WithJsonSchema({"type": "string", "examples": ["400 Gb/s"]})]
_SizeText = Annotated[SizeField, WithJsonSchema({"type": "string", "examples": ["8 GiB"]})]


class Range(Entry):
    """A range of a parameter's values, both ends included."""

    at_least: float | None = Field(default=None, description="lowest value")
    at_most: float | None = Field(default=None, description="highest value")


class Selection(Entry):
    """A selection of measurements. A field that is absent matches every run."""

    tools: list[str] = Field(min_length=1, description="names as in `wirespeed list tools`")
    tests: list[str] = Field(default_factory=list, description="names of tests, as `wirespeed bench parse` prints them")
    collective: Collective | None = Field(default=None, description="collective of the run")
    metric: Metric = Field(description="metric, as `wirespeed bench parse` prints it")
    link: _BandwidthText | None = Field(default=None, description="speed of the NIC port")
    memory: Literal["host", "gpu"] | None = Field(default=None, description="memory of the buffers")
    bidirectional: bool | None = Field(default=None, description="both ends send at the same time")
    gpu: str | None = Field(default=None, description="a word of the name of the GPU, such as H100")
    hosts: int | None = Field(default=None, description="number of hosts of the run")
    ranks: int | None = Field(default=None, description="number of ranks of the run")
    connection_type: Literal["RC", "UD"] | None = Field(
        default=None, description="transport service of the queue pairs"
    )
    sizes: list[_SizeText] = Field(default_factory=list, description="message sizes")
    from_size: _SizeText | None = Field(default=None, description="smallest message size")
    label: str | None = Field(default=None, description="label of the measurement; `*` matches any text")


class Gate(Selection):
    """A number that a measurement of one kind must reach, or stay below, independent of its limits."""

    name: str = Field(min_length=1, description="name in verdicts, unique in the profile")
    at_least: float | None = Field(default=None, description="lowest accepted value; either this or at_most")
    at_most: float | None = Field(default=None, description="highest accepted value")
    unit: str = Field(description="unit of the number, such as Gb/s, GB/s or us")
    tolerance: float = Field(default=0.0, ge=0, lt=1, description="a value within this fraction of the number warns")
    severity: Literal["fail", "warn"] = Field(default="fail", description="verdict of a value that is not accepted")
    source: str = Field(min_length=1, description="where the number comes from")

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
    """One side of a relative gate: a selection of measurements, also by path and by the parameters of their logs."""

    path: Path | None = Field(default=None, description="part of the network between the two NICs")
    at_once: AtOnce | None = Field(
        default=None, description="runs between the same hosts at the same time: none, or on every rail"
    )
    parameters: dict[str, Range | bool | int | float | str] = Field(
        default_factory=dict, description="parameters of the run by name, each with a value or a range"
    )

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
    """A comparison of runs: the ratio of two sides, their difference (with a unit), or the spread of one side."""

    name: str = Field(min_length=1, description="name in verdicts, unique in the profile")
    of: Runs = Field(description="runs that are compared")
    to: Runs | None = Field(default=None, description="baseline: only the keys that differ from `of`")
    statistic: Statistic = Field(default=Statistic.MEDIAN, description="statistic of the runs of `of`")
    baseline: Statistic = Field(default=Statistic.MEDIAN, description="statistic of the runs of `to`")
    same: list[CommonEnd] = Field(default_factory=list, description="ends that the runs of both sides must share")
    runs: int = Field(default=1, ge=1, description="minimum number of runs per side")
    at_least: float | None = Field(default=None, description="lowest accepted value; either this or at_most")
    at_most: float | None = Field(default=None, description="highest accepted value")
    unit: str | None = Field(default=None, description="unit of a difference; absent: a ratio or a spread")
    tolerance: float = Field(default=0.0, ge=0, lt=1, description="a value within this fraction of the number warns")
    severity: Literal["fail", "warn"] = Field(default="fail", description="verdict of a value that is not accepted")
    measure: str | None = Field(default=None, description="command that measures missing runs")
    source: str = Field(min_length=1, description="where the number comes from")

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
