"""Hosts and a leaf as a lab, configured by rendered files: the hosts by files in a folder, which a test may change,
and the leaf by its rendered configuration.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirespeed import lab, render
from wirespeed.plan import Plan
from wirespeed.settings import Switch

TOOLS = ("netplan", "ip", "ping", "networkd", "unshare")
NETPLAN = "etc/netplan/60-wirespeed.yaml"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a host's folder."""

    device: str
    relative: str
    text: str


def run(*arguments: str, stdin: str | None = None) -> str:
    """Run a command; its standard output. A failure is the test's."""
    process = subprocess.run(arguments, input=stdin, capture_output=True, text=True, check=False)
    assert process.returncode == 0, f"{' '.join(arguments)}: exit code {process.returncode}: {process.stderr.strip()}"
    return process.stdout


@dataclass
class Network:
    """Namespaces of a shape that no plan has. Use as a context: they are gone afterwards, whatever happened."""

    prefix: str = field(default_factory=lambda: f"wirespeed-{os.getpid()}")
    names: list[str] = field(default_factory=list)

    def __enter__(self) -> Network:
        return self

    def __exit__(self, *_: object) -> None:
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
        """Set kernel parameters; two underscores represent a dot."""
        pairs = [f"{key.replace('__', '.')}={value}" for key, value in keys.items()]
        run("ip", "netns", "exec", self.namespace(name), "sysctl", "-q", "-w", *pairs)


@contextlib.contextmanager
def network(
    plan: Plan, roots: Mapping[str, Path], leaf: str, switch: Switch, omissions: Sequence[str] = ()
) -> Iterator[lab.Lab]:
    """Two or more hosts, configured by their folders, on one leaf, configured by its rendered configuration.

    ``omissions`` are parts of the addresses, rules and routes that the hosts come up without.
    """
    files = [
        _File(host, str(path.relative_to(root)), path.read_text())
        for host, root in roots.items()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    ]
    as_rendered = replace(plan, switches={**plan.switches, leaf: switch})
    design = lab.design(as_rendered, f"netns{os.getpid()}", tuple(roots), files, render.routing_daemons)
    devices = tuple(
        replace(device, expects=tuple(line for line in device.expects if not set(line.split()) & set(omissions)))
        for device in design.devices
    )
    built = lab.up(replace(design, devices=devices), Path("cluster.yaml"), lambda line: None)
    try:
        yield built
    finally:
        lab.remove_lab(built.name)
