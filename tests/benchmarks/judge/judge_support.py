"""The four hosts of document 000, and runs made by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import Plan, build
from wirespeed.results.benchmarks import Measurement, Metric, Run, RunStatus
from wirespeed.results.parameters import Parameters
from wirespeed.results.verdicts import JudgedRun, Judgement, Verdict

CLUSTER = Path(__file__).parents[3] / "examples" / "mi300x-4node" / "cluster.yaml"
MIB, GIB = 2**20, 2**30


@cache
def plan() -> Plan:
    """The plan of examples/mi300x-4node."""
    return build(read(CLUSTER), load())


@cache
def plan_with_gpus(gpu: str = "h100") -> Plan:
    """The four hosts of the example with other GPUs: eight NICs of 400 Gb/s each."""
    hosts = {
        name: replace(host, gpus={slot: replace(device, model=gpu) for slot, device in host.gpus.items()})
        for name, host in plan().hosts.items()
    }
    return replace(plan(), hosts=hosts)


def perftest(rows, metric=Metric.BW_AVG, unit="Gb/s", test="RDMA_Write BW Test", **parameters):
    """A perftest run with one bandwidth per message size."""
    return Run(
        tool="perftest",
        test=test,
        version=None,
        status=RunStatus.COMPLETE,
        error=None,
        ranks=None,
        parameters=Parameters(**{"rdma_device": "bnxt_re0", "path_mtu_bytes": 4096, **parameters}),
        measurements=tuple(
            Measurement(metric, unit, value, size, None, line) for line, (size, value) in enumerate(rows.items(), 10)
        ),
    )


def collective(test, ranks, rows, status=RunStatus.COMPLETE, **parameters):
    """A run of rccl-tests with size -> (time in µs, algorithm bandwidth, bus bandwidth)."""
    measurements = []
    for line, (size, (time, algbw, busbw)) in enumerate(rows.items(), 10):
        for metric, unit, value in (
            (Metric.TIME, "us", time),
            (Metric.ALGBW, "GB/s", algbw),
            (Metric.BUSBW, "GB/s", busbw),
        ):
            measurements.append(Measurement(metric, unit, value, size, "out-of-place", line))
    return Run("rccl-tests", test, None, status, None, ranks, Parameters(**parameters), tuple(measurements))


def find_verdict(judged: JudgedRun, size=None, metric=None) -> Verdict:
    """The one verdict for a size or metric."""
    verdicts = [
        verdict
        for verdict in judged.verdicts
        if (size is None or verdict.measurement.size_bytes == size)
        and (metric is None or verdict.measurement.metric is metric)
    ]
    assert len(verdicts) == 1, verdicts
    return verdicts[0]


def judgements(judged: JudgedRun, metric=Metric.BUSBW) -> dict[int | None, Judgement]:
    """Judgement by size of one metric."""
    return {
        verdict.measurement.size_bytes: verdict.judgement
        for verdict in judged.verdicts
        if verdict.measurement.metric is metric
    }
