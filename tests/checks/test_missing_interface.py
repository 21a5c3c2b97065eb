"""A missing interface and what follows from it; a missing bond is no missing card."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from command_line import wirespeed
from wirespeed.checks import run
from wirespeed.cluster import read
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Status
from wirespeed.settings import Bond, Nic
from wirespeed.units import Duration

from . import small_cluster as small

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_missing_bond_is_created_by_the_network_configuration() -> None:
    host = small.PLAN.hosts["node1"]
    bond = Nic(bond=Bond("active-backup", Duration.parse("60 s")))
    plan = replace(small.PLAN, hosts={**small.PLAN.hosts, "node1": replace(host, nics={**host.nics, "bond0": bond})})
    findings = small.by_id("nic.presence", small.facts(), plan)
    (finding,) = [finding for finding in findings if finding.device == "node1" and finding.status == "fail"]
    assert finding.summary == "the bond is missing"
    assert [fix.sentence for fix in finding.fix] == ["apply the rendered network configuration"]


def test_the_ports_of_a_missing_bond_follow_from_it(tmp_path: Path) -> None:
    """The complete list of interfaces decides: ethtool prints the speed of the missing bond in this bundle."""
    plan = build(read(EXAMPLES / "pcie-lending" / "cluster-bond.yaml"))
    write_planned_bundle(plan, tmp_path / "bundle")
    output = tmp_path / "bundle" / "abel1" / "ip-addr.out"
    links = [link for link in json.loads(output.read_text(encoding="utf-8")) if link["ifname"] != "bond0"]
    for link in links:
        if link.pop("master", None):
            link["linkinfo"] = {}
    output.write_text(json.dumps(links), encoding="utf-8")
    facts = read_facts(tmp_path / "bundle")
    findings = [
        finding for finding in run(locate(plan, facts), facts) if finding.status not in (Status.PASS, Status.SKIP)
    ]
    assert [(f.check, f.status.value, f.place, f.found, f.cause) for f in findings] == [
        ("nic.bond", "fail", "eth0", "controller none", "nic.presence"),
        ("nic.bond", "fail", "eth1", "controller none", "nic.presence"),
        ("nic.presence", "fail", "bond0", "absent", None),
    ]
    result = wirespeed("diff", EXAMPLES / "pcie-lending" / "cluster-bond.yaml", tmp_path / "bundle", columns=400)
    assert [line.partition(" (")[0] for line in result.stdout.splitlines()] == [
        "abel1:bond0: planned, but not present",
        "abel1:eth0 nic.controller: expected bond0, found none",
        "abel1:eth1 nic.controller: expected bond0, found none",
    ]
    (missing,) = (finding for finding in findings if finding.check == "nic.presence")
    assert [(fix.change.place, fix.change.setting, fix.change.value) for fix in missing.fix if fix.change] == [
        ("abel1 nic eth0", "nic.controller", "bond0"),
        ("abel1 nic eth1", "nic.controller", "bond0"),
    ]


def test_routes_and_rules_of_a_missing_nic_follow_from_it(tmp_path: Path) -> None:
    """The kernel removes the routes of an interface with it, and networkd adds its rules with it."""
    plan = build(read(EXAMPLES / "mi300x-4node" / "cluster.yaml"))
    folder = tmp_path / "bundle"
    write_planned_bundle(plan, folder)
    for command, key in (("ip-addr", "ifname"), ("ip-route", "dev"), ("rdma-link", "netdev")):
        output = folder / "node1" / f"{command}.out"
        entries = json.loads(output.read_text(encoding="utf-8"))
        output.write_text(json.dumps([entry for entry in entries if entry.get(key) != "enp67s0np0"]), encoding="utf-8")
    rules = folder / "node1" / "ip-rule.out"
    entries = [entry for entry in json.loads(rules.read_text(encoding="utf-8")) if entry.get("src") != "10.1.0.3"]
    rules.write_text(json.dumps(entries), encoding="utf-8")
    facts = read_facts(folder)
    findings = [finding for finding in run(locate(plan, facts), facts) if finding.status is Status.FAIL]
    assert {(f.check, f.place, f.cause) for f in findings} == {
        ("nic.presence", "bnxt_re1 / enp67s0np0 / 0000:43:00.0", None),
        ("address.route", "route default of table 102", "nic.presence"),
        ("address.rule", "nic enp67s0np0 rule from 10.1.0.3/32", "nic.presence"),
    }
