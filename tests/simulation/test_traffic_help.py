"""``wirespeed sim run --help`` lists all keys of a traffic file, and its example is valid."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from planned_scenarios import traffic
from small_scenarios import wirespeed

from wirespeed.simulation.faults.settings import SIMULATED
from wirespeed.simulation.workload.fault_entries import KINDS
from wirespeed.simulation.workload.file import HostPipe, Pattern, Protocol, read_traffic


@pytest.fixture(scope="module")
def text() -> str:
    return wirespeed("--help").stdout


def test_the_file_is_one(text: str, tmp_path: Path) -> None:
    text, _, _ = text[text.index("    version: 1\n") :].partition("\n\n")
    read = read_traffic(traffic(tmp_path, text))
    assert {entry.pattern for entry in read.entries} == set(Pattern)
    assert {entry.protocol for entry in read.entries} >= {Protocol.RDMA, Protocol.TCP}
    assert read.host_pipe is not None
    assert read.host_pipe.model_fields_set == set(HostPipe.model_fields)


def test_every_fault_is_named(text: str) -> None:
    words = set(re.findall(r"[a-z-]+", text))
    assert {get_args(kind.model_fields["kind"].annotation)[0] for kind in KINDS} <= words


def test_the_settings_are_some_that_are_simulated(text: str) -> None:
    matches = re.findall(r"\b(?:switch|port|queue|nic|pcie)\.[a-z_]+(?:\.[a-z_]+)*", text)
    assert len(matches) == 5
    assert set(matches) <= set(SIMULATED)
