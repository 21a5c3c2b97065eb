"""Logs of benchmark tools, changed anywhere: what the readers of the tools read of them."""

from __future__ import annotations

import json
import math
import zlib
from functools import cache

from tests.benchmarks.tools.samples import LOGS

from fuzzing.target import Target
from fuzzing.text_mutation import mutate
from wirespeed.benchmarks import parse
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Run
from wirespeed.results.json import document

LONGEST = 8192
DOCUMENTS = 8
"""The runs of one input in this many are written as a document, which takes as long as reading the log."""


def targets() -> list[Target]:
    """One target: the readers of all tools look at every log."""
    return [Target("benchmark_log", check, seeds, lambda content, random: mutate(content, random, _seeds()), LONGEST)]


def check(content: bytes) -> None:
    """A log is read or refused; no value is negative or infinite; the document of its runs is JSON."""
    text = content.decode("utf-8", "replace")
    whole = _runs(text)
    if zlib.crc32(content) % DOCUMENTS == 0:
        json.loads(document("bench-runs", 1, runs=whole))
    for run in whole:
        for measurement in run.measurements:
            assert math.isfinite(measurement.value) and measurement.value >= 0, measurement


def _runs(text: str) -> tuple[Run, ...]:
    try:
        return parse(text)
    except Refusal as refusal:
        assert [problem.location for problem in refusal.problems] == ["text"]
        return ()


@cache
def _seeds() -> tuple[bytes, ...]:
    contents = [log.read_bytes() for log in LOGS]
    return tuple(content if len(content) <= LONGEST else content[:LONGEST] for content in contents)


def seeds() -> list[bytes]:
    """The beginnings of the sample logs."""
    return list(_seeds())
