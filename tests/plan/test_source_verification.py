"""Values of the catalogue whose source was not read: verdicts and findings that depend on them only warn."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.judge.judge_support import find_verdict, perftest
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.catalogue import load
from wirespeed.cluster import read_text
from wirespeed.limits.paths import list_path_limits
from wirespeed.plan import build
from wirespeed.plan.source_verification import find_unverified_source
from wirespeed.results.verdicts import Judgement
from wirespeed.settings import Place

FILE = """\
version: 1
name: unread
hosts:
  node[1-2]: {model: MODEL, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd,
    interfaces: [e0, e1, e2, e3, e4, e5, e6, e7]}
switches:
  leaf1: {model: arista-7060dx5-64s, os: eos, role: leaf}
cabling: {pattern: by-host, length: 3 m}
addresses: {scheme: link-31, pool: 10.1.0.0/16}
"""
SUPERMICRO = "Supermicro AS-8126GS-TNMR product page: PCIe 5.0 x16"


def build_plan(model):
    return build(read_text(FILE.replace("MODEL", model), "cluster.yaml"))


def test_no_source_contains_that_it_was_not_read():
    """The field `verified` contains it, which verdicts use."""
    catalogue = load()
    entries = [*catalogue.gpus.values(), *catalogue.servers.values(), *catalogue.nics.values()]
    assert not [entry.title for entry in entries if "not read" in repr(entry)]


def test_a_limit_names_what_was_not_read():
    (limit,) = [limit for limit in list_path_limits(build_plan("nvidia-dgx-b200")) if limit.source == "GPU3"][:1]
    assert limit.target == "host memory"
    assert any(text.startswith("source not read: NVIDIA HGX B200 data sheet") for text in limit.bound.assumptions)
    (limit,) = [limit for limit in list_path_limits(build_plan("dell-xe9680-mi300x")) if limit.source == "GPU3"][:1]
    assert not any("not read" in text for text in limit.bound.assumptions)


def test_the_link_of_a_nic_in_such_a_slot_is_unverified():
    plan = build_plan("supermicro-as-8126gs-tnmr-mi325x")
    place = Place("node1", (("pcie", plan.hosts["node1"].nics["e0"].pcie),))
    assert find_unverified_source(plan, place, "pcie.link.width") == SUPERMICRO
    assert find_unverified_source(plan, place, "pcie.max_payload") is None
    other_plan = build_plan("dell-xe9680-mi300x")
    place = Place("node1", (("pcie", other_plan.hosts["node1"].nics["e0"].pcie),))
    assert find_unverified_source(other_plan, place, "pcie.link.width") is None


def test_a_failure_against_such_a_limit_only_warns():
    """A slot of half the width would be the bottleneck of a NIC of 400 Gb/s; only the source differs."""
    plan = build_plan("supermicro-as-8126gs-tnmr-mi325x")
    host = plan.hosts["node1"]
    narrow = replace(host.pcie[host.nics["e0"].pcie], link=replace(host.pcie[host.nics["e0"].pcie].link, width=8))
    hosts = {**plan.hosts, "node1": replace(host, pcie={**host.pcie, host.nics["e0"].pcie: narrow})}
    run = perftest({8 << 20: 50.0})
    judged = judge(run, replace(plan, hosts=hosts), source="node1:e0", target="node2:e0")
    verdict = find_verdict(judged, 8 << 20)
    assert verdict.judgement is Judgement.WARN
    assert verdict.reason.endswith(f"; a source of the limit was not read: {SUPERMICRO}")
    assert find_verdict(judge(run, plan, source="node1:e0", target="node2:e0"), 8 << 20).judgement is Judgement.FAIL
