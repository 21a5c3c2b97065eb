"""A lab of two machines for tests, gone afterwards; where its kernel comes from."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from labs import EXAMPLES, TOOLS, name

from needs import needs
from wirespeed import lab, render
from wirespeed.cluster import read
from wirespeed.lab.rdma import build as machines
from wirespeed.plan import Plan, build
from wirespeed.reach import CommandResult, Status

CLUSTER = EXAMPLES / "mi300x-4node" / "cluster.yaml"
EMULATOR = ("qemu-system-x86_64", "busybox", "modprobe", "ssh", "ssh-keygen", "sshd", "rdma")
_LIMIT_S = 1800  # an emulated processor may have to wait for a real one
_PYTHON = Path(lab.__file__).parents[2]


@contextlib.contextmanager
def built(part: str, keep: Path) -> Iterator[tuple[Plan, lab.Lab]]:
    """Two machines and their leaf."""
    needs(*TOOLS, *EMULATOR, root=True)
    plan = build(read(CLUSTER))
    hosts = lab.select_hosts(plan, 2)
    files = render.files(plan, hosts)
    built_lab = machines.up(
        plan, name(part), hosts, files, render.routing_daemons, CLUSTER, lambda line: None, keep=keep
    )
    try:
        yield plan, built_lab
    finally:
        lab.remove_lab(built_lab.name)


def ran(built_lab: lab.Lab, host: str, *arguments: str) -> CommandResult:
    """What became of a command in a machine."""
    return built_lab.run(host, *arguments, timeout_s=_LIMIT_S)


def run_checked(built_lab: lab.Lab, host: str, *arguments: str) -> str:
    """What a command in a machine prints, where it must succeed."""
    result = ran(built_lab, host, *arguments)
    assert result.status is Status.OK, result
    return result.stdout.decode()


def wirespeed(built_lab: lab.Lab, host: str, *arguments: str) -> CommandResult:
    """What became of our own program in a machine, which sees this Python as it sees all files."""
    return ran(built_lab, host, "env", f"PYTHONPATH={_PYTHON}", sys.executable, "-m", "wirespeed", *arguments)


def counters(built_lab: lab.Lab, host: str) -> dict[str, dict[str, int]]:
    """RDMA counters of a machine by device."""
    links = json.loads(run_checked(built_lab, host, "rdma", "-j", "statistic", "show"))
    return {link["ifname"]: link for link in links}
