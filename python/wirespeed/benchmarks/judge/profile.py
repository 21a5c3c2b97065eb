"""Acceptance profiles: the fraction of a limit that passes, and numbers that must be reached independent of limits.

Data with a source per number, in ``profiles/``.
"""

from __future__ import annotations

import re
from dataclasses import replace
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
from wirespeed.data_files import describe_problem
from wirespeed.errors import Problem, Refusal, did_you_mean, refuse
from wirespeed.input_files import read_input


class Thresholds(Entry):
    """Fractions of the reachable limit from which a measurement passes or warns; below both it fails."""

    passes: SourcedValue[float] = Field(alias="pass", description="passes from this fraction on")
    warns: SourcedValue[float] = Field(alias="warn", description="from this fraction on a warning instead of a failure")

    @model_validator(mode="after")
    def _check_order(self) -> Thresholds:
        if not 0 <= self.warns.value <= self.passes.value <= 1:
            raise ValueError("expected 0 ≤ warn ≤ pass ≤ 1")
        return self


class Fractions(Entry):
    """The required fractions of the reachable limit, by kind of run.

    An optional kind that the profile lacks uses those of another one."""

    rdma: Thresholds = Field(
        description="bandwidth between the NICs of two hosts, such as ib_write_bw, osu_bw or ucx_perftest"
    )
    collective_one_host: Thresholds = Field(
        alias="collective-one-host", description="a collective of the GPUs of one host, such as all_reduce_perf"
    )
    collective_hosts: Thresholds = Field(alias="collective-hosts", description="a collective of GPUs on several hosts")
    tcp: Thresholds = Field(description="TCP streams, such as iperf3")
    message_rate: Thresholds | None = Field(
        default=None,
        alias="message-rate",
        description="RDMA messages of sizes that the message rate of the NIC limits; without this entry, rdma applies",
    )
    gpu_peers: Thresholds | None = Field(
        default=None,
        alias="gpu-peers",
        description="between GPUs over PCIe: copies with peer access, and collectives; without this entry, rdma "
        "applies to the copies, and collective-one-host to the collectives",
    )
    gpu_links: Thresholds | None = Field(
        default=None,
        alias="gpu-links",
        description="copies between GPUs over NVLink or xGMI; without this entry, rdma applies",
    )
    host_copies: Thresholds | None = Field(
        default=None,
        alias="host-copies",
        description="copies between host and GPU in one direction, with pinned host memory; without this entry, "
        "gpu-links applies",
    )
    host_copies_kernel: Thresholds | None = Field(
        default=None,
        alias="host-copies-kernel",
        description="copies from host to GPU by kernels, as host_to_device_memcpy_sm of nvbandwidth; without this "
        "entry, host-copies applies",
    )
    host_copies_bidirectional: Thresholds | None = Field(
        default=None,
        alias="host-copies-bidirectional",
        description="one direction between host and GPU while the other direction is busy, as nvbandwidth prints it; "
        "without this entry, gpu-links applies",
    )
    host_copies_both: Thresholds | None = Field(
        default=None,
        alias="host-copies-both",
        description="the sum of both directions between host and GPU, as rocm-bandwidth-test and TransferBench print "
        "it; without this entry, gpu-links applies; for TransferBench, kernel-copies",
    )
    kernel_copies: Thresholds | None = Field(
        default=None,
        alias="kernel-copies",
        description="copies of TransferBench; without this entry, gpu-links applies",
    )
    kernel_copies_at_once: Thresholds | None = Field(
        default=None,
        alias="kernel-copies-at-once",
        description="copies of one pair of GPUs while all pairs copy (TransferBench all-to-all); without "
        "this entry, kernel-copies applies",
    )
    random_ring: Thresholds | None = Field(
        default=None,
        alias="random-ring",
        description="random ring of GPCNeT without load; without this entry, rdma applies",
    )


class Floors(Entry):
    """Latency and message rate of small sizes: for tables without them, and the range in which a table is believed."""

    collective_us: SourcedValue[float] = Field(description="highest healthy latency of a collective, in µs")
    latency_factor: SourcedValue[float] = Field(
        description="highest healthy latency of a collective, as a multiple of the estimate of NCCL"
    )
    latency_fails: SourcedValue[float] = Field(
        description="multiple of the highest healthy latency from which a latency fails"
    )
    message_rate: SourcedValue[float] = Field(
        description="messages per second of a NIC, one direction, for tables without small sizes"
    )
    lowest_message_rate: SourcedValue[float] = Field(
        description="lowest healthy message rate, in messages per second; a lower one does not excuse small sizes"
    )


class SmallDip(Thresholds):
    """A dip at sizes below those that are examined otherwise."""

    from_bytes: SourcedValue[int] = Field(description="smallest size that is examined, in bytes")


class Curve(Entry):
    """The shape of a table over its sizes: fractions of the neighbouring sizes from which a size passes or warns."""

    from_bytes: SourcedValue[int] = Field(description="smallest size that is examined, in bytes")
    dip: Thresholds = Field(description="a size, as fractions of the lower one of both neighbouring sizes")
    small_dip: SmallDip | None = Field(default=None, description="the same below from_bytes")
    shallow_dip: SourcedValue[float] | None = Field(
        default=None,
        description="fraction of the geometric mean of both neighbouring sizes; a lower size has a note",
    )
    step: Thresholds = Field(
        description="a size, as fractions of the highest smaller size that a larger size reaches again"
    )
    fall: Thresholds = Field(description="the largest size, as fractions of the highest one")
    rising: SourcedValue[float] = Field(
        description="growth from one size to the next from which the sweep ended before its plateau"
    )


class PublishedRange(Entry):
    """Which fractions of the reachable limit published runs of healthy hosts reach with one algorithm."""

    from_bytes: SourcedValue[int] = Field(description="smallest size that it covers, in bytes")
    lowest: SourcedValue[float] = Field(description="lowest published fraction")
    highest: SourcedValue[float] = Field(description="highest published fraction")

    @model_validator(mode="after")
    def _check_order(self) -> PublishedRange:
        if not 0 < self.lowest.value <= self.highest.value <= 1:
            raise ValueError("expected 0 < lowest ≤ highest ≤ 1")
        return self


class Profile(Entry):
    """An acceptance profile."""

    version: Literal[1] = Field(description="version of the file format")
    title: str = Field(description="one line for `wirespeed list profiles`")
    fractions: Fractions = Field(description="required fractions of the reachable limit, by kind of run")
    floors: Floors = Field(description="latency and message rate of small sizes")
    curve: Curve = Field(description="the shape of a table over its sizes")
    plateau: SourcedValue[float] = Field(
        description="fraction of the largest size down to which sizes are compared with the limits"
    )
    two_hosts_nvls_tree: PublishedRange | None = Field(
        default=None,
        alias="two-hosts-nvls-tree",
        description="an all-reduce over two hosts with NVLS: the published fractions of the reachable limit",
    )
    clock_tolerance: SourcedValue[float] = Field(
        description="fraction by which a measurement may exceed a limit and still be at it"
    )
    gates: list[Gate] = Field(
        default_factory=list, description="values that runs must reach, independent of limits; the first that applies"
    )
    relative_gates: list[RelativeGate] = Field(default_factory=list, description="comparisons of runs with each other")

    @model_validator(mode="after")
    def _check_gate_names(self) -> Profile:
        names = [*(gate.name for gate in self.gates), *(gate.name for gate in self.relative_gates)]
        if len(set(names)) < len(names):
            raise ValueError("expected a different name for each gate")
        return self


DEFAULT = "default"
_HINT = "`wirespeed schema profile` shows the keys"


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


def describe_kinds_of_run() -> dict[str, str]:
    """The kinds of run that have a required fraction of their limit, with their meaning."""
    return {field.alias or name: field.description or "" for name, field in Fractions.model_fields.items()}


def schema() -> dict[str, Any]:
    """The JSON Schema of a profile file: a complete profile, or one with a ``base`` that contains only differences."""
    file_schema = Profile.model_json_schema(by_alias=True)
    definitions = file_schema["$defs"]
    required = file_schema.pop("required")
    for model in (Fractions, Thresholds, Floors, SmallDip, Curve, PublishedRange):
        definitions[model.__name__].pop("required", None)  # of a profile with a base
    baseline = {key: value for key, value in definitions["Runs"].items() if key != "required"}
    definitions["Baseline"] = {**baseline, "description": "The other runs: only the keys that differ from `of`."}
    definitions["RelativeGate"]["properties"]["to"]["anyOf"][0]["$ref"] = "#/$defs/Baseline"
    base = {
        "type": "string",
        "enum": list(names()),
        "description": "profile that this one changes; then all other keys are optional, and a list, such as gates, "
        "replaces that of the base",
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **file_schema,
        "properties": {"base": base, **file_schema["properties"]},
        "anyOf": [{"required": ["base"]}, {"required": required}],
        "title": "wirespeed acceptance profile",
        "description": "The acceptance criteria of `wirespeed bench judge --profile FILE`.",
    }


def limit_message_rate(measured: float, profile: Profile) -> tuple[float, str]:
    """The highest message rate of a table, at least the lowest healthy one, and the source of the number."""
    lowest = profile.floors.lowest_message_rate.value
    if measured >= lowest:
        return measured, "highest rate in this table"
    return lowest, "lowest healthy rate; this table shows a lower one"


def _merge(base: Any, override: Any) -> Any:
    """Mappings key by key; a number is replaced together with its source."""
    if isinstance(base, dict) and isinstance(override, dict) and "source" not in base:
        return {**base, **{key: _merge(base.get(key), value) for key, value in override.items()}}
    return override


def _list_problems(location: str, error: ValidationError) -> list[Problem]:
    problems = (describe_problem(location, Profile, details) for details in error.errors())
    return [
        replace(problem, location=_GATE.sub(_name_gate, problem.location), hint=problem.hint or _HINT)
        for problem in problems
    ]


_GATE = re.compile(r"(?<=: )(relative_)?gates\.(\d+)")


def _name_gate(match: re.Match[str]) -> str:
    return f"{'relative ' if match[1] else ''}gate {int(match[2]) + 1}"
