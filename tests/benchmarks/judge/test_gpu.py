"""Copies inside a host against PCIe slots and GPU links."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge_support import CLUSTER, find_verdict, plan

from wirespeed.benchmarks import read as read_log
from wirespeed.benchmarks.judge import profile as judge_profile
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cluster import read, read_text
from wirespeed.plan import build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

SLOT = 32 * 16 * 128 / 130 / 8 * 256 / 280  # GB/s written in one direction, PCIe 5.0 x16, MaxPayload 256
BIDIRECTIONAL_LIMIT = 2 * 32 * 16 * 128 / 130 / 8 / (280 / 256 + 24 / 4096)


def copy_run(tool, test, label, value, metric=Metric.BW_AVG, **parameters):
    row = Measurement(metric, "GB/s", value, None, label, 9)
    return Run(
        tool,
        test,
        None,
        RunStatus.COMPLETE,
        None,
        None,
        Parameters(**{"gpu_model": "AMD Instinct MI300X", **parameters}),
        (row,),
    )


def rocm(label, value, **parameters):
    return copy_run("rocm-bandwidth-test", "copy", label, value, Metric.BW_PEAK, **parameters)


@pytest.mark.parametrize(
    ("memory", "label", "judgement"),
    [
        ("pinned", "CPU -> GPU0", Judgement.FAIL),
        ("pageable", "CPU -> GPU0", Judgement.SKIP),  # the driver copies through a pinned buffer first
        ("pinned", None, Judgement.SKIP),  # the sum of several GPUs
        ("pinned", "GPU0 -> GPU0", Judgement.SKIP),
    ],
)
def test_copies_of_bandwidth_test_are_judged_by_the_slot_of_one_gpu(memory, label, judgement):
    run = copy_run("bandwidthTest", "host_to_device", label, 27.0, host_memory=memory)
    assert find_verdict(judge(run, plan())).judgement is judgement


@pytest.mark.parametrize(
    ("label", "parameters", "value", "physical", "reachable", "judgement"),
    [
        ("CPU0 -> GPU0", {}, 55.781, SLOT, None, Judgement.PASS),
        ("GPU0 -> CPU0", {}, 48.0, SLOT, None, Judgement.PASS),  # the gate of nd96isr_mi300x_v5.conf
        ("GPU0 -> CPU0", {}, 47.0, SLOT, None, Judgement.WARN),
        ("CPU0 -> GPU0", {}, 27.0, SLOT, None, Judgement.FAIL),  # as an x8 slot
        ("CPU0 -> GPU0", {}, 63.0, SLOT, None, Judgement.UNKNOWN),
        ("CPU0 -> GPU0", {"bidirectional": True}, 95.1, BIDIRECTIONAL_LIMIT, None, Judgement.PASS),
        ("CPU0 -> GPU0", {"bidirectional": True}, 83.1, BIDIRECTIONAL_LIMIT, None, Judgement.PASS),
        ("CPU0 -> GPU0", {"bidirectional": True}, 70.0, BIDIRECTIONAL_LIMIT, None, Judgement.WARN),
        ("CPU0 -> GPU0", {"bidirectional": True}, 52.0, BIDIRECTIONAL_LIMIT, None, Judgement.FAIL),  # as an x8 slot
        ("GPU0 -> GPU1", {}, 47.9, 64.0, 48.0, Judgement.PASS),
        ("GPU0 -> GPU1", {}, 30.0, 64.0, 48.0, Judgement.FAIL),
        ("GPU0 -> GPU1", {}, 70.0, 64.0, 48.0, Judgement.UNKNOWN),
        ("GPU0 -> GPU1", {"bidirectional": True}, 92.0, 128.0, 96.0, Judgement.PASS),
    ],
)
def test_copies_of_mi300x(label, parameters, value, physical, reachable, judgement):
    verdict = find_verdict(judge(rocm(label, value, **parameters), plan()))
    assert verdict.judgement is judgement
    assert verdict.physical.value == pytest.approx(physical, rel=1e-4)
    assert (verdict.reachable.value if verdict.reachable else None) == reachable


GEN4_SLOT = SLOT / 2


def dgx(model, nics):
    interfaces = ", ".join(f"eth{number}" for number in range(1, 9))
    text = (
        "version: 1\nname: dgx\n"
        f"hosts: {{node1: {{model: {model}, os: ubuntu-22.04, nics: {nics}, interfaces: [{interfaces}]}}}}\n"
        "switches: {leaf1: {model: dell-z9664f, os: dell-sonic, role: leaf}}\n"
        "cabling: {pattern: by-host, length: 3 m}\n"
        "addresses: {scheme: link-31, pool: 10.1.0.0/16}\n"
    )
    return build(read_text(text, "cluster.yaml"), load())


@pytest.mark.parametrize(
    ("test", "label", "value", "judgement"),
    [
        ("host_to_device_memcpy_ce", "CPU -> GPU0", 25.3, Judgement.PASS),  # NVIDIA/nvbandwidth issue 11: 25 to 26
        ("host_to_device_memcpy_sm", "CPU -> GPU0", 25.13, Judgement.PASS),  # NVIDIA/nvbandwidth issue 42
        ("device_to_host_memcpy_ce", "GPU0 -> CPU", 24.0, Judgement.PASS),  # the gate of nd96amsr_a100_v4.conf
        ("host_to_device_memcpy_ce", "CPU -> GPU0", 22.0, Judgement.WARN),
        ("host_to_device_memcpy_ce", "CPU -> GPU0", 13.2, Judgement.FAIL),  # PCIe 3.0 x16 or 4.0 x8
        ("host_to_device_memcpy_ce", "CPU -> GPU0", 31.0, Judgement.UNKNOWN),
    ],
)
def test_copies_between_host_and_a100(test, label, value, judgement):
    run = copy_run("nvbandwidth", test, label, value, gpu_model="NVIDIA A100-SXM4-80GB")
    verdict = find_verdict(judge(run, dgx("nvidia-dgx-a100", "8 x nvidia-mcx623105an-vdat")))
    assert verdict.judgement is judgement
    assert verdict.physical.value == pytest.approx(GEN4_SLOT, rel=1e-4)


@pytest.mark.parametrize(
    ("test", "engine", "label", "value", "judgement"),
    [  # NVIDIA/nvbandwidth issue 24: kernels read 35 GB/s and write 52.8
        ("host_to_device_memcpy_sm", "SM", "CPU -> GPU3", 35.03, Judgement.PASS),
        ("device_to_host_memcpy_sm", "SM", "GPU3 -> CPU", 52.77, Judgement.PASS),
        ("device_to_host_memcpy_sm", "SM", "GPU3 -> CPU", 35.03, Judgement.FAIL),
        ("host_to_device_memcpy_ce", "CE", "CPU -> GPU3", 35.03, Judgement.FAIL),
        ("host_to_device_memcpy_sm", "SM", "CPU -> GPU3", 31.0, Judgement.WARN),
        ("host_to_device_memcpy_sm", "SM", "CPU -> GPU3", 26.5, Judgement.FAIL),  # PCIe 5.0 x8
    ],
)
def test_kernels_read_less_from_the_host_than_copy_engines(test, engine, label, value, judgement):
    run = copy_run("nvbandwidth", test, label, value, gpu_model="NVIDIA H100 80GB HBM3", copy_engine=engine)
    verdict = find_verdict(judge(run, dgx("nvidia-dgx-h100", "8 x nvidia-mcx75310aas-neat")))
    assert verdict.judgement is judgement
    assert verdict.physical.value == pytest.approx(SLOT, rel=1e-4)


def nvbandwidth(test, label, value, part=None, engine="CE"):
    parameters = {"bidirectional": True, "transfer_part": part, "copy_engine": engine}
    return copy_run("nvbandwidth", test, label, value, **parameters)


PAIR = ("device_to_device_bidirectional_memcpy_read", "GPU0 -> GPU1")


@pytest.mark.parametrize(
    ("run", "physical", "judgement"),
    [
        (nvbandwidth(*PAIR, 47.0, "read1"), 64.0, Judgement.PASS),
        (nvbandwidth(*PAIR, 47.0, "read2", "SM"), 64.0, Judgement.PASS),
        (nvbandwidth(*PAIR, 30.0, "write1"), 64.0, Judgement.FAIL),
        (nvbandwidth(*PAIR, 92.0, "write2"), 64.0, Judgement.UNKNOWN),
        (nvbandwidth(*PAIR, 94.0, "total"), 128.0, Judgement.PASS),
        (nvbandwidth(*PAIR, 60.0, "total"), 128.0, Judgement.FAIL),
        (nvbandwidth(*PAIR, 47.0), 64.0, Judgement.PASS),  # releases 0.1 to 0.5: the measured direction
        (nvbandwidth(*PAIR, 94.0, engine="SM"), 128.0, Judgement.PASS),  # and the sum of kernels
        (nvbandwidth("host_to_device_bidirectional_memcpy_ce", "CPU -> GPU0", 52.75), SLOT, Judgement.PASS),
        (nvbandwidth("device_to_host_bidirectional_memcpy_ce", "CPU -> GPU0", 34.29), SLOT, Judgement.PASS),
        (nvbandwidth("device_to_host_bidirectional_memcpy_sm", "CPU -> GPU0", 34.3, None, "SM"), SLOT, Judgement.PASS),
        (nvbandwidth("host_to_device_bidirectional_memcpy_ce", "CPU -> GPU0", 31.0), SLOT, Judgement.WARN),
        (nvbandwidth("host_to_device_bidirectional_memcpy_ce", "CPU -> GPU0", 26.4), SLOT, Judgement.FAIL),
        (nvbandwidth("host_to_device_bidirectional_memcpy_ce", "CPU -> GPU0", 63.0), SLOT, Judgement.UNKNOWN),
    ],
)
def test_nvbandwidth_reports_one_direction_of_two_or_their_sum(run, physical, judgement):
    """NVIDIA/nvbandwidth, testcases_ce.cpp: only Total is the sum; 0.1 to 0.5, testcase.h: kernels report the sum."""
    verdict = find_verdict(judge(run, plan()))
    assert verdict.judgement is judgement
    assert verdict.physical.value == pytest.approx(physical, rel=1e-4)


STAGED = (
    "the copy is staged in memory (at most {0} GB/s, PCIe slot of the GPU); no rate that healthy hosts reach is known "
    "for this path"
)


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (rocm("GPU0 -> GPU0", 3000.0), "a copy within one GPU: the catalogue does not contain its memory bandwidth"),
        (
            copy_run("nvbandwidth", "all_to_one_write_ce", "GPU0 -> GPU1", 410.0),
            "many GPUs copy at once: shown for information",
        ),
        (
            copy_run("p2pBandwidthLatencyTest", "unidirectional_bandwidth", "GPU0 -> GPU1", 30.0, p2p_enabled=False),
            f"peer access is off: {STAGED.format(57.61)}",
        ),
        (rocm("device 2 -> device 3", 30.0), "the log does not identify device 2 and device 3"),
    ],
)
def test_what_is_shown_only(run, reason):
    verdict = find_verdict(judge(run, plan()))
    assert (verdict.judgement, verdict.reason) == (Judgement.SKIP, reason)


def test_gpus_of_another_cluster():
    run = copy_run("nvbandwidth", "host_to_device_memcpy_ce", "CPU -> GPU0", 55.3, gpu_model="NVIDIA H100 80GB HBM3")
    assert find_verdict(judge(run, plan())).judgement is Judgement.UNKNOWN


LENDING = CLUSTER.parents[1] / "pcie-lending" / "cluster.yaml"
PEERS = CLUSTER.parents[2] / "tests" / "validation" / "reconstructed" / "p2p-bandwidth-latency.log"


@pytest.mark.parametrize("name", ["default", "field", "loose"])
def test_the_published_copies_of_healthy_k20x_pass(name):
    """Document 002, section A.3.9, of abel2: with peer access 5.31 and 10.05 GB/s, without it a staged copy."""
    lending = build(read(LENDING), load())
    for run in read_log(PEERS.read_text(encoding="utf-8")).runs:
        judged = judge(run, lending, source="abel2:dis0", profile=judge_profile.read(name))
        pair_verdicts = [
            verdict
            for verdict in judged.verdicts
            if verdict.measurement.metric is Metric.BW_AVG
            and verdict.measurement.label in ("GPU0 -> GPU1", "GPU1 -> GPU0")
        ]
        expected = Judgement.PASS if run.parameters.p2p_enabled else Judgement.SKIP
        assert {verdict.judgement for verdict in pair_verdicts} <= {expected}
        assumed = [text for verdict in pair_verdicts if verdict.physical for text in verdict.physical.assumptions]
        assert all(text == "GPUs as those of abel2: named by --from or --to" for text in assumed if "GPUs" in text)


def test_half_a_slot_between_two_gpus_fails():
    run = copy_run("p2pBandwidthLatencyTest", "unidirectional_bandwidth", "GPU0 -> GPU1", 3.2, gpu_model="Tesla K20Xm")
    verdict = find_verdict(judge(run, build(read(LENDING), load()), source="abel2:dis0"))
    assert verdict.judgement is Judgement.FAIL


FOUR_GPUS = CLUSTER.parents[2] / "tests" / "samples" / "p2p_bandwidth" / "four-gpus.txt"
NO_ACCESS = "these GPUs cannot access each other's memory"


@pytest.mark.parametrize(
    ("p2p", "bidirectional", "label", "share", "expected"),
    [
        (True, False, "GPU0 -> GPU3", 0.1, (Judgement.SKIP, f"{NO_ACCESS}: {STAGED.format(7.31)}")),
        (True, True, "GPU3 -> GPU0", 0.1, (Judgement.SKIP, f"{NO_ACCESS}: {STAGED.format(14.55)}")),
        (False, False, "GPU0 -> GPU3", 0.1, (Judgement.SKIP, f"peer access is off: {STAGED.format(7.31)}")),
        # above what two K20X can copy: other GPUs
        (False, False, "GPU0 -> GPU3", 1.0, (Judgement.UNKNOWN, None)),
        (True, False, "GPU0 -> GPU1", 1.0, (Judgement.UNKNOWN, None)),
    ],
)
@pytest.mark.parametrize("access", ["both", "lines", "matrix"])
def test_pairs_without_peer_access_are_staged_in_the_matrices_with_it_too(
    p2p, bidirectional, label, share, expected, access
):
    """cuda-samples p2pBandwidthLatencyTest.cu: such a pair "falls back to normal memcopy procedure"."""
    lines = FOUR_GPUS.read_text(encoding="utf-8").replace("NVIDIA H100 80GB HBM3", "Tesla K20Xm").splitlines()
    if access == "lines":
        lines = lines[:21] + lines[26:]
    elif access == "matrix":
        lines = lines[:5] + lines[17:]
    assert ("Connectivity" in " ".join(lines), "CANNOT" in " ".join(lines)) == (access != "lines", access != "matrix")
    for run in read_log("\n".join(lines)).runs:
        if (run.parameters.p2p_enabled, bool(run.parameters.bidirectional)) != (p2p, bidirectional):
            continue
        rows = tuple(row._replace(value=share * row.value) for row in run.measurements)
        judged = judge(replace(run, measurements=rows), build(read(LENDING), load()), source="abel1:dis0")
        for verdict in judged.verdicts:
            if verdict.measurement.metric is Metric.BW_AVG and verdict.measurement.label == label:
                assert verdict.judgement is expected[0]
                assert expected[1] in (None, verdict.reason)
        note = "without peer access, so staged in host memory and not judged: GPU0 -> GPU3, GPU3 -> GPU0"
        assert (note in judged.notes) is (p2p is True)


def test_gpus_with_links_that_lack_peer_access_fail():
    labels = "GPU0 -> GPU3, GPU3 -> GPU0"
    test, pair = "unidirectional_bandwidth", "GPU0 -> GPU3"
    run = copy_run("p2pBandwidthLatencyTest", test, pair, 20.0, p2p_enabled=True, without_p2p_access=labels)
    judged = judge(run, plan())
    assert find_verdict(judged).judgement is Judgement.FAIL
    assert judged.notes[0] == f"without peer access, although their GPUs have links: {labels}"


TRANSFERBENCH = CLUSTER.parents[2] / "tests" / "samples" / "transferbench"


def judge_transferbench(sample):
    """Verdicts by test, direction and pair; the sample has the form of the tool, its values are made."""
    verdicts = {}
    for run in read_log((TRANSFERBENCH / sample).read_text()).runs:
        for verdict in judge(run, plan()).verdicts:
            verdicts[run.test, bool(run.parameters.bidirectional), verdict.measurement.label] = verdict
    return verdicts


def test_pairs_of_transferbench_are_judged_by_links_and_slots():
    verdicts = judge_transferbench("peer-to-peer.txt")
    assert verdicts["peer_to_peer", False, "GPU0 -> GPU1"].judgement is Judgement.PASS
    assert verdicts["peer_to_peer", False, "GPU0 -> GPU1"].reachable.value == 48.0
    assert verdicts["peer_to_peer", False, "CPU0 -> GPU1"].physical.value == pytest.approx(SLOT, rel=1e-4)
    assert verdicts["peer_to_peer", True, "GPU0 -> GPU1"].reachable.value == 96.0
    assert verdicts["peer_to_peer", True, "GPU0 -> GPU1 forward"].judgement is Judgement.SKIP
    assert verdicts["peer_to_peer", False, "CPU0 -> CPU1"].reason == "a copy between CPUs: no GPU takes part"


@pytest.mark.parametrize("tool", ["rocm-bandwidth-test", "TransferBench"])
@pytest.mark.parametrize(
    ("rate", "judgement"), [(77.35, Judgement.PASS), (70.0, Judgement.WARN), (52.0, Judgement.FAIL)]
)
def test_copies_in_both_directions_are_one_class_for_all_tools(tool, rate, judgement):
    """77.35 GB/s: the lowest of AMD's published output of TransferBench on MI300X."""
    run = copy_run(tool, "copy", "CPU0 -> GPU5", rate, bidirectional=True)
    assert find_verdict(judge(run, plan())).judgement is judgement


@pytest.mark.parametrize(("rate", "judgement"), [(32.9, Judgement.PASS), (23.0, Judgement.FAIL)])
def test_all_to_all_of_transferbench_passes_from_what_amd_requires(rate, judgement):
    """AMD Instinct customer acceptance guide, MI300X: an average of 32.9 GB/s or more."""
    run = copy_run("TransferBench", "all_to_all", "GPU0 -> GPU1", rate)
    assert find_verdict(judge(run, plan())).judgement is judgement


AMD_ALL_TO_ALL = """\
TransferBench v1.57
- Copying 67108864 bytes between directly connected pairs of GPUs using 8 CUs (2 Transfers)
{summary}
   SRC\\DST    GPU 00    GPU 01    STotal    Actual
   GPU 00        N/A    {first}    {first}    {first}
   GPU 01    {second}        N/A    {second}    {second}
   RTotal    {second}    {first}    {total}    {second}    {first}
   Average bandwidth (GPU Timed): {average} GB/s
   Aggregate bandwidth (GPU Timed): {total} GB/s
   Aggregate bandwidth (CPU Timed): {total} GB/s
"""


@pytest.mark.parametrize("summary", ["   Summary:", "   Summary: [67108864 bytes per Transfer]"])
@pytest.mark.parametrize(
    ("first", "second", "judgements"),
    [
        (43.0, 28.6, (Judgement.PASS, Judgement.PASS, Judgement.PASS)),  # as in the example of AMD
        (29.0, 30.0, (Judgement.PASS, Judgement.PASS, Judgement.WARN)),  # no pair is slow, but their average is
        (43.0, 26.0, (Judgement.PASS, Judgement.WARN, Judgement.PASS)),
        (43.0, 10.0, (Judgement.PASS, Judgement.FAIL, Judgement.FAIL)),
    ],
)
def test_all_to_all_of_transferbench_is_judged_by_its_average(
    summary: str, first: float, second: float, judgements: tuple[Judgement, ...]
) -> None:
    """AMD requires an average; pairs of the output that it publishes are between 28.6 and 43.7 GB/s."""
    total = first + second
    text = AMD_ALL_TO_ALL.format(summary=summary, first=first, second=second, total=total, average=total / 2)
    (run,) = read_log(text).runs
    verdicts = {verdict.measurement.label: verdict for verdict in judge(run, plan()).verdicts}
    assert tuple(verdicts[label].judgement for label in ("GPU0 -> GPU1", "GPU1 -> GPU0", "SUM")) == judgements
    assert verdicts["SUM"].reachable.value == 96.0


def test_latencies_of_copies_are_named_as_not_judged():
    row = Measurement(Metric.LATENCY_AVG, "us", 5000.0, None, "GPU0 -> GPU1", 5)
    run = Run(
        "p2pBandwidthLatencyTest",
        "gpu_latency",
        None,
        RunStatus.COMPLETE,
        None,
        None,
        Parameters(p2p_enabled=True),
        (row,),
    )
    judged = judge(run, plan())
    assert judged.verdicts == ()
    assert "no maximum latency is known for this test" in judged.notes[0]
