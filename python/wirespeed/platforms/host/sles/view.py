"""SUSE Linux Enterprise Server among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution


def _command_line(parameters: Sequence[str]) -> tuple[str, ...]:
    return (*(f"pbl --add-option {shlex.quote(word)}" for word in parameters), "pbl --config")


def _renderers(system: str) -> tuple[str, ...]:
    """SLES 15 comes with wicked and can have NetworkManager; SLES 16 has NetworkManager alone.

    Sources: SUSE Linux Enterprise Server 15 Administration Guide, "Basic networking"; SUSE Linux Enterprise Server 16.0
    release notes, "wicked".
    """
    version = system.partition("-")[2].partition(".")[0]
    return ("networkmanager",) if version.isdigit() and int(version) > 15 else ("wicked", "networkmanager")


SLES = Distribution(renderers=_renderers, command_line=_command_line, firewall_off="systemctl disable --now firewalld")
view = SLES.view
