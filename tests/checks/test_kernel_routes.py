"""Findings for routes that a kernel printed: each rail is judged by where the kernel sends its packets."""

from __future__ import annotations

import json
import os
import re
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest
from routing_cases import CASES, HOST, RAILS, Case, list_outputs, load_record, plan_two_rails

from wirespeed.checks import run
from wirespeed.checks.routing_policy import Packet, RoutingTables, find_decision
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.facts import Facts
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding, Status
from wirespeed.settings import Host, Route

RECORDS = load_record()
FINDINGS = Path(__file__).with_name("kernel_routes.txt")


def read_bundle(case: Case, folder: Path) -> Facts:
    plan = plan_two_rails(case.scheme)
    write_planned_bundle(plan, folder)
    for command, objects in list_outputs(RECORDS, case).items():
        (folder / HOST / f"{command}.out").write_text(json.dumps(objects), encoding="utf-8")
    return read_facts(folder)


def find_findings(case: Case, folder: Path) -> list[Finding]:
    plan, facts = plan_two_rails(case.scheme), read_bundle(case, folder)
    return [finding for finding in run(locate(plan, facts), facts) if finding.status not in (Status.PASS, Status.SKIP)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_decision_is_that_of_the_kernel(case: Case, tmp_path: Path) -> None:
    """`ip route get` of the same namespace."""
    plan = plan_two_rails(case.scheme)
    host = read_bundle(case, tmp_path / "bundle").devices[HOST]
    assert isinstance(host, Host)
    destination = ip_address(case.destination)
    nics = plan.hosts[HOST].nics
    sources = {rail: ip_interface(address).ip for rail in RAILS for address in nics[rail].addresses or ()}
    sources["no source"] = ip_address("0.0.0.0" if destination.version == 4 else "::")
    decisions = {}
    for name, source in sources.items():
        packet = Packet(source, destination, name if name in RAILS else "")
        entry = find_decision(host.rules, RoutingTables(host.routes), packet).entry
        assert entry is not None
        decisions[name] = ERRORS.get(entry.route.type or "") or format_hop(entry.route)
    assert decisions == {name: find_hop(text) for name, text in RECORDS[case.id]["decisions"].items()}


ERRORS = {
    "blackhole": "RTNETLINK answers: Invalid argument",
    "unreachable": "RTNETLINK answers: No route to host",
    "prohibit": "RTNETLINK answers: Permission denied",
}


def format_hop(route: Route) -> str:
    return f"via {route.gateway} dev {route.device}" if route.gateway else f"dev {route.device}"


def find_hop(answer: str) -> str:
    hop = re.search(r"(via \S+ )?dev \S+", answer)
    return hop[0] if hop else answer


@pytest.mark.slow
def test_findings(tmp_path: Path) -> None:
    """Healthy cases have none; a rail is judged by its own routes alone."""
    text = "\n".join(
        f"{case.id}\n" + "".join(map(format_finding, find_findings(case, tmp_path / str(number))))
        for number, case in enumerate(CASES)
    )
    if os.environ.get("WIRESPEED_ACCEPT"):
        FINDINGS.write_text(text, encoding="utf-8")
    assert text == FINDINGS.read_text(encoding="utf-8")


def format_finding(finding: Finding) -> str:
    lines = [
        f"{finding.status} {finding.check} {finding.place}: {finding.summary}",
        f"    expected {finding.expected}",
        f"    found {finding.found}",
        *(f"    only a warning: {reason}" for reason in finding.warning_reasons),
        *(f"    {sentence}" for sentence in dict.fromkeys(fix.sentence for fix in finding.fix)),
        *(
            f"      removes {fix.change.place}: {fix.change.setting} = {fix.change.value}"
            for fix in finding.fix
            if fix.change is not None and fix.change.removes
        ),
    ]
    return "".join(f"  {line}\n" for line in lines)
