"""Counted runs without coverage (fuzz/plain_run.py)."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from fuzzing.target import Target

FUZZ = Path(__file__).parents[2] / "fuzz"


@pytest.fixture
def modules(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The modules of the folder ``fuzz``, which is no package."""
    monkeypatch.syspath_prepend(str(FUZZ))
    import input_count
    import plain_run

    return SimpleNamespace(plain_run=plain_run, input_count=input_count)


def test_a_run_goes_on_from_the_count(modules: SimpleNamespace, tmp_path: Path) -> None:
    """A second run does what is left, with the next number of a batch, so with other changes."""
    for inputs in (30, 70, 70):
        modules.plain_run.PlainRun("traffic", tmp_path).run(inputs)
        assert modules.input_count.read_count(tmp_path, "traffic").inputs == inputs
    assert modules.input_count.read_count(tmp_path, "traffic").batches == 2


@pytest.mark.slow
def test_a_run_ends_after_its_time(modules: SimpleNamespace, tmp_path: Path) -> None:
    subprocess.run([sys.executable, FUZZ / "plain_run.py", "traffic", "1000000000", "1", tmp_path], check=True)
    assert modules.input_count.read_count(tmp_path, "traffic").inputs < 1_000_000


def test_a_target_is_counted_by_one_run_at_a_time(tmp_path: Path) -> None:
    lock = tmp_path / "inputs" / "traffic.lock"
    lock.parent.mkdir()
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        command = [sys.executable, FUZZ / "plain_run.py", "traffic", "30", "0", tmp_path]
        second = subprocess.run(command, capture_output=True, text=True, check=False)
    assert second.returncode == 1
    assert second.stderr == "another run of traffic is going on; hint: wait until it has ended\n"


def test_failures_are_counted_and_the_first_are_written(
    modules: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[bytes] = []

    def check(content: bytes) -> None:
        checked.append(content)
        assert content[-1] % 2, "even"

    target = Target("tiny", check, lambda: [b"seed"], lambda content, random: random.randbytes(4))
    monkeypatch.setattr(modules.plain_run, "load_targets", lambda: {"tiny": target})
    run = modules.plain_run.PlainRun("tiny", tmp_path)
    contents = modules.plain_run.change_inputs(target, target.seeds(), Random(1))
    run.run_batch(contents, 200)
    failing = [content for content in checked if not content[-1] % 2]
    assert run.count.inputs == len(checked) == 200
    assert list(run.count.failures.values()) == [len(failing)]
    paths = sorted((tmp_path / "failures").glob("tiny-crash-*"))
    assert sorted(path.read_bytes() for path in paths) == sorted(failing[:3])
    report = (tmp_path / "failures" / "tiny.log").read_text()
    assert report.count("AssertionError: even") == 3
    assert all(path.name in report for path in paths)


def test_an_endless_input_is_a_failure(
    modules: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(content: bytes) -> None:
        while True:
            pass

    target = Target("endless", check, lambda: [b"seed"], lambda content, random: content)
    monkeypatch.setattr(modules.plain_run, "load_targets", lambda: {"endless": target})
    monkeypatch.setattr(modules.plain_run, "TIMEOUT_S", 0.05)
    earlier = signal.signal(signal.SIGPROF, modules.plain_run.raise_timeout)
    try:
        modules.plain_run.PlainRun("endless", tmp_path).run_batch(iter([b"seed"]), 1)
    finally:
        signal.signal(signal.SIGPROF, earlier)
    assert [path.read_bytes() for path in (tmp_path / "failures").glob("endless-timeout-*")] == [b"seed"]
