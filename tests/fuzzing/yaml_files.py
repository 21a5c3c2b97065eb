"""Acceptance profiles and traffic files, changed anywhere."""

from __future__ import annotations

import atexit
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from fuzzing.target import Target
from fuzzing.text_mutation import mutate
from wirespeed.benchmarks.judge import profile
from wirespeed.errors import Refusal
from wirespeed.simulation.workload.file import read_traffic

ROOT = Path(__file__).parents[2]
_PROFILES = ROOT / "python" / "wirespeed" / "benchmarks" / "profiles"
_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def targets() -> list[Target]:
    """The readers of profiles and of traffic files."""
    return [
        Target("profile", lambda content: _check(profile.read, content), profile_seeds, _mutate_profile),
        Target("traffic", lambda content: _check(read_traffic, content), traffic_seeds, _mutate_traffic),
    ]


def _check(read: Callable[[Path], object], content: bytes) -> None:
    """A file is read, or refused with problems that name it."""
    file = _folder() / "file.yaml"
    file.write_bytes(content)
    try:
        read(file)
    except Refusal as refusal:
        assert all(problem.location.startswith(str(file)) and problem.found for problem in refusal.problems), refusal


@cache
def _folder() -> Path:
    """A folder of this process, in memory."""
    memory = Path("/dev/shm")
    folder = tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None)
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def profile_seeds() -> list[bytes]:
    """The profiles of the package, whole and as differences from one of them."""
    texts = [file.read_text("utf-8") for file in sorted(_PROFILES.glob("*.yaml"))]
    override = "version: 1\nbase: default\ntitle: ours\nclasses:\n  rdma: {pass: {value: 0.9, source: ours}}\n"
    return [text.encode() for text in [override, *texts]]


@cache
def traffic_seeds() -> list[bytes]:
    """The traffic files of the examples and of the guides."""
    files = sorted(ROOT.glob("examples/*/traffic*.yaml"))
    guides = [block for page in sorted(ROOT.glob("docs/**/*.md")) for block in _BLOCK.findall(page.read_text("utf-8"))]
    return [
        *(file.read_bytes() for file in files),
        *(block.encode() for block in guides if "\ntraffic:" in block),
        b"version: 1\ntraffic:\n  - {pattern: permutation, size: 1 MB}\n",
    ]


def _mutate_profile(content: bytes, random: Random) -> bytes:
    return mutate(content, random, profile_seeds())


def _mutate_traffic(content: bytes, random: Random) -> bytes:
    return mutate(content, random, traffic_seeds())
