"""Two real FRR instances, configured as SONiC configures FRR from the rendered CONFIG_DB, exchange routes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from needs import find, needs
from netns.frrcfgd import format_configuration
from netns.network import Network
from wirespeed.platforms import platform
from wirespeed.platforms.templates import fill_template
from wirespeed.settings import BgpPeer, Port, Switch
from wirespeed.settings.routing import Bgp

_USER = "frr"  # of the daemons
_WITHIN_S = 60
_ADDRESSES = {"leaf": ("10.2.0.0/31", "2001:db8::/127"), "spine": ("10.2.0.1/31", "2001:db8::1/127")}
_LOOPBACKS = {"leaf": ("10.255.0.1/32", "2001:db8:255::1/128"), "spine": ("10.255.0.2/32", "2001:db8:255::2/128")}
_LINKS = ("Ethernet0", "Ethernet8")  # unnumbered, numbered


def build_switch(name: str, peer: str, asn: int, other_asn: int, has_ipv6: bool) -> Switch:
    """A switch with an unnumbered and a numbered session to the other."""
    neighbour = _ADDRESSES[peer][0].partition("/")[0]
    neighbour_v6 = _ADDRESSES[peer][1].partition("/")[0]
    ipv6 = {neighbour_v6: BgpPeer(other_asn, ipv6=True)} if has_ipv6 else {}
    return Switch(
        ports={
            "Ethernet0": Port(unnumbered=True),
            "Ethernet8": Port(addresses=_ADDRESSES[name]),
        },
        loopbacks=_LOOPBACKS[name],
        bgp=Bgp(
            asn,
            _LOOPBACKS[name][0].partition("/")[0],
            maximum_paths=4,
            multipath_relax=True,
            networks=_LOOPBACKS[name] if has_ipv6 else _LOOPBACKS[name][:1],
        ),
        peers={
            "Ethernet0": BgpPeer(other_asn, unnumbered=True, ipv4=True),
            neighbour: BgpPeer(other_asn, ipv4=True),
            **ipv6,
        },
    )


def render_tables(name: str, switch: Switch) -> dict[str, Any]:
    """The rendered CONFIG_DB."""
    return json.loads(fill_template(platform("switch", "sonic"), "wirespeed.json.j2", name, switch))  # type: ignore[no-any-return]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the daemons' user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def running_pair(tables: dict[str, dict[str, Any]], reads_up: bool, folder: Path) -> Iterator[Network]:
    """Both switches as namespaces with two links, each with zebra and bgpd."""
    daemons: list[subprocess.Popen[bytes]] = []
    with Network(f"sonic{os.getpid()}") as network:
        for name in _ADDRESSES:
            network.add(name)
        leaf, spine = map(network.namespace, _ADDRESSES)
        for link in _LINKS:
            command = ["ip", "-n", leaf, "link", "add", link, "type", "veth", "peer", "name", link, "netns", spine]
            subprocess.run(command, check=True)
        try:
            for name, addresses in _ADDRESSES.items():
                network.batch(
                    name,
                    *(f"link set {link} up" for link in _LINKS),
                    *(f"address add {address} dev Ethernet8" for address in addresses),
                    *(f"address add {address} dev lo" for address in _LOOPBACKS[name]),
                )
                daemons += start_daemons(network, name, folder, format_configuration(tables[name], reads_up))
            yield network
        finally:
            for daemon in daemons:
                daemon.kill()
                daemon.wait()


def start_daemons(
    network: Network, name: str, folder: Path, configuration: str, unnumbered: Iterable[str] = ("Ethernet0",)
) -> list[subprocess.Popen[bytes]]:
    """Zebra and bgpd of a switch, with sockets in a separate folder."""
    home = folder / name
    home.mkdir()
    shutil.chown(home, _USER, _USER)
    # Both start together, and the first attempts fail: the next would be 120 s later.
    configuration = re.sub(r"( neighbor \S+) .*remote-as .*", r"\g<0>\n\g<1> timers connect 1", configuration)
    texts = {
        "zebra": "".join(f"interface {port}\n ipv6 nd ra-interval 1\nexit\n" for port in unnumbered),
        "bgpd": configuration,
    }
    processes = []
    for daemon, text in texts.items():
        (home / f"{daemon}.conf").write_text(text)
        options = ["-z", f"{home}/zserv.api", "--vty_socket", str(home), "-P", "0"]
        options += ["-i", f"{home}/{daemon}.pid", "-f", f"{home}/{daemon}.conf", "--log", f"file:{home}/{daemon}.log"]
        command = ["ip", "netns", "exec", network.namespace(name), str(find(daemon)), *options]
        processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        assert wait_until((home / "zserv.api").exists), f"{daemon}: {(home / 'zebra.log').read_text()}"
    return processes


def wait_until(holds: Any) -> bool:
    """Whether it holds before the time is over."""
    end = time.monotonic() + _WITHIN_S
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def learnt(network: Network, name: str, family: str, source: str) -> bool:
    """Whether the kernel of a switch has a route by BGP to a loopback of the other."""
    command = ["ip", family, "-n", network.namespace(name), "-json", "route", "show", "proto", "bgp"]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return any(route["dst"] == source.partition("/")[0] for route in json.loads(output or "[]"))


@pytest.mark.parametrize(("release", "has_ipv6"), [("202411", False), ("202505", True)])
def test_routes_are_exchanged(release: str, has_ipv6: bool, folder: Path) -> None:
    needs("ip", "zebra", "bgpd", root=True)
    switches = {
        "leaf": build_switch("leaf", "spine", 65001, 65100, has_ipv6),
        "spine": build_switch("spine", "leaf", 65100, 65001, has_ipv6),
    }
    tables = {name: render_tables(name, replace(switch, os_version=release)) for name, switch in switches.items()}
    with running_pair(tables, release >= "202505", folder) as network:
        for name, peer in (("leaf", "spine"), ("spine", "leaf")):
            assert wait_until(lambda: learnt(network, name, "-4", _LOOPBACKS[peer][0])), f"{name}: no IPv4 route"  # noqa: B023
            if has_ipv6:
                assert wait_until(lambda: learnt(network, name, "-6", _LOOPBACKS[peer][1])), f"{name}: no IPv6"  # noqa: B023


def test_without_a_policy_no_route_is_learnt(folder: Path) -> None:
    """FRR's default, which the rendered filters answer: the sessions come up, and nothing is exchanged."""
    needs("ip", "zebra", "bgpd", root=True)
    tables = {
        "leaf": render_tables("leaf", build_switch("leaf", "spine", 65001, 65100, False)),
        "spine": render_tables("spine", build_switch("spine", "leaf", 65100, 65001, False)),
    }
    for database in tables.values():
        database["BGP_NEIGHBOR_AF"] = {}
    with running_pair(tables, True, folder) as network:
        show = ["vtysh", "--vty_socket", str(folder / "leaf"), "-c", "show bgp summary json"]

        def is_established() -> bool:
            peers = json.loads(subprocess.run(show, capture_output=True, text=True, check=False).stdout or "{}")
            states = [peer["state"] for peer in peers.get("ipv4Unicast", {}).get("peers", {}).values()]
            return states == ["Established", "Established"] or states.count("Established") == len(_LINKS)

        assert wait_until(is_established)
        time.sleep(2)
        assert not learnt(network, "leaf", "-4", _LOOPBACKS["spine"][0])
