"""Runs systemd-networkd in a host's namespaces, with files that netplan generates."""

from __future__ import annotations

import os
import pwd
from collections.abc import Sequence
from pathlib import Path

from wirespeed.errors import refuse
from wirespeed.lab.machine import program, start_program
from wirespeed.reach import Status, run

DAEMON = "systemd-networkd"
LOG = "networkd.log"
_USER = "systemd-network"  # user of the daemon (systemd-networkd.service, User=)
_LIMIT_S = 60


def generate(host: str, folder: Path, stdin: int) -> None:
    """Generate networkd's files in ``run/systemd/network`` from ``etc/netplan``, with netplan.

    Raises:
        Refusal: netplan failed; with its message.
    """
    ran = run((*program("netplan"), "--root-dir", str(folder)), _LIMIT_S, stdin=stdin)
    if ran.status is not Status.OK:
        message = ran.stderr.decode("utf-8", "replace").strip() or ran.detail or ""
        raise refuse(host, f"netplan generate: {message}", "a file that netplan accepts")


def prepare(folder: Path) -> None:
    """Create the files that networkd needs in the host's /run."""
    network = folder / "run" / "systemd" / "network"
    network.mkdir(parents=True, exist_ok=True)
    target = folder / "etc" / "systemd" / "network"
    for file in target.iterdir() if target.is_dir() else ():
        (network / file.name).write_bytes(file.read_bytes())
    for file in network.iterdir():
        file.chmod(0o644)
    user = pwd.getpwnam(_USER)
    netif = folder / "run" / "systemd" / "netif"
    for runtime_folder in (netif, netif / "links", netif / "leases"):
        runtime_folder.mkdir(exist_ok=True)
        os.chown(runtime_folder, user.pw_uid, user.pw_gid)


def start(prefix: Sequence[str], folder: Path, stdin: int) -> int:
    """Start networkd in the host; return its process id. It closes ``stdin`` after the start."""
    return start_program(prefix, "networkd", (), folder / LOG, stdin)
