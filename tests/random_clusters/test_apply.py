"""apply.sh and rollback.sh of random clusters, run on a host with a real systemd, netplan, networkd or NetworkManager.

Its interfaces are virtual and it has no PCIe device, so units that write to NICs and bridges fail; nothing else may.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from needs import needs
from netns.machine import TOOLS, Machine
from random_clusters.generator import make_cluster
from wirespeed import render
from wirespeed.settings import Host, split_route_name

pytestmark = pytest.mark.random

NETWORKD, NETWORK_MANAGER = "systemd-networkd.service", "NetworkManager.service"
SAMPLE = {
    9: ("/etc/netplan/60-wirespeed.yaml", NETWORKD),
    42: ("/etc/netplan/60-wirespeed.yaml", NETWORKD),
    57: ("/etc/netplan/60-wirespeed.yaml", NETWORKD),
    90: ("/etc/systemd/network/05-wirespeed-", NETWORKD),
    74: ("/etc/NetworkManager/system-connections/wirespeed-", NETWORK_MANAGER),
    94: ("/etc/NetworkManager/system-connections/wirespeed-", NETWORK_MANAGER),
}
"""Seeds, with the file of the network and the service that reads it: IPv4 and IPv6, a subnet for each link or leaf."""
HARDWARE = re.compile(r"apply\.sh: /usr/local/sbin/wirespeed-(acs|congestion|dcb|dscp|mlx5|tune) is not active yet: .*")
REMOVED = re.compile(r'Removed "/etc/systemd/system/[^/]*\.service"\.')
"""What systemctl reports when a unit is no longer masked."""
FILES = r"find /etc /usr/local \( -type f -o -type l \) -exec md5sum {} + 2>/dev/null | sort -k 2"


def list_differences(host: Host, machine: Machine) -> list[str]:
    """What of addresses, MTU, rules, routes and kernel parameters of the network is not as planned."""
    network = machine.read_network()
    differences = []
    for name, nic in host.nics.items():
        planned_link = (nic.link.mtu, sorted(nic.addresses or ()))
        if network["links"][name] != planned_link:
            differences.append(f"{name}: planned {planned_link}, found {network['links'][name]}")
    for key, route in host.routes.items():
        table, destination = split_route_name(key)
        prefix = "default" if destination in ("0.0.0.0/0", "::/0") else destination
        text = f"{'main' if table == '254' else table} {prefix} {route.gateway or ''} {route.device}"
        if text not in network["routes"]:
            differences.append(f"no route {text}")
    for key, rule in host.rules.items():
        source = key.removeprefix("from ").partition("/")[0]
        if f"{rule.priority} from {source} table {rule.table}" not in network["rules"]:
            differences.append(f"no rule {key} to table {rule.table}")
    for name, parameter in host.sysctls.items():
        # Socket buffers of all hosts of a kernel are those of its first namespace, and read-only in this one.
        if machine.run("test", "-w", f"/proc/sys/{name.replace('.', '/')}").returncode != 0:
            continue
        process = machine.run("sysctl", "-n", name)
        if (
            name.startswith("net.")
            and process.returncode == 0
            and process.stdout.split() != str(parameter.value).split()
        ):
            differences.append(f"{name}: planned {parameter.value}, found {process.stdout.strip()}")
    return differences


@pytest.mark.parametrize("seed", SAMPLE)
def test_apply_configures_the_host_and_rollback_restores_it(seed: int, tmp_path: Path) -> None:
    needs(*TOOLS, "nmcli", root=True)
    plan = make_cluster(seed).plan
    name, host = next(iter(plan.hosts.items()))
    files = list(render.files(plan, [name]))
    path, service = SAMPLE[seed]
    assert any(file.path.startswith(path) for file in files), "the generator has changed: choose other seeds"
    render.write(files, tmp_path / "out", plan.name)
    with Machine(tmp_path / "out" / name, host.nics, service) as machine:
        network, contents = machine.read_network(), machine.check("sh", "-c", FILES)
        apply = machine.run("sh", "/rendered/apply.sh", "--yes")
        failures = [line for line in apply.stderr.splitlines() if line.startswith("apply.sh: ")]
        assert [line for line in failures if not HARDWARE.fullmatch(line)] == []
        assert apply.returncode == (1 if failures else 0)
        machine.wait(lambda: not list_differences(host, machine))
        assert list_differences(host, machine) == []
        rollback = machine.run("sh", "/rendered/rollback.sh", "--yes")
        unexpected = [line for line in rollback.stderr.splitlines() if not REMOVED.fullmatch(line)]
        assert (rollback.returncode, unexpected) == (0, [])
        machine.wait(lambda: _without_mtu(machine.read_network()) == _without_mtu(network))
        assert _without_mtu(machine.read_network()) == _without_mtu(network)
        assert machine.check("sh", "-c", FILES) == contents


def _without_mtu(network: object) -> object:
    """The rendered script states that a rollback keeps the MTU."""
    assert isinstance(network, dict)
    return {**network, "links": {name: addresses for name, (_, addresses) in network["links"].items()}}
