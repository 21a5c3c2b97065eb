"""What a kernel prints and decides for the routes of tests/checks/routing_cases.py."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from routing_cases import (
    CASES,
    HOST,
    MANAGEMENT,
    RAILS,
    RECORD,
    Case,
    find_first_case,
    list_outputs,
    load_record,
    plan_two_rails,
)

from needs import needs
from wirespeed.settings import split_route_name

_OUTPUTS = {
    "ip-rule": "-4 rule",
    "ip-route": "-4 route show table all",
    "ip-rule-6": "-6 rule",
    "ip-route-6": "-6 route show table all",
}


def list_commands(case: Case) -> Iterator[str]:
    """Commands of `ip` for the plan and the case: the link of each rail ends in the same namespace."""
    host = plan_two_rails(case.scheme).hosts[HOST]
    yield "link set lo up"
    for index, name in enumerate((*RAILS, "mgmt")):
        yield f"link add {name} type veth peer name far{index}"
        yield f"link set far{index} addrgenmode none"
        yield f"link set {name} addrgenmode none"
        yield f"link set far{index} up"
        yield f"link set {name} up"
    for name in RAILS:
        yield from (f"address add {address} dev {name} nodad" for address in host.nics[name].addresses or ())
    yield from MANAGEMENT
    for name, route in sorted(host.routes.items(), key=lambda member: bool(member[1].gateway)):
        table, destination = split_route_name(name)
        hop = f"via {route.gateway}" if route.gateway else "scope link"
        metric = "" if route.metric is None else f" metric {route.metric}"
        yield f"route add {destination} {hop} dev {route.device} table {table} src {route.source}{metric}"
    for name, rule in host.rules.items():
        yield f"{'-6 ' if ':' in name else ''}rule add {name} lookup {rule.table} priority {rule.priority}"
    yield from case.commands


def record(case: Case) -> dict[str, Any]:
    """Outputs of the host of a case, and the decision for its destination: by rail, and without a source address."""
    version = "-6" if ":" in case.destination else "-4"
    sources = [address.partition("/")[0] for address in list_addresses(case)]
    questions = [f"{version} -o route get {case.destination} from {source}" for source in sources]
    questions.append(f"{version} -o route get {case.destination}")
    lines = ["set -e", *(f"ip {command}" for command in list_commands(case))]
    for command in (*(f"-j -N {output}" for output in _OUTPUTS.values()), *questions):
        lines += [f"ip {command} 2>&1 || :", "echo =end="]
    text = subprocess.run(
        ["unshare", "-n", "bash"], input="\n".join(lines), capture_output=True, text=True, check=True
    ).stdout
    answers = [part.strip() for part in text.split("=end=\n")]
    outputs = dict(zip(_OUTPUTS, (json.loads(answer or "[]") for answer in answers), strict=False))
    outputs["ip-route-6"].sort(key=rank_multicast_route)
    decisions = [" ".join(answer.split("cache")[0].rstrip("\\ ").split()) for answer in answers[len(_OUTPUTS) : -1]]
    return {"outputs": outputs, "decisions": dict(zip((*RAILS, "no source"), decisions, strict=True))}


def rank_multicast_route(route: dict[str, Any]) -> int:
    """Order of a route: those of ff00::/8, which a kernel lists last, by link, not by the time of its carrier."""
    links = [link for index, name in enumerate((*RAILS, "mgmt")) for link in (name, f"far{index}")]
    return 1 + links.index(route["dev"]) if route["dst"] == "ff00::/8" else 0


def list_addresses(case: Case) -> list[str]:
    nics = plan_two_rails(case.scheme).hosts[HOST].nics
    return [address for name in RAILS for address in nics[name].addresses or ()]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_kernel_prints_and_decides_as_recorded(case: Case) -> None:
    needs("ip", "unshare", root=True)
    recorded, case_record = load_record(), record(case)
    if os.environ.get("WIRESPEED_ACCEPT"):
        planned = case_record if case == find_first_case(case) else recorded[find_first_case(case).id]
        outputs = {
            name: objects
            for name, objects in case_record["outputs"].items()
            if planned is case_record or objects != planned["outputs"][name]
        }
        recorded[case.id] = {**case_record, "outputs": outputs}
        names = [entry.id for entry in CASES]
        RECORD.write_text(format_record({name: recorded[name] for name in names if name in recorded}), encoding="utf-8")
    assert {**recorded[case.id], "outputs": list_outputs(recorded, case)} == case_record


def format_record(record: dict[str, Any]) -> str:
    """JSON with a line for each rule and route."""
    cases = []
    for name, entry in record.items():
        outputs = [
            f"   {json.dumps(key)}: [\n    " + ",\n    ".join(map(json.dumps, objects)) + "]"
            if objects
            else f"   {json.dumps(key)}: []"
            for key, objects in entry["outputs"].items()
        ]
        decisions = [f"   {json.dumps(key)}: {json.dumps(value)}" for key, value in entry["decisions"].items()]
        cases.append(
            f' {json.dumps(name)}: {{\n  "outputs": {{\n'
            + ",\n".join(outputs)
            + '},\n  "decisions": {\n'
            + ",\n".join(decisions)
            + "}}"
        )
    return "{\n" + ",\n".join(cases) + "\n}\n"
