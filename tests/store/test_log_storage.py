"""Nothing that was stored is lost: other writers, a kill, a full disk; and the raw output comes back."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import inject_faults
import pytest
from tests.store.campaigns import add, runs_of_values
from tests.store.commands import bench

from wirespeed.cli import log_reader, log_storage
from wirespeed.store import Filters, Store

BENCH = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench"


def _write(store_address: str, number: int) -> None:
    with Store(store_address) as store:
        for size in range(3):
            add(store, f"c{number}", runs_of_values([1.0 * number + size], size=2 << (size + number)))


def test_writers_at_once_all_write(store_address: str) -> None:
    with ThreadPoolExecutor(3) as pool:  # each has separate connections, as processes would
        list(pool.map(_write, [store_address] * 3, range(3)))
    with Store(store_address) as store:
        campaigns = store.campaigns()
        assert sorted(campaign.label for campaign in campaigns) == ["c0", "c1", "c2"]
        assert [campaign.runs for campaign in campaigns] == [
            1
        ] * 3  # the later two logs of each have the first one's bytes
        values = [
            value
            for campaign in campaigns
            for stored_value in store.values(campaign, Filters()).values()
            for value in stored_value
        ]
        assert sorted(values) == [0.0, 1.0, 2.0]


def _parse(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "wirespeed", "bench", "parse", *map(str, arguments)]


def test_an_interrupt_stores_what_was_read_and_the_same_command_goes_on(
    store_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pressed = iter([False, False, True])

    @contextmanager
    def after_the_third_log() -> Iterator[Callable[[], bool]]:
        yield lambda: next(pressed)

    command = ("parse", BENCH, "--store", store_address, "--label", "x")
    with monkeypatch.context() as patched:
        patched.setattr(log_storage, "interruptible", after_the_third_log)
        patched.setattr(log_reader, "_MOST_FILES", 1)
        ran = bench(*command)
    assert ran.returncode == 130
    assert ran.stderr == "interrupted: the logs read so far are stored; run the same command to continue\n"
    with Store(store_address) as store:
        assert (store.find("x").logs, store.find("x").finished) == (3, False)
    assert "2 logs, 2 runs" in bench(*command).stdout
    with Store(store_address) as store:
        assert (store.find("x").logs, store.find("x").finished) == (5, True)


def test_a_killed_writer_leaves_whole_batches(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    program = f"""
import os
from tests.store.campaigns import runs_of_values
from wirespeed.store import Batch, Store, pack, writer
store = Store({str(path)!r})
campaign = store.begin("x", "2026-11-21T08:00:00Z", None, "wirespeed 0")
for number in range(2):
    batch = Batch()
    batch.add(pack("a", str(number).encode()), runs_of_values([1.0, 2.0]))
    if number:
        writer._insert_measurements = lambda *arguments: os.kill(os.getpid(), 9)
    store.add(campaign, batch)
"""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path])}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, timeout=60, check=False)
    assert ran.returncode == -signal.SIGKILL
    with Store(str(path)) as store:
        stored_rows = store.find("x")
        assert (stored_rows.logs, stored_rows.runs, stored_rows.finished) == (1, 2, False)
        assert list(store.values(stored_rows, Filters()).values()) == [[1.0, 2.0]]


@pytest.mark.slow
def test_a_full_disk_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(str(path)) as store:
        add(store, "kept", runs_of_values([1.0]))
    size = path.stat().st_size

    def small() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as a full disk: the write fails, the process lives
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4096, size + 4096))

    ran = subprocess.run(
        _parse(BENCH, "--store", path, "--label", "new"),
        capture_output=True,
        text=True,
        preexec_fn=small,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 2
    assert "expected a store that can be read and written" in ran.stderr
    with Store(str(path)) as store:
        assert store.find("kept").runs == 1
        assert bench("parse", BENCH, "--store", path, "--label", "new").returncode == 0
        assert store.find("new").logs == 5


@pytest.mark.slow
def test_the_raw_output_comes_back(store_address: str) -> None:
    assert bench("parse", BENCH, "--store", store_address, "--label", "x").returncode == 0
    lines = bench("log", "x", "--store", store_address).stdout.splitlines()
    assert lines == [f"{path.stat().st_size:>12,}  {path}" for path in sorted(BENCH.iterdir())]
    command = [sys.executable, "-m", "wirespeed", "bench", "log", "latest", str(BENCH / "all-reduce-1-node.log")]
    ran = subprocess.run([*command, "--store", store_address], capture_output=True, timeout=60, check=True)
    assert ran.stdout == (BENCH / "all-reduce-1-node.log").read_bytes()
    wrong = bench("log", "x", str(BENCH / "all-reduce-1-nod.log"), "--store", store_address)
    assert wrong.returncode == 2
    assert "no log named" in wrong.stderr and "all-reduce-1-node.log'?" in wrong.stderr


def test_facts_of_the_time_are_kept(healthy_bundle: Callable[[str], Path], tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    for label, fault in (("before", None), ("after", "08")):
        bundle = healthy_bundle(BENCH.parent.name)
        if fault is not None:
            bundle = tmp_path / "faulty"
            inject_faults.inject(BENCH.parent, bundle, [fault])
        ran = bench("parse", BENCH, "--store", path, "--label", label, "--bundle", bundle)
        assert ran.returncode == 0, ran.stderr
    ran = bench("compare", "before", "after", "--store", path, "--limit", 1)
    assert ran.returncode == 3  # one value each
    assert "; worse series come first, then the largest changes; select with --metric busbw or --size" in ran.stdout
    changed_text = ran.stdout.partition("changed between A and B\n")[2]
    assert changed_text == "  port.link.mtu: 9100 → 1500  (leaf1 port Eth1/21)\n"
