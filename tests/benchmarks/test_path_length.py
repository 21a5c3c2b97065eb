"""The number of files whose functions run between reading a log and its verdict.

Counted are the files of ``wirespeed/benchmarks`` of which a function runs while `wirespeed bench judge` judges one log
of one run. Every module is imported before, so that what only defines data, types and patterns does not count.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from types import CodeType, FrameType

import pytest

from wirespeed import benchmarks
from wirespeed.benchmarks.judge import profile
from wirespeed.cli import main

MAX_FILES = 17
"""Fewer than half of the 35 files that this once took."""

ROOT = Path(benchmarks.__file__).parent
REPOSITORY = Path(__file__).parents[2]
CLUSTER = "examples/mi300x-4node/cluster.yaml"
LOGS = [
    ("examples/mi300x-4node/bench/ib-write-bw-bidirectional.log", CLUSTER),
    ("examples/mi300x-4node/bench/all-reduce-4-nodes-32-processes.log", CLUSTER),
    ("tests/samples/osu/osu74_bw.txt", CLUSTER),
    ("examples/esnet-400g/bench/iperf3-8-streams.log", "examples/esnet-400g/cluster.yaml"),
]


@pytest.mark.parametrize(("log", "cluster"), LOGS, ids=["perftest", "nccl-tests", "osu", "iperf3"])
def test_few_files_lead_from_a_log_to_its_verdict(
    log: str, cluster: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in pkgutil.walk_packages(benchmarks.__path__, f"{benchmarks.__name__}."):
        importlib.import_module(module.name)
    profile.default.cache_clear()  # another test may have read it
    profile.load_bundled_profile.cache_clear()
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setattr(sys, "argv", ["wirespeed", "bench", "judge", log, "--cluster", cluster])
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        with pytest.raises(SystemExit):
            main()
    finally:
        sys.setprofile(None)
    assert "Gb/s" in (text := capsys.readouterr().out) or "GB/s" in text or "MB/s" in text
    functions = (code for code in codes if code.co_flags & inspect.CO_OPTIMIZED)  # not the body of a class
    files = {Path(code.co_filename) for code in functions}
    passed = sorted(file.relative_to(ROOT).as_posix() for file in files if file.is_relative_to(ROOT))
    assert len(passed) <= MAX_FILES, "\n".join(passed)
