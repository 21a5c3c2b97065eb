"""Tools a test needs from the machine. Without them it is skipped; where everything is required, that is a failure."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

PACKAGES = {
    "netplan": "netplan.io",
    "ip": "iproute2",
    "ping": "iputils-ping",
    "arping": "iputils-arping",
    "networkd": "systemd",
    "chromium": "chromium",
    "unshare": "util-linux",
    "bgpd": "frr",
    "zebra": "frr",
    "bfdd": "frr",
    "sysctl": "procps",
    "pgrep": "procps",
    "tshark": "tshark",
    "nmcli": "network-manager",
    "mpirun": "openmpi-bin",
    "mpicc": "libopenmpi-dev",
    "iperf3": "iperf3",
    "ucx_perftest": "ucx-utils",
    "dcb": "iproute2",
    "tc": "iproute2",
    "postgres": "postgresql",
    "promtool": "prometheus",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "sshd": "openssh-server",
    "NPopenmpi": "netpipe-openmpi",
    "ib_write_bw": "perftest",
    "ib_send_lat": "perftest",
    "raw_ethernet_bw": "perftest",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "srun": "slurm-client",
    "munged": "munge",
    "nsenter": "util-linux",
    "dbus-daemon": "dbus-daemon",
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "modprobe": "kmod",
    "depmod": "kmod",
    "dpkg-deb": "dpkg",
    "rdma": "iproute2",
    "ibv_devinfo": "ibverbs-utils",
    "tcpdump": "tcpdump",
    "yanglint": "libyang2-tools",
}
"""Tool to Debian package, for the reason given when one is missing."""

_PLACES = {  # programs that are in no PATH
    "networkd": "lib/systemd/systemd-networkd",
    "postgres": "usr/lib/postgresql/*/bin/postgres",
    **{daemon: f"usr/lib/frr/{daemon}" for daemon in ("bgpd", "zebra", "bfdd")},
}


def find(tool: str) -> str | None:
    """Path of a tool, None when it is not installed."""
    if tool in _PLACES:
        paths = (str(path) for path in Path("/").glob(_PLACES[tool]))
        return max((path for path in paths if os.access(path, os.X_OK)), default=None)
    path = os.environ.get("PATH", os.defpath) + ":/usr/sbin:/sbin"
    return shutil.which(tool, path=path)


def needs(*tools: str, root: bool = False) -> None:
    """Skip the running test when a tool or root is missing; fail it when ``WIRESPEED_REQUIRE_ALL`` is set to 1."""
    lacking = [f"{tool} (package {PACKAGES.get(tool, tool)})" for tool in tools if find(tool) is None]
    if root and os.geteuid() != 0:
        lacking.append("root")
    if not lacking:
        return
    reason = f"needs {', '.join(lacking)}"
    if os.environ.get("WIRESPEED_REQUIRE_ALL") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
