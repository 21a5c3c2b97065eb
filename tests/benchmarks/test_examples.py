"""Tables of documents as logs: each names its source and contains the numbers that the document prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.benchmarks import read
from wirespeed.results.benchmarks import Metric, RunStatus

EXAMPLES = Path(__file__).parents[2] / "examples"
LOGS = sorted(EXAMPLES.glob("*/bench/*.log"))

# file, tool, test, ranks, measurements, and values by metric, size and label
EXPECTED = [
    ("mi300x-4node/bench/all-reduce-1-node.log", "rccl-tests", "all_reduce", 8, 257,
     {("busbw", 17179869184, "in-place"): 318.14, ("time", 8, "out-of-place"): 34.34,
      ("avg_busbw", None, None): 109.341}),
    ("mi300x-4node/bench/alltoall-4-nodes-4-processes.log", "rccl-tests", "alltoall", 32, 193,
     {("busbw", 17179869184, "in-place"): 49.64, ("time", 128, "out-of-place"): 190.1,
      ("avg_busbw", None, None): 15.1666}),
    ("mi300x-4node/bench/alltoall-4-nodes-32-processes.log", "rccl-tests", "alltoall", 32, 133,
     {("busbw", 17179869184, "in-place"): 50.04, ("algbw", 17179869184, "in-place"): 51.66}),
    ("mi300x-4node/bench/all-reduce-4-nodes-32-processes.log", "rccl-tests", "all_reduce", 32, 105,
     {("time", 17179869184, "out-of-place"): 101984, ("busbw", 17179869184, "out-of-place"): 326.38}),
    ("mi300x-4node/bench/ib-write-bw-bidirectional.log", "perftest", "ib_write_bw", None, 63,
     {("bw_avg", 8388608, None): 774.97, ("bw_peak", 8388608, None): 775.17, ("msg_rate", 2, None): 6.782848}),
    ("arista-leaf-spine/bench/ib-write-bw.log", "perftest", "ib_write_bw", None, 0, {}),
    ("esnet-400g/bench/iperf3-8-streams.log", "iperf3", "TCP", None, 115,
     {("bitrate", None, "SUM receiver"): 190, ("retransmits", None, "SUM sender"): 46,
      ("bitrate", None, "stream 5 interval 0.00-10.01"): 16.8}),
]  # fmt: skip


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_the_first_line_states_where_it_comes_from(log: Path) -> None:
    first = log.read_text().splitlines()[0]
    assert first.startswith("# Reconstructed from document 00")
    assert "section" in first
    assert ": " in first


@pytest.mark.parametrize(
    ("name", "tool", "test", "ranks", "count", "values"), EXPECTED, ids=lambda value: str(value)[:60]
)
def test_the_numbers_are_the_documents(
    name: str,
    tool: str,
    test: str,
    ranks: int | None,
    count: int,
    values: dict[tuple[str, int | None, str | None], float],
) -> None:
    reading = read((EXAMPLES / name).read_text(), name)
    (run,) = reading.runs
    assert (run.tool, run.test, run.ranks, len(run.measurements)) == (tool, test, ranks, count)
    measured = {
        (measurement.metric.value, measurement.size_bytes, measurement.label): measurement.value
        for measurement in run.measurements
    }
    assert values.items() <= measured.items()
    assert reading.notices == ()
    assert run.status is not RunStatus.FAILED


def test_every_example_is_known_here() -> None:
    assert [str(log.relative_to(EXAMPLES)) for log in LOGS] == sorted(name for name, *_ in EXPECTED)


def test_the_average_of_perftest_is_its_rate_times_the_size() -> None:
    (run,) = read((EXAMPLES / "mi300x-4node/bench/ib-write-bw-bidirectional.log").read_text()).runs
    rates = {
        measurement.size_bytes: measurement.value
        for measurement in run.measurements
        if measurement.metric is Metric.MSG_RATE
    }
    for result in run.measurements:
        if result.metric is Metric.BW_AVG and result.size_bytes is not None:
            assert result.value == pytest.approx(
                rates[result.size_bytes] * result.size_bytes * 8 / 1e3, abs=0.006, rel=1e-4
            )


@pytest.mark.parametrize("name", ["all-reduce-1-node.log", "alltoall-4-nodes-4-processes.log"])
def test_the_average_of_a_whole_table_is_the_mean_of_its_rows(name: str) -> None:
    (run,) = read((EXAMPLES / "mi300x-4node/bench" / name).read_text()).runs
    rows = [measurement.value for measurement in run.measurements if measurement.metric is Metric.BUSBW]
    left_out = 64 - len(rows)  # rows that carry no data, whose bandwidth is 0
    (average,) = [measurement.value for measurement in run.measurements if measurement.metric is Metric.AVG_BUSBW]
    assert sum(rows) / (len(rows) + left_out) == pytest.approx(average, rel=2e-3)
