"""Hosts and a leaf as network namespaces, told what was rendered for them.

A cable is a veth pair with the host's interface name on the host's side. netplan's output is loaded by a
systemd-networkd of its own in each host. The leaf's ports and VLANs are those its rendered configuration says;
since this kernel may lack VLAN devices, a VLAN is a bridge.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from needs import find
from wirespeed.plan import Plan
from wirespeed.settings import Switch

NETPLAN = "etc/netplan/60-wirespeed.yaml"
SYSCTL = "etc/sysctl.d/90-wirespeed.conf"
_DEADLINE_S = 10

_NETWORKD = """
set -e
mount -t tmpfs tmpfs /run/systemd
mkdir -p /run/systemd/network /run/systemd/netif/links /run/systemd/netif/leases
cp "$1"/run/systemd/network/* /run/systemd/network/
chmod 644 /run/systemd/network/*
chown -R systemd-network:systemd-network /run/systemd/netif
# Without a writable /sys networkd does not wait for udev, which does not run in a namespace.
mount -o remount,ro /sys
exec "$2"
"""


def run(*arguments: str, stdin: str | None = None) -> str:
    """Run a command; its standard output. A failure is the test's."""
    done = subprocess.run(arguments, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}"
    return done.stdout


def generate(root: Path) -> None:
    """Let netplan read ``root/etc/netplan`` and write networkd's files under ``root/run``."""
    run(str(find("netplan")), "generate", "--root-dir", str(root))


@dataclass
class Network:
    """The namespaces. Use as a context: they are gone afterwards, whatever happened."""

    prefix: str = field(default_factory=lambda: f"wirespeed-{os.getpid()}")
    names: list[str] = field(default_factory=list)
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: object) -> None:
        for daemon in self.daemons:
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", self.namespace(name)], capture_output=True, check=False)

    def namespace(self, name: str) -> str:
        """The namespace of a device."""
        return f"{self.prefix}-{name}"

    def add(self, name: str) -> None:
        """Make a device's namespace."""
        self.names.append(name)
        run("ip", "netns", "add", self.namespace(name))
        run("ip", "-n", self.namespace(name), "link", "set", "lo", "up")
        # No other device has these IPv6 addresses, and looking for one takes a second.
        self.set(name, net__ipv6__conf__default__accept_dad="0")

    def batch(self, name: str, *lines: str) -> None:
        """Run `ip` commands in a device's namespace, all in one process."""
        run("ip", "-n", self.namespace(name), "-batch", "-", stdin="\n".join(lines) + "\n")

    def set(self, name: str, **keys: str) -> None:
        """Set kernel parameters; two underscores stand for a dot."""
        pairs = [f"{key.replace('__', '.')}={value}" for key, value in keys.items()]
        run("ip", "netns", "exec", self.namespace(name), "sysctl", "-q", "-w", *pairs)

    def cable(self, plan: Plan, leaf: str, hosts: tuple[str, ...]) -> dict[str, str]:
        """Plug the hosts into the leaf; the leaf's interface name of each port."""
        ports: dict[str, str] = {}
        for cable in plan.cables:
            host = next((end for end in (cable.a, cable.b) if end.device in hosts), None)
            if host is None or cable.other(host.device).device != leaf:
                continue
            port = cable.other(host.device).port
            ports[port] = f"port{len(ports) + 1}"
            run(
                *("ip", "link", "add", "name", host.port, "netns", self.namespace(host.device)),
                *("type", "veth", "peer", "name", ports[port], "netns", self.namespace(leaf)),
            )
        return ports

    def configure_leaf(self, leaf: str, switch: Switch, ports: Mapping[str, str]) -> None:
        """Give the leaf what its rendered configuration says."""
        lines: list[str] = []
        for number, vlan in switch.vlans.items():
            lines.append(f"link add name vlan{number} type bridge")
            lines += [f"address add {address} dev vlan{number}" for address in vlan.addresses or ()]
        for port, interface in ports.items():
            said = switch.ports[port]
            assert said.link.mtu is not None, f"{leaf} {port}: no MTU in the rendered configuration"
            lines.append(f"link set dev {interface} mtu {said.link.mtu}")
            lines += [f"address add {address} dev {interface}" for address in said.addresses or ()]
            if said.vlan is not None:
                lines.append(f"link set dev {interface} master vlan{said.vlan}")
            lines.append(f"link set dev {interface} up")
        lines += [f"link set dev vlan{number} up" for number in switch.vlans]
        self.batch(leaf, *lines)
        forward = "1" if switch.routing else "0"
        self.set(leaf, net__ipv4__ip_forward=forward, net__ipv6__conf__all__forwarding=forward)
        self.set(leaf, net__ipv4__conf__all__rp_filter="0")

    def configure_host(self, host: str, root: Path) -> None:
        """Load a host's rendered files, from its folder, byte for byte; netplan has read them already."""
        # Only its own namespace: kernel.numa_balancing in the same file is the whole machine's.
        run("ip", "netns", "exec", self.namespace(host), "sysctl", "-q", "-r", "^net", "-p", str(root / SYSCTL))
        inner = ["unshare", "--mount", "sh", "-c", _NETWORKD, "networkd", str(root), str(find("networkd"))]
        self.daemons.append(
            subprocess.Popen(
                ["ip", "netns", "exec", self.namespace(host), *inner],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )

    def wait(self, host: str, root: Path) -> None:
        """Wait until the host has as many addresses, routes and rules as its netplan file can give it."""
        ethernets = yaml.safe_load((root / NETPLAN).read_text())["network"]["ethernets"].values()
        wanted = (
            sum(len(nic["addresses"]) for nic in ethernets),
            # A route whose gateway is in no subnet of the interface cannot be made.
            sum(len(nic.get("routes", ())) for nic in ethernets if nic["addresses"]),
            sum(len(nic.get("routing-policy", ())) for nic in ethernets),
        )
        _until(lambda: self._has(host) == wanted, lambda: f"{host}: has {self._has(host)} of {wanted}")

    def _has(self, host: str) -> tuple[int, ...]:
        def lines(*question: str) -> list[str]:
            asked = [run("ip", "-o", version, "-n", self.namespace(host), *question) for version in ("-4", "-6")]
            return "".join(asked).splitlines()

        addresses = lines("address", "show", "scope", "global")
        routes = [line for line in lines("route", "show", "table", "all") if " table 1" in line]
        rules = [line for line in lines("rule") if line.startswith("10")]
        return len(addresses), len(routes), len(rules)


def _until(done: Callable[[], bool], state: Callable[[], str]) -> None:
    deadline = time.monotonic() + _DEADLINE_S
    while not done():
        assert time.monotonic() < deadline, state()
        time.sleep(0.02)


@contextlib.contextmanager
def network(plan: Plan, roots: Mapping[str, Path], leaf: str, switch: Switch) -> Iterator[Network]:
    """Two or more hosts, as their folders say, on one leaf, as its rendered configuration says."""
    with Network() as built:
        for name in (leaf, *roots):
            built.add(name)
        ports = built.cable(plan, leaf, tuple(roots))
        built.configure_leaf(leaf, switch, ports)
        for host, root in roots.items():
            built.configure_host(host, root)
        for host, root in roots.items():
            built.wait(host, root)
        yield built
