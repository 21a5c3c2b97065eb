"""A host on which scripts run as on a real one: systemd as process 1, with D-Bus and the network service.

It is a set of namespaces whose root is a layer above that of this machine: what it writes or deletes, /tmp included,
is in memory and gone with it. Its /dev and kernel parameters outside the network are copies, its /sys is read-only, and
it has no other mount of this machine. Programs that change boot loaders or ask udev only succeed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

TOOLS = ("unshare", "nsenter", "ip", "networkd", "netplan", "sysctl", "dbus-daemon")
_CGROUPS = [Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup")]
_BOOT = """
set -e
mount --make-rprivate /
folder=$1 target=$2 masked=$3 root=$1/root
mkdir "$folder/upper" "$folder/work" "$folder/parameters" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$root"
cp -r --no-preserve=mode /proc/sys/kernel /proc/sys/vm /proc/sys/fs "$folder/parameters/" 2>/dev/null || :
mount -t proc proc "$root/proc"
for tree in kernel vm fs; do mount --bind "$folder/parameters/$tree" "$root/proc/sys/$tree"; done
mount -t sysfs -o ro sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for place in run tmp var/tmp dev; do mount -t tmpfs tmpfs "$root/$place"; done
for node in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0; do
    name=${node%%:*} numbers=${node#*:}
    mknod -m 666 "$root/dev/$name" c "${numbers%:*}" "${numbers#*:}"
done
cp -a "$folder/rendered" "$root/rendered"
cd "$root"
pivot_root . .
umount -l .
cd /
[ "$(stat -f -c %T /)" = overlayfs ] && [ "$(stat -f -c %T /tmp)" = tmpfs ] # before anything starts
rm -rf /etc/netplan /etc/systemd/network /etc/NetworkManager/system-connections
mkdir -p /etc/netplan /etc/systemd/network /etc/NetworkManager/system-connections
for unit in $masked; do ln -sf /dev/null "/etc/systemd/system/$unit"; done
for program in update-grub grubby udevadm; do
    rm -f "/usr/bin/$program" "/usr/sbin/$program"
    printf '#!/bin/sh\\necho "args="\\n' >"/usr/sbin/$program"
    chmod 755 "/usr/sbin/$program"
    ln -s "/usr/sbin/$program" "/usr/bin/$program"
done
exec env -i container=wirespeed PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
    /lib/systemd/systemd --system --unit="$target" --show-status=no --log-target=null
"""
_MASKED = (
    *("systemd-tmpfiles-setup.service", "systemd-tmpfiles-setup-dev.service", "systemd-tmpfiles-clean.timer"),
    *("systemd-udevd.service", "systemd-udev-trigger.service", "systemd-sysctl.service", "timers.target"),
    *("systemd-modules-load.service", "kmod-static-nodes.service", "systemd-remount-fs.service"),
    *("systemd-random-seed.service", "dev-hugepages.mount", "dev-mqueue.mount", "sys-kernel-debug.mount"),
    *("sys-kernel-tracing.mount", "sys-kernel-config.mount", "sys-fs-fuse-connections.mount"),
    *("proc-sys-fs-binfmt_misc.automount", "systemd-journal-flush.service", "networking.service"),
)
"""Units that a machine without devices and with its own files needs not."""


class Machine:
    """A host with these interfaces, each with a link to nowhere. Use as a context."""

    def __init__(self, rendered: Path, interfaces: Iterable[str], service: str) -> None:
        self._rendered = rendered
        self._interfaces = tuple(interfaces)
        self._service = service
        self._pid = 0

    def __enter__(self) -> Machine:
        self._folder = Path(tempfile.mkdtemp())
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", self._folder], check=True)
        shutil.copytree(self._rendered, self._folder / "rendered")
        root = next(folder for folder in _CGROUPS if (folder / "cgroup.controllers").exists())
        self._cgroup = root / self._folder.name
        self._cgroup.mkdir()
        script = f"echo $$ >{self._cgroup}/cgroup.procs; exec unshare --mount --net --uts --pid --ipc --cgroup --fork "
        script += '--kill-child sh -c "$0" boot "$1" "$2" "$3"'
        arguments = [str(self._folder), "basic.target", " ".join(_MASKED)]
        self._process = subprocess.Popen(
            ["sh", "-c", script, _BOOT, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        _wait(lambda: children.read_text().strip() != "" and self._process.poll() is None)
        self._pid = int(children.read_text().split()[0])
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self) -> None:
        _wait(lambda: self.run("systemctl", "is-active", "basic.target").stdout.strip() == "active")
        for number, name in enumerate(self._interfaces):
            self.check("ip", "link", "add", name, "type", "veth", "peer", "name", f"peer{number}")
            self.check("ip", "link", "set", f"peer{number}", "mtu", "9216", "up")
        self.check("systemctl", "start", self._service)

    def __exit__(self, *_: object) -> None:
        os.kill(self._pid, signal.SIGKILL)
        self._process.wait()
        for path in sorted(self._cgroup.rglob("*"), reverse=True):
            if path.is_dir():
                _wait(lambda: _remove(path))  # noqa: B023
        _wait(lambda: _remove(self._cgroup))
        subprocess.run(["umount", self._folder], check=False)
        self._folder.rmdir()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the host."""
        environment = ("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin")
        entry = ("nsenter", "--target", str(self._pid), "--all", *environment, "sh", "-c", 'cd / && exec "$@"', "sh")
        return subprocess.run([*entry, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def check(self, *command: str) -> str:
        """The output of a command that must succeed."""
        process = self.run(*command)
        assert process.returncode == 0, f"{' '.join(command)}\n{process.stdout}{process.stderr}"
        return process.stdout

    def wait(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds, for a few seconds at most: network services answer before they have finished."""
        end = time.monotonic() + 10
        while not holds() and time.monotonic() < end:
            time.sleep(0.2)

    def read_network(self) -> Mapping[str, Any]:
        """Addresses and MTU of each interface, rules and routes, without those that the kernel makes itself."""
        links = json.loads(self.check("ip", "-json", "address", "show"))
        routes = [
            route
            for version in ("-4", "-6")
            for route in json.loads(self.check("ip", version, "-json", "route", "show", "table", "all") or "[]")
            if route.get("table") != "local"
            and route.get("dst") not in ("fe80::/64", "ff00::/8")
            and not _is_multicast(route)
        ]
        rules = [
            rule
            for version in ("-4", "-6")
            for rule in json.loads(self.check("ip", version, "-json", "rule", "show") or "[]")
        ]
        return {
            "links": {
                link["ifname"]: (
                    link["mtu"],
                    sorted(f"{row['local']}/{row['prefixlen']}" for row in link["addr_info"] if row["scope"] != "link"),
                )
                for link in links
                if link["ifname"] in self._interfaces
            },
            "routes": sorted(
                f"{route.get('table', 'main')} {route['dst']} {route.get('gateway', '')} {route.get('dev', '')}".strip()
                for route in routes
            ),
            "rules": sorted(f"{rule['priority']} from {rule['src']} table {rule['table']}" for rule in rules),
        }


def _is_multicast(route: Mapping[str, Any]) -> bool:
    return route.get("type") == "multicast"


def _remove(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return not folder.exists()
    return True


def _wait(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "not within 60 s"
        time.sleep(0.1)
