"""Red Hat Enterprise Linux and its rebuilds among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution


def _command_line(parameters: Sequence[str]) -> tuple[str, ...]:
    return (f"grubby --update-kernel=ALL --args={shlex.quote(' '.join(parameters))}",)


RHEL = Distribution(
    renderers=lambda _: ("networkmanager",),
    command_line=_command_line,
    firewall_off="systemctl disable --now firewalld",
)
view = RHEL.view
