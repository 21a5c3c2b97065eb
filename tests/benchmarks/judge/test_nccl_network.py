"""The network between the hosts of a collective: as the log names it, and as it is assumed where it does not.

Forms of the lines: NVIDIA/nccl src/plugin/net.cc; aws/aws-ofi-nccl src/nccl_ofi_net.cpp ("Selected provider is").
"""

from __future__ import annotations

from pathlib import Path

import pytest
from judge_support import plan_with_gpus
from nccl_log_support import judge_log, write_log

from wirespeed.catalogue import load
from wirespeed.cluster import read
from wirespeed.plan import build
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Judgement

TWO_HOSTS = ["node1"] * 8 + ["node2"] * 8
LENDING = Path(__file__).parents[3] / "examples" / "pcie-lending" / "cluster.yaml"


@pytest.mark.parametrize(
    ("provider", "is_over_sockets"),
    [
        ("tcp;ofi_rxm, fabric is 10.0.0.0/24 (found 1 nics)", True),
        ("sockets", True),
        ("verbs;ofi_rxm", False),
        ("efa, fabric is efa (found 32 nics)", False),
    ],
)
def test_a_provider_over_sockets_explains_a_slow_run(provider, is_over_sockets):
    lines = (f"NET/OFI Selected provider is {provider}", "Using network Libfabric")
    judged = judge_log(write_log(TWO_HOSTS, 220.0, lines), plan_with_gpus())
    failed = [verdict for verdict in judged.verdicts if verdict.judgement is Judgement.FAIL]
    name = provider.partition(";")[0]
    reason = (
        "the log proves: transport between hosts: TCP sockets, NCCL did not use RDMA "
        f"(libfabric provider {name}; `wirespeed explain NCCL-01`); "
    )
    assert failed
    assert all(verdict.reason.startswith(reason) is is_over_sockets for verdict in failed)
    assert judged.proven_failures == (("NCCL-01",) if is_over_sockets else ())


@pytest.mark.parametrize(
    ("lines", "busbw", "judgement", "text"),
    [
        ((), 0.85, Judgement.PASS, "TCP sockets over dis0 between hosts"),
        # a tree of two hosts explains what a ring does not
        ((), 1.2, Judgement.PASS, "TCP sockets over dis0 between hosts"),
        ((), 1.5, Judgement.UNKNOWN, "refutes TCP sockets over dis0: "),
        ((), 2.9, Judgement.UNKNOWN, "refutes TCP sockets over dis0: "),
        ((), 8.0, Judgement.UNKNOWN, "refutes TCP sockets over dis0: "),
        # the log names the sockets, so they are not assumed
        (("NET/Socket : Using [0]dis0:10.0.0.1<0>", "Using network Socket"), 2.9, Judgement.PASS, "is too low for"),
    ],
)
def test_a_run_faster_than_the_assumed_network_is_unknown(lines, busbw, judgement, text):
    """A plugin may use the PCIe bridge without its IP driver, and a log without debug lines does not name it."""
    lending = build(read(LENDING), load())
    judged = judge_log(write_log(["abel1", "abel1", "abel2", "abel2"], busbw, lines, "Tesla K20Xm"), lending)
    largest = [verdict for verdict in judged.verdicts if verdict.measurement.metric is Metric.BUSBW][-1]
    assert largest.judgement is judgement
    assert text in " ".join((largest.reason, *judged.notes))
    assert ("TCP sockets over dis0 between hosts" in judged.notes) is (judgement is not Judgement.UNKNOWN)
