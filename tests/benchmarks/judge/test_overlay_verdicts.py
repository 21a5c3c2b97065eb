"""Two fractions in each verdict: of the design, and of the cluster as found."""

from __future__ import annotations

import json

import inject_faults
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_support import CLUSTER, GIB, MIB, collective, find_verdict, perftest, plan
from tests.benchmarks.judge.test_cli import run, write_bw

from wirespeed.benchmarks.judge.runs import judge
from wirespeed.facts import Observation, Source, assemble_facts
from wirespeed.plan.overlay import overlay_facts
from wirespeed.results.benchmarks import Metric
from wirespeed.results.verdicts import Judgement
from wirespeed.settings import Place
from wirespeed.units import Bandwidth

NIC, FUNCTION = "enp29s0np0", "0000:1d:00.0"


def observe(path, value, *location, device="node1"):
    return Observation(Place(device, location), path, value, Source(device, "command", "file"))


def overlay_plan(*observations):
    return overlay_facts(plan(), assemble_facts((ADDRESS, *observations)))


ADDRESS = observe("nic.pcie", FUNCTION, ("nic", NIC))
X8 = observe("pcie.link.width", 8, ("pcie", FUNCTION))
MTU_1024 = observe("nic.rdma_mtu", 1024, ("nic", NIC))
SLOW = observe("nic.link.speed", Bandwidth.parse("200 Gb/s"), ("nic", NIC))


@pytest.mark.parametrize(
    ("observation", "value", "limit", "binding"),
    [
        # 32 GT/s x 8 lanes x 128/130 = 252.06 Gb/s; 256 of 280 bytes of a write are data
        (X8, 228.0, 32 * 8 * 128 / 130 * 256 / 280, "NIC slot of node1:bnxt_re0"),
        (SLOW, 190.0, 200 * 4096 / 4178, "line rate × RoCEv2 framing"),
    ],
)
def test_a_loss_is_explained_by_what_was_found(observation, value, limit, binding):
    judged = judge(perftest({4 * MIB: value}), plan(), observed=overlay_plan(observation))
    verdict = find_verdict(judged)
    assert verdict.judgement is Judgement.FAIL
    assert (verdict.found.value, verdict.found.bottleneck) == (pytest.approx(limit, rel=1e-4), binding)
    assert verdict.fraction_of_reachable == pytest.approx(value / 392.15, rel=1e-3)
    assert verdict.fraction_of_found == pytest.approx(value / limit, rel=1e-4)
    assert (
        "of the planned limit" in verdict.reason
        and "of the limit of the cluster as found: " + binding in verdict.reason
    )


def test_the_wording_of_an_explained_loss():
    verdict = find_verdict(judge(perftest({4 * MIB: 228.0}), plan(), observed=overlay_plan(X8)))
    assert verdict.reason == (
        "below 80 % of the reachable limit (limit: line rate × RoCEv2 framing); 99 % of the rate of a path with "
        "PCIe gen4 x16 or PCIe gen5 x8 (230.46 Gb/s), where runs reach 90 % or more; "
        "58 % of the planned limit, 99 % of the limit of the cluster as found: NIC slot of node1:bnxt_re0, "
        "252.06 Gb/s × 256 B / 280 B per write (gen5 x8, MaxPayload 256)"
    )


def test_a_loss_that_nothing_found_explains():
    verdict = find_verdict(
        judge(perftest({4 * MIB: 228.0}), plan(), observed=overlay_plan(observe("nic.link.mtu", 9000, ("nic", NIC))))
    )
    assert verdict.reason.endswith("; the limit of the cluster as found equals the planned limit")
    assert verdict.fraction_of_found == verdict.fraction_of_reachable


def test_above_what_was_found_is_unknown():
    verdict = find_verdict(judge(perftest({4 * MIB: 390.0}), plan(), observed=overlay_plan(X8)))
    assert verdict.judgement is Judgement.UNKNOWN
    assert verdict.reason == (
        "above the limit of the cluster as found (NIC slot of node1:bnxt_re0): "
        "the bundle was not collected at the time of this run"
    )


def test_the_path_mtu_of_a_log_comes_before_the_one_found():
    assert find_verdict(judge(perftest({4 * MIB: 390.0}), plan(), observed=overlay_plan(MTU_1024))).found.value > 392


def test_a_collective_follows_its_slowest_nic():
    algbw = 300.0 / 1.75
    log = collective("all_reduce", 16, {8 * GIB: (8 * GIB / algbw / 1e3, algbw, 200.0)}, nodes=2)
    verdict = find_verdict(judge(log, plan(), observed=overlay_plan(X8)), 8 * GIB, Metric.BUSBW)
    assert verdict.found.value < verdict.reachable.value
    assert verdict.fraction_of_found > verdict.fraction_of_reachable


def test_without_facts_there_is_no_fraction_of_them():
    verdict = find_verdict(judge(perftest({4 * MIB: 390.0}), plan()))
    assert (verdict.found, verdict.fraction_of_found) == (None, None)


degraded = st.lists(
    st.one_of(
        st.sampled_from([1, 2, 4, 8, 16]).map(lambda width: observe("pcie.link.width", width, ("pcie", FUNCTION))),
        st.sampled_from([8000, 16000, 32000]).map(lambda rate: observe("pcie.link.speed", rate, ("pcie", FUNCTION))),
        st.sampled_from([128, 256]).map(lambda size: observe("pcie.max_payload", size, ("pcie", FUNCTION))),
        st.sampled_from([100, 200, 400]).map(
            lambda speed: observe("nic.link.speed", Bandwidth.parse(f"{speed} Gb/s"), ("nic", NIC))
        ),
        st.sampled_from([256, 1024, 4096]).map(lambda mtu: observe("nic.rdma_mtu", mtu, ("nic", NIC))),
    ),
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(observations=degraded, is_bidirectional=st.booleans())
def test_what_was_found_worse_never_allows_more(observations, is_bidirectional):
    log = perftest({4 * MIB: 1.0}, path_mtu_bytes=None, bidirectional=is_bidirectional)
    verdict = find_verdict(judge(log, plan(), observed=overlay_plan(*observations)))
    assert verdict.found.value <= verdict.reachable.value * (1 + 1e-9)


def test_from_a_bundle_to_both_fractions(tmp_path):
    bundle = tmp_path / "x8"
    inject_faults.inject(CLUSTER.parent, bundle, ["02"])
    options = ("--from", "node2:bnxt_re1", "--to", "node1:bnxt_re1", "--bundle", str(bundle))
    result = run(tmp_path, write_bw(228.0), *options)
    assert result.exit_code == 1
    assert "58 % of the planned limit, 99 % of the limit of the cluster as found" in " ".join(result.stdout.split())
    document = json.loads(run(tmp_path, write_bw(228.0), *options, "--format", "json").stdout)
    verdict = next(
        entry for entry in document["runs"][0]["verdicts"] if entry["measurement"]["metric"] == Metric.BW_AVG.value
    )
    assert verdict["fraction_of_found"] == pytest.approx(0.989, abs=0.001)
    assert verdict["found"]["bottleneck"] == "NIC slot of node2:bnxt_re1"


def test_what_is_no_bundle_is_refused(tmp_path):
    result = run(tmp_path, write_bw(391.0), "--bundle", str(tmp_path))
    assert str(result.exception).startswith(f"{tmp_path}: found a folder without manifest.json; expected a bundle")
