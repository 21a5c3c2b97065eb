"""Command prefix that runs a command in the namespaces of a device."""

from __future__ import annotations

from pathlib import Path

# `ip netns exec` has made a mount namespace with the /sys of the network namespace. /run is that of the device, so that
# its daemons use separate sockets; hosts resolve each other's names, and the network configuration of the machine is
# hidden. With /sys read-only networkd does not wait for udev, which does not run in namespaces.
_ENTER = """
printf %s "$1" >/proc/sys/kernel/hostname
mount -o remount,bind,ro /sys
if [ -d /etc/systemd/network ]; then mount -t tmpfs -o ro,size=4k tmpfs /etc/systemd/network; fi
if [ -e /etc/hosts ]; then mount --bind "$2/hosts" /etc/hosts; fi
mount --bind "$2/run" /run
shift 2
exec "$@"
"""


def prefix(namespace: str, device: str, folder: Path) -> tuple[str, ...]:
    """Arguments before the command. ``folder`` contains the device's ``run`` and ``hosts``."""
    command = ("ip", "netns", "exec", namespace, "unshare", "--uts")
    return (*command, "sh", "-ec", _ENTER, "wirespeed-lab", device, str(folder))
