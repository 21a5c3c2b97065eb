"""The judge has a verdict on every log, and never passes a value above its physical limit."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from judge_support import plan

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.limits.group import Collective
from wirespeed.results.benchmarks import LATENCIES, Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import Judgement

measurements = st.builds(
    Measurement,
    st.sampled_from(list(Metric)),
    st.sampled_from(
        ["Gb/s", "MiB/s", "GB/s", "b/s", "us", "ns", "Mpps", "elements", "MB", "things", "Mib/s", "MiB/s/rank"]
    ),
    st.one_of(st.integers(0, 10**7), st.floats(0, 1e9, allow_nan=False)),
    st.one_of(st.none(), st.integers(0, 2**36)),
    st.sampled_from(
        [
            None,
            "out-of-place",
            "in-place",
            "SUM receiver",
            "stream 5 interval 0.00-1.00",
            "stream 5",
            "",
            "CPU -> GPU0",
            "GPU0 -> GPU1",
        ]
    ),
    st.integers(1, 100),
)
parameters = st.fixed_dictionaries(
    {},
    optional={
        "rdma_device": st.sampled_from(["bnxt_re0", "mlx5_0", ""]),
        "gpu_model": st.sampled_from(["AMD Instinct MI300X", ""]),
        "path_mtu_bytes": st.one_of(st.none(), st.sampled_from([1024, 4096, 9000, 0])),
        "nodes": st.integers(-1, 40),
        "pairs": st.integers(-1, 40),
        "p2p_enabled": st.booleans(),
        "send_memory": st.sampled_from(["HOST", "CUDA"]),
        "root_rank": st.integers(-1, 40),
        "reduction": st.sampled_from(["sum", "none"]),
        "bidirectional": st.booleans(),
        "memory": st.sampled_from(["rocm", "host"]),
        "local_address": st.sampled_from(["10.1.0.1", "fe80::1", ""]),
        "local_gid": st.sampled_from([":" * 15, "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:01", "x"]),
        "message_bytes": st.integers(1, 100_000),
    },
)
runs = st.builds(
    Run,
    tool=st.sampled_from(
        [
            *(
                "perftest",
                "nccl-tests",
                "rccl-tests",
                "iperf3",
                "osu",
                "osu-micro-benchmarks",
                "ucx_perftest",
                "netpipe",
            ),
            *(
                "mpigraph",
                "gpcnet",
                "qperf",
                "sockperf",
                "nvbandwidth",
                "p2pBandwidthLatencyTest",
                "rocm-bandwidth-test",
            ),
        ]
    ),
    test=st.sampled_from(
        [
            *(None, "ib_write_bw", "ib_read_bw", "ib_write_lat", "TCP", "UDP", *Collective, "hypercube", "copy"),
            *("osu_bw", "osu_bibw", "osu_mbw_mr", "osu_latency", "osu_alltoall", "osu_allreduce", "tag_bw", "tag_lat"),
            *("rc_bw", "rc_lat", "tcp_bw", "udp_lat", "throughput", "device_to_device_memcpy_read_ce"),
        ]
    ),
    version=st.none(),
    status=st.sampled_from(list(RunStatus)),
    error=st.none(),
    ranks=st.one_of(st.none(), st.integers(0, 70)),
    parameters=parameters.map(lambda stated: Parameters(**stated)),
    measurements=st.lists(measurements, max_size=8).map(tuple),
)

NAMELESS_PLACE = Run(
    "iperf3",
    None,
    None,
    RunStatus.COMPLETE,
    None,
    None,
    Parameters(local_address="10.1.0.1"),
    (Measurement(Metric.BITRATE, "Gb/s", 0, None, "", 1),),
)


@settings(max_examples=100, deadline=None)
@given(run=runs)
@example(run=NAMELESS_PLACE)
def test_any_run_gets_verdicts_and_none_passes_above_the_physical_limit(run):
    check_verdicts(run)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(run=runs)
def test_none_of_many_runs_passes_above_the_physical_limit(run):
    check_verdicts(run)


def check_verdicts(run):
    verdicts = judge(run, plan())
    assert verdicts.status is run.status
    for verdict in verdicts.verdicts:
        assert verdict.reason
        if verdict.judgement is Judgement.PASS:
            assert verdict.physical is not None
            rounding = 0.5 if isinstance(verdict.measurement.value, int) else 0.06
            assert verdict.measurement.value - rounding <= verdict.physical.value * 1.001
        if verdict.measurement.metric in LATENCIES:
            assert verdict.judgement in (Judgement.SKIP, Judgement.UNKNOWN)
        if verdict.physical is not None and verdict.reachable is not None:
            assert verdict.reachable.value <= verdict.physical.value * (1 + 1e-9)


@settings(max_examples=20, deadline=None)
@given(run=runs)
def test_the_same_run_gets_the_same_verdicts(run):
    assert judge(run, plan()) == judge(run, plan())
