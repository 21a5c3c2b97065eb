"""Acceptance profiles: the fraction of a limit that passes, and numbers that must be reached independent of limits.

Data with a source per number, in ``profiles/``.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from wirespeed.benchmarks.judge.gate_model import Gate, RelativeGate
from wirespeed.catalogue.model import Entry, SourcedValue
from wirespeed.cluster import document
from wirespeed.data_files import describe_problem, parse_found_and_expected
from wirespeed.errors import Problem, Refusal, did_you_mean, refuse
from wirespeed.input_files import read_input


class Thresholds(Entry):
    """Fractions of the reachable limit from which a measurement passes or warns."""

    passes: SourcedValue[float] = Field(alias="pass")
    warns: SourcedValue[float] = Field(alias="warn")

    @model_validator(mode="after")
    def _check_order(self) -> Thresholds:
        if not 0 <= self.warns.value <= self.passes.value <= 1:
            raise ValueError("expected 0 ≤ warn ≤ pass ≤ 1")
        return self


class Classes(Entry):
    """Thresholds by the limiting resource of a benchmark."""

    rdma: Thresholds
    collective_one_host: Thresholds = Field(alias="collective-one-host")
    collective_hosts: Thresholds = Field(alias="collective-hosts")
    tcp: Thresholds
    message_rate: Thresholds | None = Field(default=None, alias="message-rate")  # of small messages; None: as rdma
    gpu_peers: Thresholds | None = Field(default=None, alias="gpu-peers")  # peer access over PCIe; None: as rdma
    gpu_links: Thresholds | None = Field(default=None, alias="gpu-links")  # copies inside a host; None: as rdma
    host_copies_bidirectional: Thresholds | None = Field(  # one direction while the other is busy; None: as gpu-links
        default=None, alias="host-copies-bidirectional"
    )
    host_copies_both: Thresholds | None = Field(  # both directions added; None: as gpu-links or kernel-copies
        default=None, alias="host-copies-both"
    )
    kernel_copies: Thresholds | None = Field(default=None, alias="kernel-copies")  # TransferBench; None: as gpu-links
    kernel_copies_at_once: Thresholds | None = Field(  # of a pair, while all pairs copy; None: as kernel-copies
        default=None, alias="kernel-copies-at-once"
    )
    random_ring: Thresholds | None = Field(default=None, alias="random-ring")  # GPCNeT without load; None: as rdma


class Floors(Entry):
    """Latency and message rate of small sizes: for tables without them, and the range in which a table is believed."""

    collective_us: SourcedValue[float]
    latency_factor: SourcedValue[float]  # a healthy latency, as a multiple of NCCL's own estimate
    latency_fails: SourcedValue[float]  # multiple of the highest healthy latency from which a latency fails
    message_rate: SourcedValue[float]  # messages per second, one direction
    lowest_message_rate: SourcedValue[float]  # messages per second


class SmallDip(Thresholds):
    """A dip at sizes below those that are examined otherwise."""

    from_bytes: SourcedValue[int]  # the smallest size


class Curve(Entry):
    """The shape of a table over its sizes: fractions of the neighbouring sizes from which a size passes or warns."""

    from_bytes: SourcedValue[int]  # smaller sizes are not examined
    dip: Thresholds  # of the lower one of both neighbours
    small_dip: SmallDip | None = None  # the same below ``from_bytes``
    shallow_dip: SourcedValue[float] | None = None  # of the geometric mean of both; below it a size has a note
    step: Thresholds  # of the highest smaller size; a larger size reaches it again
    fall: Thresholds  # the last size, of the highest one
    rising: SourcedValue[float]  # growth from one size to the next: the sweep ends before its plateau


class PublishedRange(Entry):
    """Which fractions of the reachable limit published runs of healthy hosts reach with one algorithm."""

    from_bytes: SourcedValue[int]  # of the smallest size that it covers
    lowest: SourcedValue[float]
    highest: SourcedValue[float]

    @model_validator(mode="after")
    def _check_order(self) -> PublishedRange:
        if not 0 < self.lowest.value <= self.highest.value <= 1:
            raise ValueError("expected 0 < lowest ≤ highest ≤ 1")
        return self


class Profile(Entry):
    """An acceptance profile."""

    version: Literal[1]
    title: str
    classes: Classes
    floors: Floors
    curve: Curve
    plateau: SourcedValue[float]
    two_hosts_nvls_tree: PublishedRange | None = Field(default=None, alias="two-hosts-nvls-tree")
    clock_tolerance: SourcedValue[float]
    gates: list[Gate] = Field(default_factory=list)
    relative_gates: list[RelativeGate] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_gate_names(self) -> Profile:
        names = [*(gate.name for gate in self.gates), *(gate.name for gate in self.relative_gates)]
        if len(set(names)) < len(names):
            raise ValueError("expected a different name for each gate")
        return self


DEFAULT = "default"
_HINT = "the profile that comes with wirespeed, benchmarks/profiles/default.yaml, shows the form"


@cache
def default() -> Profile:
    """The profile that is used if none is named."""
    return load_bundled_profile(DEFAULT)


@cache
def load_bundled_profile(name: str) -> Profile:
    """A profile that comes with wirespeed.

    Raises:
        KeyError: none has this name.
    """
    file = _find_folder() / f"{name}.yaml"
    if name not in names():
        raise KeyError(name)
    return _parse_profile(file.read_text(encoding="utf-8"), f"{name}.yaml")


@cache
def names() -> tuple[str, ...]:
    """The names of the profiles that come with wirespeed, the default one first."""
    bundled = sorted(
        file.name.removesuffix(".yaml") for file in _find_folder().iterdir() if file.name.endswith(".yaml")
    )
    return (DEFAULT, *(name for name in bundled if name != DEFAULT))


def _find_folder() -> Traversable:
    return resources.files("wirespeed.benchmarks") / "profiles"


def read(source: str | Path) -> Profile:
    """A profile by its name, or from a file.

    Raises:
        Refusal: the profile or file does not exist, or the file is not YAML or not a profile.
    """
    if str(source) in names():
        return load_bundled_profile(str(source))
    path = Path(source)
    if not path.suffix and not path.exists():
        raise refuse(
            "--profile",
            repr(str(source)),
            f"one of {', '.join(names())}, or a file",
            did_you_mean(str(source), names()),
        )
    try:
        text = read_input(path).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise refuse(str(path), str(error), "a readable profile") from error
    return _parse_profile(text, str(path))


def _parse_profile(text: str, location: str) -> Profile:
    """A profile; one with a ``base`` contains only the differences from it."""
    document.load(text, location, "a profile", _HINT)  # refuses what YAML readers accept silently, such as a key twice
    try:
        content = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that does not exist, a number of 5,000 digits
        raise refuse(location, f"YAML error: {' '.join(str(error).split())}", "a profile", _HINT) from error
    base = content.pop("base", None) if isinstance(content, dict) else None
    if base is not None:
        if base not in names():
            raise refuse(f"{location}: base", repr(base), f"one of {', '.join(names())}")
        content = _merge(load_bundled_profile(base).model_dump(by_alias=True, exclude_none=True), content)
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        raise Refusal(_list_problems(location, error)) from error


def limit_message_rate(measured: float, profile: Profile) -> tuple[float, str]:
    """The highest message rate of a table, at least the lowest healthy one, and the source of the number."""
    lowest = profile.floors.lowest_message_rate.value
    if measured >= lowest:
        return measured, "highest rate in this table"
    return lowest, "lowest healthy rate; this table shows a lower one"


def _merge(base: Any, override: Any) -> Any:
    if isinstance(base, dict) and isinstance(override, dict):
        return {**base, **{key: _merge(base.get(key), value) for key, value in override.items()}}
    return override


def _list_problems(location: str, error: ValidationError) -> list[Problem]:
    return [
        describe_problem(location, Profile, detail)
        if detail["type"] == "extra_forbidden"
        else Problem(
            f"{location}: {'.'.join(str(part) for part in detail['loc']) or 'document'}",
            *parse_found_and_expected(detail, "no such value"),
            _HINT,
        )
        for detail in error.errors()
    ]
