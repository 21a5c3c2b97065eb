"""A bond is made by the network configuration: a missing one is no missing card."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.settings import Bond, Nic
from wirespeed.units import Duration

from . import small_cluster as small


def test_a_missing_bond_is_created_by_the_network_configuration() -> None:
    host = small.PLAN.hosts["node1"]
    bond = Nic(bond=Bond("active-backup", Duration.parse("60 s")))
    plan = replace(small.PLAN, hosts={**small.PLAN.hosts, "node1": replace(host, nics={**host.nics, "bond0": bond})})
    findings = small.by_id("nic.presence", small.facts(), plan)
    (finding,) = [finding for finding in findings if finding.device == "node1" and finding.status == "fail"]
    assert finding.summary == "the bond is missing"
    assert [fix.sentence for fix in finding.fix] == ["apply the rendered network configuration"]
