"""What no platform of a device can configure is refused by its place and name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.cluster import read, read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build
from wirespeed.render import check, files
from wirespeed.settings import Link

EXAMPLE = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster-eos.yaml"


def plan_with_odd_leaf() -> Plan:
    """The EOS example with a port that is to be split, for which its platform has no commands."""
    plan = build(read(EXAMPLE), load())
    leaf = plan.switches["leaf1"]
    name, port = next(iter(leaf.ports.items()))
    odd = replace(leaf, ports={**leaf.ports, name: replace(port, link=Link(autonegotiation=False))})
    return replace(plan, switches={"leaf1": odd})


@pytest.mark.parametrize("ask", [check, lambda plan: list(files(plan, ["leaf1"]))], ids=["check", "files"])
def test_a_setting_without_commands_is_refused(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(Refusal) as caught:
        ask(plan_with_odd_leaf())
    (problem,) = caught.value.problems
    assert problem.location.endswith("leaf1:Ethernet1/1")
    assert problem.found == "port.link.autonegotiation = false"
    assert problem.expected == "no value: Arista EOS cannot configure it"
    assert problem.hint == (
        "leave it out of the cluster file, or use a device that supports it; "
        "`wirespeed explain port.link.autonegotiation` shows its meaning"
    )


def test_a_setting_that_the_system_has_but_wirespeed_does_not_render_is_not_denied() -> None:
    """EOS has `qos map cos`; a port trusts DSCP or CoS."""
    text = EXAMPLE.read_text()
    assert "strict: true" in text
    with pytest.raises(Refusal) as caught:
        check(build(read_text(text.replace("strict: true", "strict: true, dot1p: true"), "cluster.yaml"), load()))
    problem = next(problem for problem in caught.value.problems if "dot1p" in problem.found)
    assert problem.expected == "no value: wirespeed does not configure it on Arista EOS"
    assert problem.hint is not None and "a port trusts DSCP or CoS, never both" in problem.hint


def test_values_are_as_in_a_cluster_file() -> None:
    text = EXAMPLE.read_text().replace("congestion: dcqcn-p", "nic: {buffer: 1}")
    with pytest.raises(Refusal, match=r"found nic.qos.priority_buffer = 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:0; expected no "):
        check(build(read_text(text, "cluster.yaml"), load()))


def test_other_devices_are_not_collected() -> None:
    assert list(files(plan_with_odd_leaf(), ["node1"]))
