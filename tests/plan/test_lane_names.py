"""Split ports of systems that name a port's members by their first lane: the speed with its lanes splits the port."""

from __future__ import annotations

import pytest

from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.platforms import platform
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Switch

CLUSTER = """version: 1
name: split
hosts:
  node[1-{hosts}]: {{model: dell-r740-xeon-5218, os: ubuntu-22.04, nics: 1 x {nic}}}
switches:
  leaf1: {{model: {model}, os: eos, role: leaf, breakout: {breakout}}}
cabling: {{pattern: by-host, length: 3 m}}
addresses: {{scheme: link-31, pool: 10.1.0.0/16}}
"""


def build_leaf(model: str, breakout: int, nic: str, hosts: int = 3) -> Switch:
    text = CLUSTER.format(model=model, breakout=breakout, nic=nic, hosts=hosts)
    return build(read_text(text, "file.yaml")).switches["leaf1"]


@pytest.mark.parametrize(
    ("model", "breakout", "nic", "ports", "speed"),
    [  # names as in sonic-buildimage, device/arista, platform.json, breakout_modes
        (
            "arista-7060dx4-32",
            2,
            "broadcom-bcm957508-p1200g",
            ("Ethernet1/1", "Ethernet1/5", "Ethernet2/1"),
            "200g-4",
        ),
        (
            "arista-7060dx4-32",
            4,
            "broadcom-bcm957504-n1100g",
            ("Ethernet1/1", "Ethernet1/3", "Ethernet1/5"),
            "100g-2",
        ),
        (
            "arista-7060dx5-64s",
            4,
            "broadcom-bcm957504-n1100g",
            ("Ethernet1/1", "Ethernet1/3", "Ethernet1/5"),
            "100g-2",
        ),
        ("arista-7050cx3-32s", 4, "broadcom-bcm957504-p425g", ("Ethernet1/1", "Ethernet1/2", "Ethernet1/3"), "25g"),
    ],
)
def test_members_of_a_port_are_named_by_their_first_lane(
    model: str, breakout: int, nic: str, ports: tuple[str, ...], speed: str
) -> None:
    leaf = build_leaf(model, breakout, nic)
    assert tuple(leaf.ports)[:3] == ports
    text = fill_template(platform("switch", "eos"), "startup.j2", "leaf1", leaf)
    lines = [line.strip() for line in text.splitlines() if line.startswith(("interface Ethernet", "   speed"))]
    assert lines[:6] == [line for port in ports for line in (f"interface {port}", f"speed {speed}")]


@pytest.mark.parametrize(
    ("model", "breakout", "expected"),
    [
        ("arista-7060dx4-32", 8, "found a breakout of 8 on arista-7060dx4-32; expected one of 2, 4"),
        (
            "arista-7060cx2-32s",
            4,
            "found a breakout of 4 on arista-7060cx2-32s; expected no breakout: the catalogue does not contain the"
            " breakouts of this model\n  hint: remove `breakout`; `wirespeed list switches` lists the breakouts of each"
            " model",
        ),
    ],
)
def test_a_breakout_that_no_source_confirms_is_refused(model: str, breakout: int, expected: str) -> None:
    with pytest.raises(Refusal) as refusal:
        build_leaf(model, breakout, "broadcom-bcm957508-p1200g")
    assert [str(problem).partition(": ")[2] for problem in refusal.value.problems] == [expected]
