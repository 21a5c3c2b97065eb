"""The order of name servers: resolv.conf(5) queries them as listed, and the next one only without a reply."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wirespeed.settings import Resolver

from . import small_cluster as small

PLANNED = ("172.16.16.57", "1.1.1.1", "8.8.8.8")
REASON = "the resolver queries the next server only if the one before does not reply"


@pytest.mark.parametrize(
    ("servers", "status", "summary"),
    [
        (PLANNED, None, None),
        (
            ("10.9.9.9", *PLANNED),
            "fail",
            "10.9.9.9 is queried before the planned servers",
        ),
        (("1.1.1.1", "172.16.16.57", "8.8.8.8"), "warn", "the planned servers are queried in another order"),
        (
            (*PLANNED, "10.9.9.9"),
            "warn",
            "10.9.9.9 is not planned and queried if a planned server does not reply",
        ),
        (
            ("172.16.16.57", "10.9.9.9", "1.1.1.1", "8.8.8.8"),
            "warn",
            "10.9.9.9 is not planned and queried if a planned server does not reply",
        ),
        (PLANNED[:2], "fail", "the name servers are not as planned"),
        ((), "fail", "the name servers are not as planned"),
    ],
)
def test_servers_are_queried_in_order(servers: tuple[str, ...], status: str | None, summary: str | None) -> None:
    host = replace(small.PLAN.hosts["node1"], resolver=Resolver("eth1", PLANNED, ("cluster.example",)))
    plan = replace(small.PLAN, hosts={**small.PLAN.hosts, "node1": host})
    changes = {(small.HOST, "host.resolver.servers"): servers}
    findings = small.by_id("host.name-servers", small.facts(changes), plan)
    bad = [finding for finding in findings if finding.status != "pass" and finding.device == "node1"]
    assert [(finding.status, finding.summary) for finding in bad] == ([] if status is None else [(status, summary)])
    assert all((finding.status == "warn") is (REASON in finding.warning_reasons) for finding in bad)
