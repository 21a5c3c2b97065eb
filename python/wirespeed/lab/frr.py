"""Starts the daemons of FRRouting in a switch's namespaces."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from wirespeed.lab.machine import start_program
from wirespeed.reach import wait_for_socket

_USER = "frr"  # user of the daemons
_RUN = "run/frr"  # /run/frr in the namespace, where the tools of FRRouting expect it
_SOCKETS = {"zebra": "zserv.api"}  # sockets that the daemons after them connect to (zebra(8), -z)
_ANSWERS_WITHIN_S = 60


def prepare(folder: Path, configurations: Mapping[str, str]) -> None:
    """Write the configuration of each daemon, so that it does not read that of the machine."""
    user = pwd.getpwnam(_USER)
    run = folder / _RUN
    run.mkdir(parents=True)
    for name, text in configurations.items():
        (run / f"{name}.conf").write_text(text, encoding="utf-8")
        os.chown(run / f"{name}.conf", user.pw_uid, user.pw_gid)
    os.chown(run, user.pw_uid, user.pw_gid)


def start(prefix: Sequence[str], folder: Path, daemons: Iterable[str], stdin: int) -> dict[str, int]:
    """Start the daemons in the switch; return their process ids. They close ``stdin`` after the start.

    Daemons that others connect to must be ready first: bgpd tries zebra again only after ten seconds, and routes of
    sessions that it opens before that are never installed.
    """
    processes: dict[str, int] = {}
    for name in daemons:
        # Port 0: no telnet port.
        arguments = ("-P", "0", "--log", "stdout", "-f", f"/run/frr/{name}.conf")
        processes[name] = start_program(prefix, name, arguments, folder / f"{name}.log", stdin)
        if name in _SOCKETS and not wait_for_socket(folder / _RUN / _SOCKETS[name], processes[name], _ANSWERS_WITHIN_S):
            break  # the wait for its routes reports it, with its last log line
    return processes
