"""Labs that tests build: with separate names, and removed afterwards in any case."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from needs import needs
from wirespeed import lab, render
from wirespeed.cluster import read
from wirespeed.plan import Plan, build

EXAMPLES = Path(__file__).parents[2] / "examples"
ROUTERS = ("zebra", "bgpd", "bfdd")
TOOLS = ("netplan", "ip", "ping", "networkd", "unshare")


def name(part: str) -> str:
    """A lab's name that no other test run on this machine has."""
    return f"test{os.getpid()}{part}"


@contextlib.contextmanager
def built(cluster: str | Path, hosts: int, part: str = "", daemons: bool = True) -> Iterator[tuple[Plan, lab.Lab]]:
    """A lab of the first hosts of an example, or of another cluster file."""
    needs(*TOOLS, root=True)
    plan = build(read(EXAMPLES / cluster))
    chosen = lab.select_hosts(plan, hosts)
    design = lab.design(
        plan, name(part), chosen, render.files(plan, chosen), render.routing_daemons if daemons else None
    )
    built_lab = lab.up(design, EXAMPLES / cluster, lambda line: None)
    try:
        yield plan, built_lab
    finally:
        lab.remove_lab(built_lab.name)
