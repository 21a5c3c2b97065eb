"""Requirements of a lab on its machine: Linux, root, and programs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from wirespeed.errors import Problem, Refusal, refuse
from wirespeed.reach import SYSTEM_PATH, start_daemon

# The program behind `netplan generate`, without Python; the second path is that before netplan 0.107.
_NETPLAN = ("/usr/libexec/netplan/generate", "/lib/netplan/generate")
_PROGRAM_PATHS = {
    "netplan": _NETPLAN,
    "networkd": ("/usr/lib/systemd/systemd-networkd", "/lib/systemd/systemd-networkd"),
    **{daemon: (f"/usr/lib/frr/{daemon}",) for daemon in ("zebra", "bgpd", "bfdd")},
}
_WATCHES = Path("/proc/sys/fs/inotify/max_user_instances")
_PACKAGES = {  # of Debian and Ubuntu
    "ip": "iproute2",
    "mount": "mount",
    "unshare": "util-linux",
    "netplan": "netplan.io",
    "networkd": "systemd",
    **dict.fromkeys(("zebra", "bgpd", "bfdd"), "frr"),
}


def check_user() -> None:
    """Check that the system is Linux and the user root.

    Raises:
        Refusal: one of both is not so.
    """
    if not sys.platform.startswith("linux"):
        raise refuse("lab", f"the operating system {sys.platform}", "Linux, whose network namespaces a lab is made of")
    if os.geteuid() != 0:
        raise refuse("lab", "a user who is not root", "root, who alone may make network namespaces", "sudo wirespeed …")


def check_programs(names: Iterable[str]) -> None:
    """Check that programs are installed.

    Raises:
        Refusal: some are missing.
    """
    missing_programs: dict[str, list[str]] = {}
    for name in names:
        if find_program(name) is None:
            missing_programs.setdefault(_PACKAGES.get(name, name), []).append(name)
    if missing_programs:
        raise Refusal(
            Problem("lab", f"no {', '.join(names_of_package)}", f"the package {package}", f"apt-get install {package}")
            for package, names_of_package in missing_programs.items()
        )


def check_watches(hosts: int) -> None:
    """Check that root may have an inotify instance for each host: systemd-networkd needs one.

    Raises:
        Refusal: too few are free (inotify(7), /proc interfaces).
    """
    limit = int(_WATCHES.read_text())
    free = limit - _count_inotify_instances() if hosts > limit // 2 else limit
    if hosts > free:
        raise refuse(
            "lab",
            f"{hosts} hosts, where the kernel has {max(free, 0)} of {limit} inotify instances left",
            "one for the systemd-networkd of each host",
            f"sysctl fs.inotify.max_user_instances={limit + hosts}, or fewer --hosts",
        )


def _count_inotify_instances() -> int:
    """inotify instances of root's processes."""
    count = 0
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            count += handle.parent.stat().st_uid == 0 and handle.readlink().name == "anon_inode:inotify"
    return count


def program(name: str) -> tuple[str, ...]:
    """The command of a program that `check_programs` found."""
    path = find_program(name)
    assert path is not None, f"{name} was not checked"
    return (path,)


def start_program(prefix: Sequence[str], name: str, arguments: Sequence[str], log: Path, stdin: int) -> int:
    """Start a daemon behind a command prefix, without standard input; return its process id. It prints to ``log``.

    The prefix reads ``stdin``, which the daemon does not keep open.
    """
    command = (*prefix, "sh", "-c", 'exec "$@" </dev/null', name, *program(name), *arguments)
    return start_daemon(command, log, stdin)


def find_program(name: str) -> str | None:
    """The path of a program, also where PATH lacks the folders of the system. None if it is not installed."""
    if name in _PROGRAM_PATHS:
        return next((path for path in _PROGRAM_PATHS[name] if os.access(path, os.X_OK) and Path(path).is_file()), None)
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:{SYSTEM_PATH}")
