"""The printed fix of a source rule: after its commands a kernel sends packets of the address through their rail."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from routing_cases import HOST, RAILS, Case, plan_two_rails
from test_routing_cases import list_commands, record

from needs import needs
from wirespeed import render
from wirespeed.checks import run
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan.locate import locate
from wirespeed.results.findings import Finding, Status

CASES = [  # the second rail's address is 10.1.0.3 with table 102, and rule 1002 is planned for it
    (
        "the rule of the printed configuration names the wrong table",
        ("rule del priority 1002", "rule add from 10.1.0.2/31 table 101 priority 0"),
        ["ip rule del from 10.1.0.2/31 priority 0", "ip rule add from 10.1.0.3/32 table 102 priority 1002"],
    ),
    (
        "a rule of another priority names the wrong table",
        ("rule del priority 1002", "rule add from 10.1.0.2/31 table 101 priority 5"),
        ["ip rule del from 10.1.0.2/31 priority 5", "ip rule add from 10.1.0.3/32 table 102 priority 1002"],
    ),
    (
        "two rules come first",
        (
            "rule del priority 1002",
            "rule add from 10.1.0.2/31 table 101 priority 0",
            "rule add to 10.1.0.0/16 table 101 priority 1",
            "rule add to 10.1.0.0/16 table 254 priority 1",
        ),
        [
            "ip rule del from 10.1.0.2/31 priority 0",
            "ip rule del from all to 10.1.0.0/16 priority 1",
            "ip rule del from all to 10.1.0.0/16 lookup 254 priority 1",
            "ip rule add from 10.1.0.3/32 table 102 priority 1002",
        ],
    ),
    (
        "the planned rule is present",
        ("rule add from 10.1.0.2/31 table 101 priority 0",),
        ["ip rule del from 10.1.0.2/31 priority 0"],
    ),
    (
        "nothing comes first",
        ("rule del priority 1002", "rule add from 10.1.0.2/31 table 101 priority 2000"),
        ["ip rule add from 10.1.0.3/32 table 102 priority 1002"],
    ),
]


def find_failures(case: Case, folder: Path) -> list[Finding]:
    """Findings of the second rail's rule, from what a kernel prints after the commands of the case."""
    plan = plan_two_rails(case.scheme)
    write_planned_bundle(plan, folder)
    for command, objects in record(case)["outputs"].items():
        (folder / HOST / f"{command}.out").write_text(json.dumps(objects), encoding="utf-8")
    facts = read_facts(folder)
    findings = run(locate(plan, facts), facts)
    return [
        finding
        for finding in findings
        if finding.check == "address.rule" and finding.status is Status.FAIL and finding.device == HOST
    ]


def find_interface(case: Case, commands: Sequence[str]) -> str:
    """The interface that a kernel chooses for the second rail's address, after further commands."""
    lines = ["set -e", *(f"ip {command}" for command in list_commands(case)), *commands]
    lines.append(f"ip -j route get {case.destination} from 10.1.0.3")
    text = subprocess.run(
        ["unshare", "-n", "bash"], input="\n".join(lines), capture_output=True, text=True, check=True
    ).stdout
    return str(json.loads(text)[0]["dev"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "commands", "expected"), CASES, ids=[case[0] for case in CASES])
def test_the_fix_leads_packets_through_their_rail(
    name: str, commands: tuple[str, ...], expected: list[str], tmp_path: Path
) -> None:
    needs("ip", "unshare", root=True)
    case = Case(name, commands, "10.1.0.9")
    (finding,) = find_failures(case, tmp_path / "before")
    fixes = [render.commands_for(plan_two_rails(case.scheme), HOST, fix.change) for fix in finding.fix if fix.change]
    fix_commands = list(dict.fromkeys(command for fix in fixes if fix is not None for command in fix.commands))
    assert fix_commands == expected
    assert find_interface(case, fix_commands) == RAILS[1]
    if "comes first" in (finding.found or ""):
        assert find_interface(case, ()) == RAILS[0]
    repaired = Case(name, (*commands, *(command.removeprefix("ip ") for command in fix_commands)), case.destination)
    assert find_failures(repaired, tmp_path / "after") == []
