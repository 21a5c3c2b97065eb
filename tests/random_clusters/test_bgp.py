"""SONiC switches of random clusters: FRR reads what SONiC makes of their CONFIG_DB, and two of them exchange routes.

What SONiC makes of it is `netns/frrcfgd.py`, after SONiC's own templates and key maps.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from needs import find, needs
from netns.frrcfgd import format_configuration
from netns.network import Network
from netns.test_sonic_bgp import folder, learnt, start_daemons, wait_until
from random_clusters.generator import SEEDS, make_cluster
from wirespeed import render
from wirespeed.plan import Plan

pytestmark = pytest.mark.random

__all__ = ["folder"]
_STATUS_READ_SINCE = "202505"  # SONiC's frrcfgd reads admin_status "up"
FABRICS = (13, 52, 70, 88)
"""Seeds whose leaves and spines run SONiC: unnumbered and numbered, with BFD, releases before and after 202505."""


def format_switch(plan: Plan, name: str) -> str:
    """FRR's configuration on a switch."""
    (text,) = (file.text for file in render.files(plan, [name]) if file.path.endswith("/wirespeed.json"))
    tables: dict[str, Any] = json.loads(text)
    release = plan.switches[name].os_version
    return format_configuration(tables, release is None or release >= _STATUS_READ_SINCE)


def list_speakers(plan: Plan) -> list[str]:
    """Switches that run SONiC and have sessions."""
    return [name for name, switch in plan.switches.items() if switch.os == "sonic" and switch.peers]


def test_frr_accepts_every_configuration(folder: Path) -> None:
    needs("bgpd", root=True)  # it reads the file as another user
    texts = {
        f"{seed} {name}": format_switch(plan, name)
        for seed in SEEDS
        for plan in (make_cluster(seed).plan,)
        for name in list_speakers(plan)
    }
    assert len(texts) > 10
    assert {name: problems for name, text in texts.items() if (problems := read_configuration(text, folder))} == {}


def test_frr_names_an_unknown_command(folder: Path) -> None:
    needs("bgpd", root=True)
    (line,) = read_configuration("router bgp 65001\n no such command\n", folder)
    assert line.endswith("No such command on config line 2:  no such command")


def read_configuration(text: str, folder: Path) -> list[str]:
    """The lines that bgpd refuses; without zebra it reports more, and its exit code is 0 in any case."""
    (folder / "bgpd.conf").write_text(text)
    command = [str(find("bgpd")), "-C", "-f", str(folder / "bgpd.conf")]
    process = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line for line in (process.stdout + process.stderr).splitlines() if "on config line" in line]


def list_links(plan: Plan, names: tuple[str, str]) -> Iterator[tuple[str, str]]:
    """The ports of the cables between two switches."""
    for cable in plan.cables:
        ports = {end.device: end.port for end in (cable.a, cable.b)}
        if set(ports) == set(names):
            yield ports[names[0]], ports[names[1]]


@contextlib.contextmanager
def running_switches(plan: Plan, names: tuple[str, str], home: Path) -> Iterator[Network]:
    """Two switches as namespaces with the planned cables between them, each with zebra and bgpd."""
    daemons: list[subprocess.Popen[bytes]] = []
    with Network() as network:
        for name in names:
            network.add(name)
        first, second = map(network.namespace, names)
        links = list(list_links(plan, names))
        for port, far_port in links:
            command = [
                "ip",
                "-n",
                first,
                "link",
                "add",
                port,
                "type",
                "veth",
                "peer",
                "name",
                far_port,
                "netns",
                second,
            ]
            subprocess.run(command, check=True)
        try:
            for name, ports in zip(names, zip(*links, strict=True), strict=True):
                switch = plan.switches[name]
                network.batch(
                    name,
                    *(f"link set {port} up" for port in ports),
                    *(
                        f"address add {address} dev {port}"
                        for port in ports
                        for address in switch.ports[port].addresses or ()
                    ),
                    *(f"address add {address} dev lo" for address in switch.loopbacks or ()),
                )
                daemons += start_daemons(network, name, home, format_switch(plan, name), ports)
            yield network
        finally:
            for daemon in daemons:
                daemon.kill()
                daemon.wait()


@pytest.mark.parametrize("seed", FABRICS)
def test_two_switches_exchange_routes(seed: int, folder: Path) -> None:
    needs("ip", "zebra", "bgpd", root=True)
    plan = make_cluster(seed).plan
    speakers = list_speakers(plan)
    names = next((a, b) for a in speakers for b in speakers if a < b and list(list_links(plan, (a, b))))
    with running_switches(plan, names, folder) as network:
        for name, peer in (names, names[::-1]):
            (loopback, *_) = plan.switches[peer].loopbacks or ()
            assert wait_until(lambda: learnt(network, name, "-4", loopback)), f"{name}: no route to {peer}"  # noqa: B023
