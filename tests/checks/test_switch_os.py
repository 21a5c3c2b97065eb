"""Releases of switches, with and without a planned one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from wirespeed.checks import checks, run
from wirespeed.cluster import read_text
from wirespeed.facts import Facts, Reading, Source, State
from wirespeed.plan import Plan, build
from wirespeed.results.findings import Finding
from wirespeed.settings import Place

CLUSTER = """
version: 1
name: releases
hosts: {{'node[1-2]': {{model: dell-xe9680-mi300x, os: ubuntu-22.04, nics: 8 x broadcom-bcm957608-p1400gd}}}}
switches: {{leaf1: {{model: {model}, os: {os}, role: leaf{release}}}}}
cabling: {{pattern: by-host}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""
EARLIER = "the switch runs an earlier release of its operating system than the rendered commands need"


def plan_switch(model: str, os: str, release: str | None) -> Plan:
    part = f", os_version: '{release}'" if release else ""
    return build(read_text(CLUSTER.format(model=model, os=os, release=part), "releases.yaml"))


def find(plan: Plan, version: str | None) -> Finding:
    """The finding of a switch that runs this release."""
    reading = () if version is None else (Reading(version, Source("leaf1", "version", "v.out", 1), State.RUNNING),)
    leaf = replace(plan.switches["leaf1"], os_version=version)
    facts = Facts({"leaf1": leaf}, {(Place("leaf1"), "switch.os_version"): reading} if reading else {})
    (finding,) = run(plan, facts, [checks()["software.switch-os"]])
    return finding


@pytest.mark.parametrize(
    ("model", "os", "planned", "found", "status", "expected", "summary"),
    [
        ("nvidia-sn5600", "sonic", None, "202305.847216-a2dedc96c", "pass", "202211 or later", None),
        ("nvidia-sn5600", "sonic", None, "202511", "pass", "202211 or later", None),
        ("nvidia-sn5600", "sonic", None, "202205.1", "fail", "202211 or later", EARLIER),  # the floor of the model
        ("nvidia-sn5600", "cumulus", None, "5.9.0", "fail", "5.15 or later", EARLIER),  # that of the rendered commands
        ("nvidia-sn5600", "cumulus", None, "5.15.0", "pass", "5.15 or later", None),
        ("nvidia-sn5600", "sonic", None, "master.12-abc", "skip", None, None),
        ("nvidia-sn5600", "sonic", None, None, "unknown", None, None),
        ("nvidia-sn5600", "sonic", "202305", "202211.1", "fail", "202305", None),
        ("arista-7060dx5-64s", "eos", None, "4.20.1F", "skip", None, None),  # no source has its oldest release
    ],
)
def test_a_release_is_compared_with_the_planned_or_the_oldest_one(
    model: str, os: str, planned: str | None, found: str | None, status: str, expected: str | None, summary: str | None
) -> None:
    finding = find(plan_switch(model, os, planned), found)
    assert (finding.status, finding.expected) == (status, expected)
    if summary is not None:
        assert (finding.summary, finding.found, [fix.sentence for fix in finding.fix]) == (
            summary,
            found,
            [f"install {expected} on the switch"],
        )
