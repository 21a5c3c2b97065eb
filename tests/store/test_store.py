"""What is stored is what was read, once, whole or not at all; both databases."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from wirespeed.benchmarks import read
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.store.batch import Batch
from wirespeed.store.queries import Filters
from wirespeed.store.raw_output import pack
from wirespeed.store.store import Store

LOGS = sorted((Path(__file__).parents[2] / "examples" / "mi300x-4node" / "bench").glob("*.log"))
STARTED = "2026-11-21T08:00:00Z"


def _batch(*logs: Path) -> Batch:
    batch = Batch()
    for log in logs:
        content = log.read_bytes()
        batch.add(pack(log.name, content), read(content.decode()).runs)
    return batch


def test_what_was_read_comes_back(store_address: str) -> None:
    with Store(store_address) as store:
        campaign = store.begin("first", STARTED, "mi300x-4node", "wirespeed 0")
        added = store.add(campaign, _batch(*LOGS))
        assert added.known_logs == ()
        runs = [run for log in LOGS for run in read(log.read_text()).runs]
        assert added.runs == len(runs)
        values_by_series = store.values(campaign, Filters())
        assert sorted(value for values in values_by_series.values() for value in values) == sorted(
            measurement.value for run in runs for measurement in run.measurements
        )
        busbw = [
            measurement.value
            for run in runs
            for measurement in run.measurements
            if measurement.metric is Metric.BUSBW and measurement.size_bytes == 8 << 30 and run.test == "all_reduce"
        ]
        filtered_values = store.values(campaign, Filters(test="all_reduce", metric="busbw", size_bytes=8 << 30))
        assert sorted(value for values in filtered_values.values() for value in values) == sorted(busbw)
        assert store.content(campaign, LOGS[0].name) == (LOGS[0].read_bytes(),)


def test_the_same_files_twice_do_not_double(store_address: str) -> None:
    with Store(store_address) as store:
        first = store.begin("first", STARTED, None, "wirespeed 0")
        store.add(first, _batch(*LOGS[:2]))
    with Store(store_address) as store:
        repeated_result = store.begin("first", STARTED, None, "wirespeed 0")
        assert repeated_result.id == first.id and not repeated_result.finished
        added = store.add(repeated_result, _batch(*LOGS))
        assert added.known_logs == tuple(log.name for log in LOGS[:2])
        assert added.logs == len(LOGS) - 2
        store.finish(repeated_result)
        campaign = store.find("first")
        assert (campaign.logs, campaign.finished) == (len(LOGS), True)
        second = store.begin("second", STARTED, None, "wirespeed 0")
        assert store.add(second, _batch(*LOGS)).logs == len(LOGS)


@pytest.mark.parametrize("key", ["", "step"])
def test_logs_of_the_same_bytes_are_distinguished_by_their_key(store_address: str, key: str) -> None:
    run = Run("perftest", "ib_write_bw", None, RunStatus.FAILED, "Couldn't connect", None)
    batch = Batch()
    batch.add(pack("node1.log", b"Couldn't connect\n", f"{key}1" if key else ""), [run], "node1 -> node2")
    batch.add(pack("node3.log", b"Couldn't connect\n", f"{key}2" if key else ""), [run], "node3 -> node4")
    with Store(store_address) as store:
        campaign = store.begin("x", STARTED, None, "wirespeed 0")
        added = store.add(campaign, batch)
        assert (added.logs, added.known_logs) == ((2, ()) if key else (1, ("node3.log",)))
        assert store.find("x").failed == added.runs == added.logs


def test_a_batch_that_fails_leaves_nothing(store_address: str) -> None:
    bad = Run("t", None, None, RunStatus.COMPLETE, None, None, Parameters(), (_measurement(1.0), _measurement(2.0)))
    batch = Batch()
    batch.add(pack("a", b"a"), [bad])
    batch.position[1] = 0  # the key of the row before
    with Store(store_address) as store:
        campaign = store.begin("x", STARTED, None, "wirespeed 0")
        with pytest.raises(IntegrityError):
            store.add(campaign, batch)
        assert (store.find("x").logs, store.find("x").runs) == (0, 0)
        batch.position[1] = 1
        assert store.add(campaign, batch).measurements == 2


def _measurement(value: float) -> Measurement:
    return Measurement(Metric.BW_AVG, "Gb/s", value, 65536, None, 1)


@pytest.mark.parametrize("label", ["12", "latest", "a~1", "", "a\nb"])
def test_a_label_that_could_be_mistaken(label: str, tmp_path: Path) -> None:
    with Store(str(tmp_path / "a.db")) as store, pytest.raises(Refusal, match="a name that is not a number"):
        store.begin(label, STARTED, None, "wirespeed 0")


def test_latest_counts_back_by_time(store_address: str) -> None:
    with Store(store_address) as store:
        for day in (3, 1, 2):
            store.begin(f"day{day}", f"2026-11-0{day}T00:00:00Z", None, "wirespeed 0")
        assert [store.find(f"latest~{index}").label for index in range(3)] == ["day3", "day2", "day1"]
        assert store.find("latest").label == "day3"
        with pytest.raises(Refusal, match="no campaign 'latest~3' among 3"):
            store.find("latest~3")
        with pytest.raises(Refusal, match="did you mean 'day2'"):
            store.find("dya2")


@pytest.mark.parametrize("nights", [10, 12])
def test_a_label_without_its_leading_zero_is_suggested(store_address: str, nights: int) -> None:
    with Store(store_address) as store:
        for day in range(1, nights + 1):
            store.begin(f"night-{day:02}", f"2026-11-{day:02}T00:00:00Z", None, "wirespeed 0")
        with pytest.raises(Refusal, match="did you mean 'night-01'"):
            store.find("night-1")
