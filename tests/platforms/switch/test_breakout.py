"""Ports of the front panel that are split, on Enterprise SONiC."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from platforms.round_trip import answers, build_facts, find_losses
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.platforms import platform
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import Place, Port, Switch

EXAMPLE = Path(__file__).parents[3] / "examples" / "bluebonnet-64node" / "cluster.yaml"
SONIC = platform("switch", "enterprise-sonic")
PORT = Place("leaf1").child("port", "Eth1/2/3")


@cache
def leaf() -> Switch:
    """The leaf of the example: 16 of its ports have a breakout into four."""
    return build(read(EXAMPLE)).switches["leaf1"]


def test_every_split_port_is_split_once_and_read_back() -> None:
    text = fill_template(SONIC, "startup.j2", "leaf1", leaf())
    split = [line for line in text.splitlines() if line.startswith("interface breakout")]
    assert split == [f"interface breakout port 1/{panel} mode 4x100G" for panel in range(1, 17)]
    assert find_losses(SONIC, "leaf1", leaf()) == []


def test_another_split_is_a_difference_and_a_missing_one_unknown() -> None:
    answer_texts = answers(SONIC, "leaf1", leaf())
    config = answer_texts.outputs["running-config"]
    line = "interface breakout port 1/2 mode 4x100G"
    assert line in config.text
    for new, expected in (("interface breakout port 1/2 mode 2x200G", 2), ("!", None)):
        changed_plan = replace(
            answer_texts,
            outputs={**answer_texts.outputs, "running-config": replace(config, text=config.text.replace(line, new))},
        )
        assert build_facts(SONIC, changed_plan).value(PORT, "port.breakout") == expected


@pytest.mark.parametrize(("name", "port"), [("Eth1/2", Port(breakout=4)), ("Eth1/2/3", Port())])
def test_a_split_and_the_name_of_its_ports_belong_together(name: str, port: Port) -> None:
    with pytest.raises(Refusal, match=f"leaf1 {name}: port.breakout"):
        fill_template(SONIC, "startup.j2", "leaf1", replace(leaf(), ports={name: port}))
