"""Acceptance profiles: which fraction of a limit passes. Data with a source per number, in ``profiles/``."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError, model_validator

from wirespeed.catalogue.model import Entry, Sourced
from wirespeed.errors import Problem, Refused, refuse


class Thresholds(Entry):
    """Fractions of the reachable limit from which a measurement passes, or only draws a warning."""

    passes: Sourced[float] = Field(alias="pass")
    warns: Sourced[float] = Field(alias="warn")

    @model_validator(mode="after")
    def _ordered(self) -> Thresholds:
        if not 0 <= self.warns.value <= self.passes.value <= 1:
            raise ValueError("expected 0 ≤ warn ≤ pass ≤ 1")
        return self


class Classes(Entry):
    """Thresholds by what binds such a benchmark."""

    rdma: Thresholds
    collective_one_host: Thresholds = Field(alias="collective-one-host")
    collective_hosts: Thresholds = Field(alias="collective-hosts")
    tcp: Thresholds


class Floors(Entry):
    """Latency floors where a table holds no small sizes."""

    collective_us: Sourced[float]
    message_rate: Sourced[float]  # messages per second, one direction


class Profile(Entry):
    """An acceptance profile."""

    version: Literal[1]
    title: str
    classes: Classes
    floors: Floors
    plateau: Sourced[float]
    clock_tolerance: Sourced[float]


@cache
def default() -> Profile:
    """The profile that comes with wirespeed."""
    text = (resources.files(__package__) / "profiles" / "default.yaml").read_text(encoding="utf-8")
    return Profile.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))


def read(path: Path) -> Profile:
    """A profile from a file.

    Raises:
        Refused: the file cannot be read, is no YAML or is no profile.
    """
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise refuse(str(path), str(error), "a readable profile") from error
    except yaml.YAMLError as error:
        raise refuse(str(path), " ".join(str(error).split()), "YAML") from error
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        raise Refused(_problems(path, error)) from error


def _problems(path: Path, error: ValidationError) -> list[Problem]:
    hint = "the profile that comes with wirespeed, benchmarks/profiles/default.yaml, shows the form"
    return [
        Problem(
            f"{path}: {'.'.join(str(part) for part in detail['loc']) or 'document'}",
            "no such value",
            detail["msg"],
            hint,
        )
        for detail in error.errors()
    ]
