"""Cluster files, changed anywhere."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from fuzzing.target import Target
from fuzzing.text_mutation import mutate
from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build

TESTS = Path(__file__).parents[1]
FILE = "cluster.yaml"
MOST_NODES = 128
"""Larger clusters are only read: a plan takes time in proportion to its nodes."""
_LINE_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # of YAML 1.1
_ROW = re.compile(r"^=== \S+\.yaml\n(.*?)^--- ", re.MULTILINE | re.DOTALL)


def targets() -> list[Target]:
    """One target: the reader of cluster files, and the plan."""
    return [Target("cluster_file", check, seeds, lambda content, random: mutate(content, random, _seeds()))]


def check(content: bytes) -> None:
    """A file is read and planned, or refused with problems of which each names a line that there is."""
    text = content.decode("utf-8", "replace")
    try:
        cluster = read_text(text, FILE)
        if len(cluster.hosts) + len(cluster.switches) <= MOST_NODES:
            build(cluster)
    except Refusal as refusal:
        for problem in refusal.problems:
            if not problem.location.startswith(FILE):  # a cabling file that it names, which may have any name
                assert problem.location.partition(":")[0] in text, problem
                continue
            line = problem.location.removeprefix(FILE).removeprefix(":")
            assert not line or 1 <= int(line) <= len(_LINE_BREAK.findall(text)) + 1, problem
            assert problem.found, problem
    else:
        assert cluster.hosts


@cache
def _seeds() -> tuple[bytes, ...]:
    rows = [row for file in sorted((TESTS / "refusals").glob("*.txt")) for row in _ROW.findall(file.read_text("utf-8"))]
    files = sorted((TESTS.parent / "examples").glob("*/cluster*.yaml"))
    return tuple(text.encode() for text in [*rows, *(file.read_text("utf-8") for file in files)] if len(text) < 4096)


def seeds() -> list[bytes]:
    """The refused cluster files of the tests, and those of the examples."""
    return list(_seeds())
