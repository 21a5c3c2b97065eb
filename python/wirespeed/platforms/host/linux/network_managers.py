"""Network managers of Linux hosts: the file of an interface's settings, and the command that reloads it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Renderer:
    """A network manager. ``{interface}`` is replaced by the interface's name."""

    file: str
    reload: tuple[str, ...]


RENDERERS = {
    "netplan": Renderer("/etc/netplan/60-wirespeed.yaml", ("netplan apply",)),
    "networkd": Renderer(
        "/etc/systemd/network/05-wirespeed-{interface}.network", ("networkctl reconfigure {interface}",)
    ),
    "networkmanager": Renderer(
        "/etc/NetworkManager/system-connections/wirespeed-{interface}.nmconnection",
        ("nmcli connection up wirespeed-{interface}",),
    ),
    "wicked": Renderer("/etc/sysconfig/network/ifcfg-{interface}", ("wicked ifup {interface}",)),
}
"""The network managers by their name in cluster files."""
