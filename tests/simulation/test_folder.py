"""The folder of one run's results: whole files or none, and never over something else."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from wirespeed.errors import Refusal
from wirespeed.results.simulation_types import CompletionTimes, Summary
from wirespeed.simulation import Result, prepare

SUMMARY = Summary(
    name="incast",
    preset="hpcc",
    seed=7,
    complete=True,
    hops=2048,
    pfc_frames=28,
    cnp_frames=1,
    events=4096,
    setup_s=0.00002,
    run_s=0.25,
    hops_per_s=8192.0,
    peak_rss_bytes=40_000_000,
    rss_growth_bytes=None,
    flows=2,
    completed=2,
    fct_us=CompletionTimes(mean=1.5, p50=1.0, p99=2.0, max=2.0, min=1.0),
    pfc_pauses=14,
    pfc_resumes=14,
    ecn_marks=3,
    cnps=2,
    drops=0,
    unroutable=0,
    port_down_drops=0,
    losses=0,
    retransmissions=0,
    watchdog_stuck=0,
    watchdog_recovered=0,
    watchdog_drops=0,
    trims=0,
    failed=0,
    unfinished=0,
    congestion=("dcqcn",),
    end_us=2.0,
    tables_sha256="0" * 64,
)
FLOWS = pa.table({"flow": pa.array([0, 1], pa.uint32())})
PAUSES = pa.table({"port": pa.array([], pa.uint32())})
FILES = ["flows.parquet", "pauses.parquet", "summary.json"]


def write(folder: Path, *, force: bool = False, **tables: pa.Table) -> None:
    with prepare(folder, force=force) as prepared_folder:
        prepared_folder.write(Result(SUMMARY, tables or {"flows": FLOWS, "pauses": PAUSES}))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_per_table_and_the_summary(tmp_path: Path) -> None:
    write(tmp_path / "new" / "out")
    assert names(tmp_path / "new" / "out") == FILES
    assert pq.read_table(tmp_path / "new" / "out" / "flows.parquet").equals(FLOWS)
    assert pq.read_table(tmp_path / "new" / "out" / "pauses.parquet").equals(PAUSES)


def test_the_summary_is_a_document(tmp_path: Path) -> None:
    write(tmp_path)
    document = json.loads((tmp_path / "summary.json").read_text())
    assert list(document) == [
        *("kind", "schema", "name", "preset", "seed", "complete", "hops", "pfc_frames", "cnp_frames", "events"),
        *("pfc_pauses", "pfc_resumes", "ecn_marks", "cnps", "drops", "unroutable"),
        *("port_down_drops", "losses", "retransmissions"),
        *("watchdog_stuck", "watchdog_recovered", "watchdog_drops", "trims"),
        *("setup_s", "run_s", "hops_per_s", "peak_rss_bytes", "rss_growth_bytes"),
        *("flows", "completed", "failed", "unfinished", "congestion", "fct_us", "end_us", "tables_sha256"),
        *("deadlocks", "first_pause_us", "assumed", "source", "faults", "files"),
    ]
    assert (document["kind"], document["schema"]) == ("simulation-summary", 1)
    assert document["fct_us"] == {"mean": 1.5, "p50": 1.0, "p99": 2.0, "max": 2.0, "min": 1.0}
    assert document["rss_growth_bytes"] is None
    assert document["files"] == ["flows.parquet", "pauses.parquet"]


def test_the_same_result_is_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a")
    write(tmp_path / "b")
    for name in FILES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_file_filled_during_the_run(tmp_path: Path) -> None:
    with prepare(tmp_path) as folder:
        with folder.create("3-2.pcap") as file:
            file.write(b"frames")
        assert [name for name in names(tmp_path) if not name.startswith(".")] == []
        folder.write(Result(SUMMARY, {"flows": FLOWS}))
    assert names(tmp_path) == ["3-2.pcap", "flows.parquet", "summary.json"]
    assert (tmp_path / "3-2.pcap").read_bytes() == b"frames"


@pytest.mark.parametrize("exists_before", [True, False])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_a_run_that_fails_leaves_everything_as_it_was(
    error: BaseException, exists_before: bool, tmp_path: Path
) -> None:
    target = tmp_path / "out"
    if exists_before:
        write(target)
    with pytest.raises(type(error)), prepare(target, force=True) as folder:
        folder.create("3-2.pcap").close()
        raise error
    assert names(tmp_path) == (["out"] if exists_before else [])
    assert not exists_before or names(target) == FILES


def test_a_full_disk_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    write(tmp_path)
    contents = {name: (tmp_path / name).read_bytes() for name in FILES}
    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left on device") as raised:
        patched.setattr(pq, "write_table", fail)
        write(tmp_path, force=True)
    assert raised.value.filename == str(tmp_path)
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == contents


def test_what_is_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    for name, kind in (
        ("file", "a file; expected a new or an empty folder"),
        (
            "full",
            "a folder that is not empty; expected a new or an empty folder\n"
            "  hint: --force replaces an earlier result and does not change other files",
        ),
    ):
        with pytest.raises(Refusal) as refusal:
            write(tmp_path / name)
        assert str(refusal.value) == f"{tmp_path / name}: found {kind}"
    assert names(tmp_path / "full") == ["notes.txt"]


def test_force_replaces_a_result_and_leaves_other_files_alone(tmp_path: Path) -> None:
    write(tmp_path, flows=FLOWS, series=FLOWS)
    (tmp_path / "notes.txt").write_text("mine")
    write(tmp_path, force=True)
    assert names(tmp_path) == ["flows.parquet", "notes.txt", "pauses.parquet", "summary.json"]


@pytest.mark.parametrize(
    "summary",
    ["no JSON", "[]", '{"kind": "bundle", "files": ["notes.txt"]}', '{"kind": "simulation-summary", "files": [1, ""]}'],
)
def test_force_deletes_nothing_a_summary_does_not_name(summary: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "summary.json").write_text(summary)
    write(tmp_path, force=True)
    assert names(tmp_path) == ["flows.parquet", "notes.txt", "pauses.parquet", "summary.json"]


def test_a_summary_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    (tmp_path / "out").mkdir()
    listed = ["../mine", str(tmp_path / "mine"), "."]
    (tmp_path / "out" / "summary.json").write_text(json.dumps({"kind": "simulation-summary", "files": listed}))
    write(tmp_path / "out", force=True)
    assert (tmp_path / "mine").exists()


def test_a_folder_that_cannot_be_written_to_is_met_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="Not a directory") as raised, prepare(tmp_path / "file" / "out"):
        pytest.fail("the run would start")
    assert str(tmp_path / "file") in str(raised.value.filename)
