"""Status of a lab after a change in it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from labs import built
from rich.console import Console

from wirespeed import lab
from wirespeed.errors import Problem, Refusal
from wirespeed.lab import readiness, state
from wirespeed.lab.processes import list_processes
from wirespeed.report import lab as report
from wirespeed.results.lab import Phase

CLUSTER = "mi300x-4node/cluster.yaml"


@pytest.fixture
def small_lab() -> Iterator[lab.Lab]:
    """One host and its leaf."""
    with built(CLUSTER, 1, "status") as (_, built_lab):
        yield built_lab


def status_lines(built_lab: lab.Lab) -> list[str]:
    stream = io.StringIO()
    report.table(lab.status(built_lab.name), Console(file=stream, width=120))
    return [" ".join(line.split()) for line in stream.getvalue().splitlines()]


def test_as_built_then_changed(small_lab: lab.Lab) -> None:
    assert lab.status(small_lab.name).whole
    namespace = small_lab.namespace("node1")
    before = status_lines(small_lab)
    assert before[0].endswith(f"up since {small_lab.state.started}; 8 of 8 links up")
    assert before[2] == f"node1 host {namespace} systemd-networkd 32 of 32"
    assert before[5] == "node1:enp29s0np0 leaf1:Eth1/1 (Eth1-1) 1 up 9000 | 9100"

    (daemon,) = list_processes([namespace])
    os.kill(daemon, signal.SIGKILL)
    for line in ("link set dev Eth1-2 down", "link set dev Eth1-3 mtu 1500"):
        subprocess.run(["ip", "-n", small_lab.namespace("leaf1"), *line.split()], check=True)
    for line in ("rule delete priority 1001", "address flush dev enp105s0np0"):
        subprocess.run(["ip", "-n", namespace, *line.split()], check=True)

    after = status_lines(small_lab)
    assert after[0].endswith("7 of 8 links up")
    # With the address go both routes that have it as their source.
    assert after[2] == f"node1 host {namespace} not running: systemd-networkd 28 of 32"
    assert after[6] == "node1:enp67s0np0 leaf1:Eth1/2 (Eth1-2) 2 no carrier | down 9000 | 9100"
    assert after[7] == "node1:enp86s0np0 leaf1:Eth1/3 (Eth1-3) 3 up 9000 | 1500"
    assert after[-4:] == [
        "node1: missing address 10.1.0.7/31 dev enp105s0np0",
        "node1: missing route default via 10.1.0.6 dev enp105s0np0 table 104",
        "node1: missing route 10.1.0.0/26 via 10.1.0.6 dev enp105s0np0 table main",
        "node1: 1 more missing",
    ]
    assert "rule from 10.1.0.1/32 lookup 101 priority 1001" in lab.status(small_lab.name).devices[0].missing


def test_a_device_whose_namespace_was_removed(small_lab: lab.Lab) -> None:
    subprocess.run(["ip", "netns", "delete", small_lab.namespace("leaf1")], check=True)
    device = lab.status(small_lab.name).devices[1]
    assert (device.exists, device.whole, len(device.missing)) == (False, False, 8)
    assert "leaf1 switch wsl-" in status_lines(small_lab)[3]


@pytest.mark.slow
def test_the_command_states_it_as_json_and_by_its_exit_code(small_lab: lab.Lab) -> None:
    command = [sys.executable, "-m", "wirespeed", "lab", "status", small_lab.name, "--format", "json"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    document = json.loads(process.stdout)
    assert (process.returncode, document["kind"], document["labs"][0]["name"]) == (0, "lab-status", small_lab.name)
    subprocess.run(["ip", "-n", small_lab.namespace("leaf1"), "link", "set", "dev", "Eth1-2", "down"], check=True)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def test_a_lab_that_goes_meanwhile_is_no_mistake(small_lab: lab.Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    one_writer = threading.Lock()  # status reads the devices in threads

    def goes(*_: object) -> set[str]:
        with one_writer:
            state.save(replace(small_lab.state, phase=Phase.LEAVING))
        raise Refusal([Problem("node1", "ip -batch: killed", "addresses, routes and rules of a namespace")])

    monkeypatch.setattr(readiness, "list_configured_lines", goes)
    lab_status = lab.status(small_lab.name)
    assert (lab_status.whole, {device.exists for device in lab_status.devices}) == (False, {False})
    assert {link.a.state for link in lab_status.links} == {"gone"}


def test_no_such_lab_is_refused() -> None:
    with pytest.raises(Refusal, match="no lab 'nowhere'"):
        lab.status("nowhere")
