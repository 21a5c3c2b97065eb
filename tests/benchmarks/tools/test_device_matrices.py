"""Matrices between the devices of a host: direction of each number, and skipped cells."""

from __future__ import annotations

import pytest
from tests.benchmarks.tools.samples import SAMPLES

from wirespeed.benchmarks import parse, read
from wirespeed.errors import Refusal
from wirespeed.results.benchmarks import Metric, Run, RunStatus


def sample(name: str) -> tuple[Run, ...]:
    """The runs of a sample."""
    return parse((SAMPLES / name).read_text())


def values_at(run: Run, label: str | None) -> list[float | int]:
    """The values of a label."""
    return [measurement.value for measurement in run.measurements if measurement.label == label]


def test_a_read_goes_from_the_column_to_the_row() -> None:
    runs = sample("p2p_bandwidth/four-gpus.txt")
    writes, reads = runs[1], runs[2]
    assert (writes.parameters.operation, values_at(writes, "GPU1 -> GPU0")) == ("write", [374.9])
    assert (reads.parameters.operation, values_at(reads, "GPU1 -> GPU0")) == ("read", [361.55])
    assert values_at(reads, "GPU2 -> GPU2") == [2817.9]


def test_latency_of_the_gpu_and_of_the_host_are_apart() -> None:
    runs = sample("p2p_bandwidth/four-gpus.txt")
    assert [run.test for run in runs] == [
        *["unidirectional_bandwidth"] * 3,
        *["bidirectional_bandwidth"] * 2,
        *["gpu_latency", "cpu_latency"] * 3,
    ]
    assert [values_at(run, "GPU0 -> GPU1") for run in runs[5:9]] == [[17.02], [6.95], [2.81], [1.91]]
    assert {measurement.metric for measurement in runs[5].measurements} == {Metric.LATENCY_AVG}
    assert {measurement.unit for measurement in runs[5].measurements} == {"us"}


@pytest.mark.parametrize(
    "title",
    [
        " (P2P Writes) Matrix\n  ↪ (GB/s)",  # as 002 prints it; the mark is that of the LaTeX package listings
        " (P2P Writes)\nMatrix (GB/s)",
        " (P2P\n  ↪ Writes) Matrix (GB/s)",
        "\n(P2P Writes) Matrix (GB/s)",
    ],
)
def test_a_title_that_the_page_breaks_is_read(title: str) -> None:
    text = (SAMPLES / "p2p_bandwidth/four-gpus.txt").read_text()
    broken_text = text.replace(" (P2P Writes) Matrix (GB/s)", title)
    assert broken_text != text
    values, broken_values = (
        [(row.label, row.value) for run in parse(log) for row in run.measurements] for log in (text, broken_text)
    )
    assert broken_values == values


def test_pairs_without_peer_access_are_named() -> None:
    for run in sample("p2p_bandwidth/four-gpus.txt"):
        assert run.parameters.without_p2p_access == "GPU0 -> GPU3, GPU3 -> GPU0"


@pytest.mark.parametrize(
    ("test", "label", "value", "unit"),
    [
        ("host_to_device_memcpy_ce", "CPU -> GPU2", 54.98, "GB/s"),
        ("device_to_host_memcpy_ce", "GPU2 -> CPU", 55.09, "GB/s"),
        ("device_to_device_memcpy_read_ce", "GPU0 -> GPU1", 394.87, "GB/s"),
        ("device_to_device_memcpy_write_ce", "GPU0 -> GPU1", 397.3, "GB/s"),  # printed with the arrow turned round
        ("all_to_one_write_ce", "GPU1", 409.97, "GB/s"),
        ("host_device_latency_sm", "CPU -> GPU1", 813.07, "ns"),
        ("device_local_copy", "GPU0", 1301.22, "GB/s"),
    ],
)
def test_labels_of_nvbandwidth(test: str, label: str, value: float, unit: str) -> None:
    (run,) = [run for run in sample("nvbandwidth/one-node.txt") if run.test == test]
    assert [
        (measurement.value, measurement.unit) for measurement in run.measurements if measurement.label == label
    ] == [(value, unit)]


def test_a_test_of_several_matrices_is_a_run_for_each() -> None:
    runs = [run for run in sample("nvbandwidth/one-node.txt") if run.parameters.bidirectional]
    assert [(run.parameters.transfer_part, values_at(run, "GPU0 -> GPU1")) for run in runs] == [
        ("write1", [391.1]),
        ("write2", [390.87]),
        ("total", [781.97]),
    ]


def test_gpus_of_several_nodes_have_their_host() -> None:
    pairs, to_one, bisection = sample("nvbandwidth/two-nodes.txt")
    assert (pairs.ranks, pairs.parameters.nodes) == (4, 2)
    assert values_at(pairs, "theta-1:GPU1 -> theta-2:GPU3") == [798.1]
    assert values_at(to_one, "theta-2:GPU2") == [811.98]
    assert values_at(bisection, "theta-2:GPU3 -> theta-1:GPU1") == [789.07]


def test_what_cannot_be_done_is_waived_and_what_broke_is_failed() -> None:
    waived, good, failed = sample("nvbandwidth/waived-and-failed.txt")
    assert (waived.status, waived.parameters.waived, waived.measurements) == (RunStatus.COMPLETE, True, ())
    assert (good.status, len(good.measurements)) == (RunStatus.COMPLETE, 2)
    assert (failed.test, failed.status) == ("one_to_all_read_sm", RunStatus.FAILED)


def test_zero_where_an_old_release_copies_nothing_is_no_measurement() -> None:
    (run,) = sample("nvbandwidth/first-release.txt")
    assert (run.version, len(run.measurements), values_at(run, "GPU1 -> GPU1")) == (None, 6, [])


def test_json_and_text_of_nvbandwidth_agree_on_labels() -> None:
    runs = {run.test: run for run in sample("nvbandwidth_json/report.json")}
    assert values_at(runs["host_to_device_memcpy_ce"], "CPU -> GPU1") == [55.3011]
    assert values_at(runs["device_to_device_memcpy_read_ce"], "GPU1 -> GPU0") == [394.905]
    assert values_at(runs["device_to_device_bidirectional_memcpy_write_sm"], "GPU0 -> GPU1") == [780]
    assert {test: run.status.value for test, run in runs.items()} == {
        "host_to_device_memcpy_ce": "complete",
        "device_to_device_memcpy_read_ce": "complete",
        "device_to_device_bidirectional_memcpy_write_sm": "complete",
        "all_to_one_read_sm": "truncated",
        "device_to_device_latency_sm": "complete",
        "host_to_all_memcpy_sm": "failed",
    }


def test_cpus_and_gpus_of_rocm_are_counted_apart() -> None:
    one_way, bidirectional = sample("rocm_bandwidth/unidirectional-and-bidirectional.txt")
    assert values_at(one_way, "CPU1 -> GPU0") == [55.761]
    assert values_at(one_way, "GPU1 -> GPU0") == [48.897]
    assert (bidirectional.parameters.bidirectional, values_at(bidirectional, "GPU0 -> GPU1")) == (True, [93.771])
    assert one_way.parameters.gpu_addresses == "1b:0.0, 3d:0.0"


def test_devices_that_no_list_names_keep_the_tools_number() -> None:
    (run,) = sample("rocm_bandwidth/one-copy.txt")
    rows = [
        (measurement.metric, measurement.value, measurement.unit, measurement.label)
        for measurement in run.measurements
        if measurement.size_bytes == 2**26
    ]
    assert rows == [
        (Metric.TIME, 3950.201, "us", "device 2 -> device 3"),
        (Metric.BW_AVG, 33.977, "GB/s", "device 2 -> device 3"),
        (Metric.LATENCY_MIN, 3944.117, "us", "device 2 -> device 3"),
        (Metric.BW_PEAK, 34.03, "GB/s", "device 2 -> device 3"),
    ]


def test_a_data_path_that_does_not_validate_is_a_failure() -> None:
    (run,) = sample("rocm_bandwidth/validation.txt")
    assert (run.status, run.error) == (RunStatus.FAILED, "Data Path Validation FAIL: GPU0 -> GPU1")


def test_transferbench_distinguishes_both_directions_from_each() -> None:
    one_way, bidirectional = sample("transferbench/peer-to-peer.txt")
    assert values_at(one_way, "GPU0 -> CPU1") == [55.4]
    assert bidirectional.parameters.bidirectional is True
    assert [values_at(bidirectional, f"GPU1 -> GPU0{direction}") for direction in ("", " forward", " backward")] == [
        [109.18],
        [54.6],
        [54.58],
    ]
    assert {measurement.size_bytes for measurement in bidirectional.measurements} == {268435456}


def test_extremes_of_transferbench_are_those_of_the_direction_above() -> None:
    """With SHOW_ITERATIONS: ROCm/TransferBench pull request 50; in both directions, src/TransferBench.cpp."""
    one_way = (
        "Unidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)\n"
        " SRC+EXE\\DST    CPU 00    GPU 00\n"
        "  CPU 00  ->     15.54      9.88\n  CPU 00 min     14.24      9.82\n  CPU 00 max     17.95      9.95\n"
        "  CPU 00  sd   3.3e-01   3.4e-02\n"
        "  GPU 00  ->      9.65       N/A\n  GPU 00 min      9.46       N/A\n  GPU 00 max      9.80       N/A\n"
        "  GPU 00  sd   1.1e-01       N/A\nAverages (During UniDir):     12.00\n"
    )
    two_way = one_way.replace("Uni", "Bi").replace("  GPU 00  ->", "  CPU 00 <-      11.00     12.00\n  CPU 00 min     "
        "10.00     11.50\n  CPU 00 max     13.00     14.00\n  CPU 00  sd      1.00      1.00\n  CPU 00 <->     26.54"
        "     21.88\n\n  GPU 00  ->")  # fmt: skip
    (run,), (bidirectional,) = parse(one_way), parse(two_way)
    by_metric = {
        metric: [row.value for row in run.measurements if row.metric is metric]
        for metric in (Metric.BW_AVG, Metric.BW_MIN, Metric.BW_MAX)
    }
    assert by_metric == {
        Metric.BW_AVG: [15.54, 9.88, 9.65],
        Metric.BW_MIN: [14.24, 9.82, 9.46],
        Metric.BW_MAX: [17.95, 9.95, 9.8],
    }
    lowest = {row.label: row.value for row in bidirectional.measurements if row.metric is Metric.BW_MIN}
    assert lowest["CPU0 -> GPU0 forward"] == 9.82
    assert lowest["CPU0 -> GPU0 backward"] == 11.5


def test_all_to_all_of_transferbench_has_its_sum() -> None:
    (run,) = sample("transferbench/all-to-all.txt")
    assert (values_at(run, "GPU2 -> GPU1"), values_at(run, "SUM"), len(run.measurements)) == ([53.391], [310.405], 7)


def test_transfers_of_a_configuration_file() -> None:
    *runs, failed = sample("transferbench/tests-and-error.txt")
    assert [
        [(measurement.value, measurement.unit, measurement.label) for measurement in run.measurements]
        for run in runs[1:]
    ] == [
        [
            (37.85, "GB/s", "GPU0 -> GPU1"),
            (0.028, "ms", "GPU0 -> GPU1"),
            (46.3, "GB/s", "GPU1 -> GPU0"),
            (0.045, "ms", "GPU1 -> GPU0"),
            (18.737, "GB/s", "SUM"),
            (0.168, "ms", "SUM"),
        ],
        [
            (37.75, "GB/s", "CPU0 -> none"),
            (7.111, "ms", "CPU0 -> none"),
            (36.8, "GB/s", "SUM"),
            (7.294, "ms", "SUM"),
        ],
    ]
    assert (failed.status, failed.error) == (RunStatus.FAILED, "[ERROR] HIP Error: invalid resource handle")


def test_a_row_that_does_not_fit_is_left_out_and_reported() -> None:
    reading = read(
        "P2P=Enabled Latency (P2P Writes) Matrix (us)\n"
        "   GPU     0      1 \n"
        "     0   2.10   2.81   9.99 \n"
        "     1   XX.X   2.06 \n",
        "log",
    )
    (run,) = reading.runs
    assert (run.status, [measurement.value for measurement in run.measurements]) == (RunStatus.TRUNCATED, [2.06])
    assert [str(notice) for notice in reading.notices] == [
        "log:3: found a row of 3 cells; expected 2 cells; the row is left out",
        "log:4: found XX.X in row 1; expected numbers; left out",
    ]


def test_a_number_without_end_breaks_no_reader() -> None:
    digits = "9" * 5000  # more than Python turns into an int
    for text in (
        f"# nThread {digits} nGpus 1 minBytes {digits} maxBytes 8 step: 2(factor) warmup iters: {digits} iters: 1\n"
        "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
        f" {digits} 2 float sum -1 1.0 0.01 0.01 0 1.0 0.01 0.01 0\n",
        f"alpha:7:9 [0] NCCL INFO comm 0xa1 rank {digits} nranks {digits} cudaDev 0 - Init COMPLETE\n"
        f"alpha:7:9 [0] NCCL INFO Channel {digits}/0 : 0[0] -> 1[1] via NET/IB/{digits}/GDRDMA\n"
        f"alpha:7:9 [0] NCCL INFO Channel 0/{digits} : 0 1 {digits}\n"
        "alpha:7:9 [0] NCCL INFO Using network IB\n"
        f"alpha:7:9 [0] NCCL INFO {digits} Bytes -> Algo {digits} proto {digits} time 1.0\n",
        f"RocmBandwidthTest Version: 2.6\n= Src Device Id: 1 Src Device Type: Gpu =\n{digits} KB 1.0 1.0 1.0 1.0\n",
        f"TransferBench v1\nTest {digits}:\nTransfer 00 | 1.0 GB/s | 1.0 ms | {digits} bytes | G0 -> G0:1 -> G1\n"
        f"[ERROR] {digits}\n",
    ):
        try:
            runs = parse(text)
        except Refusal:  # nothing is left of a log whose lines are such numbers
            continue
        assert all(
            measurement.size_bytes is None or measurement.size_bytes < 10**18
            for run in runs
            for measurement in run.measurements
        )


def test_rows_of_iterations_that_are_left_out_are_noted_once() -> None:
    """ROCm/TransferBench with SHOW_ITERATIONS, pull request 50."""
    pairs = (
        "Unidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: GFX)\n"
        " SRC+EXE\\DST    GPU 00    GPU 01\n  GPU 00  ->    900.10     48.20\n  GPU 00  sd   3.3e-01   9.6e-02\n"
        "  GPU 01  ->     48.10    900.20\n  GPU 01  sd   3.3e-01   9.6e-02\n"
    )
    transfers = (
        "Test 1:\n Transfer 00      |  33.500 GB/s |    2.000 ms |     67108864 bytes | G0 -> GPU00:004 -> G1\n"
        "      Iter 006    |  33.600 GB/s |    1.990 ms |\n      StandardDev |    4.800e-03 |\n"
        " Aggregate (CPU)  |  29.300 GB/s |    2.280 ms |     67108864 bytes | Overhead: 0.280 ms\n"
    )
    for text, line, rows in (
        (pairs, 4, "rows 'sd' of standard deviations"),
        (transfers, 3, "rows 'Iter' of single iterations, and 'StandardDev'"),
    ):
        (notice,) = read(text).notices
        assert (notice.location, notice.found) == (f"text:{line}", f"{rows}: left out")
