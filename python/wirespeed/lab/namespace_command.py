"""Command prefix that runs a command in the namespaces of a device."""

from __future__ import annotations

from pathlib import Path

# In a mount namespace of its own, which `ip netns exec` has made, with the /sys of the network namespace: /run is the
# device's, so that its daemons meet neither each other's sockets nor the machine's, hosts resolve each other's names,
# and nothing of the machine's own network configuration is seen. With /sys read-only networkd does not wait for udev,
# which serves no namespace.
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
    into = ("ip", "netns", "exec", namespace, "unshare", "--uts")
    return (*into, "sh", "-ec", _ENTER, "wirespeed-lab", device, str(folder))
