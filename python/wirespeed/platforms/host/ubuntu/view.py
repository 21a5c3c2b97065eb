"""Ubuntu among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution


def _command_line(parameters: Sequence[str]) -> tuple[str, ...]:
    words = shlex.quote(" ".join(parameters))
    line = f'GRUB_CMDLINE_LINUX="${{GRUB_CMDLINE_LINUX:+$GRUB_CMDLINE_LINUX }}"{words}'
    return (f"echo {shlex.quote(line)} > /etc/default/grub.d/90-wirespeed.cfg", "update-grub")


UBUNTU = Distribution(
    renderers=lambda _: ("netplan", "networkd"), command_line=_command_line, firewall_off="ufw disable"
)
view = UBUNTU.view
