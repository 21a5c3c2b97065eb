"""Labs that were killed or interrupted while they were built or removed: down leaves nothing."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from labs import EXAMPLES, TOOLS, name

from needs import needs
from wirespeed import lab, render
from wirespeed.cluster import read
from wirespeed.errors import Refusal
from wirespeed.lab import state
from wirespeed.plan import build

CLUSTER = EXAMPLES / "mi300x-4node" / "cluster.yaml"
LAB = "killed"
AT_S = [0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.045, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5]
"""When the blow falls, after the beginning. Wherever it finds the command, nothing may be left in the end."""


def design() -> lab.Design:
    plan = build(read(CLUSTER))
    hosts = lab.select_hosts(plan, 2)
    return lab.design(plan, name(LAB), hosts, render.files(plan, hosts), render.routing_daemons)


def interrupt(work: Callable[[], object], after_s: float, blow: signal.Signals) -> None:
    """Do something in another process, and strike that."""
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    time.sleep(after_s)
    os.kill(child, blow)
    os.waitpid(child, 0)


def find_remains() -> list[str]:
    """All there is of the lab: namespaces, files, mounts, processes."""
    prefix = f"wsl-{name(LAB)}-"
    remains = [path.name for path in Path("/run/netns").glob(f"{prefix}*")]
    remains += [str(path) for path in Path("/run/wirespeed/lab").glob(f"{name(LAB)}*")]
    remains += [line for line in Path("/proc/mounts").read_text().splitlines() if name(LAB) in line]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if prefix in command:
            remains.append(command)
    return remains


def remove() -> None:
    if name(LAB) in lab.names():
        lab.remove_lab(name(LAB))


@pytest.mark.lab
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_lab_whose_building_was_ended_is_removed(blow: signal.Signals) -> None:
    needs(*TOOLS, root=True)
    lab_design = design()
    for after_s in AT_S:
        interrupt(lambda: lab.up(lab_design, CLUSTER, lambda line: None), after_s, blow)
        remove()
        assert find_remains() == [], f"after {after_s} s"


@pytest.mark.lab
def test_a_lab_whose_removal_was_ended_is_removed() -> None:
    needs(*TOOLS, root=True)
    lab_design = design()
    for after_s in AT_S[:9]:
        lab.up(lab_design, CLUSTER, lambda line: None)
        interrupt(lambda: lab.remove_lab(lab_design.name), after_s, signal.SIGKILL)
        remove()
        assert find_remains() == [], f"after {after_s} s"


@pytest.mark.lab
def test_what_remains_is_no_lab_and_prevents_one() -> None:
    needs(*TOOLS, root=True)
    lab_design = design()
    interrupt(lambda: lab.up(lab_design, CLUSTER, lambda line: None), 0.1, signal.SIGKILL)
    if state.exists(name(LAB)):
        with pytest.raises(Refusal, match=f"wirespeed lab down {lab_design.name}"):
            lab.find(lab_design.name)
        with pytest.raises(Refusal, match=f"wirespeed lab down {lab_design.name}"):
            lab.up(lab_design, CLUSTER, lambda line: None)
    remove()
    assert find_remains() == []
