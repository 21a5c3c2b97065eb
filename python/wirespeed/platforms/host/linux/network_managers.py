"""What can configure the network of a Linux host: where an interface's settings stand, and what reads them again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Renderer:
    """One of them. ``{interface}`` stands for the interface's name."""

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
"""By the name cluster files give it."""
