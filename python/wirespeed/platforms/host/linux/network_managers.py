"""Network managers of Linux hosts: the file of an interface's settings, and the command that reloads it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Renderer:
    """A network manager. ``{interface}`` is replaced by the interface's name.

    ``bond_file``: the file of a bond and its ports, if it is another one.
    """

    file: str
    reload: tuple[str, ...]
    bond_file: str | None = None

    def format_file(self, interface: str, bond: str | None = None) -> str:
        """The file of an interface; ``bond``: of a bond, or of the bond that the interface is a port of."""
        if bond is not None and self.bond_file is not None:
            return self.bond_file.replace("{interface}", bond)
        return self.file.replace("{interface}", interface or "*")


RENDERERS = {
    "netplan": Renderer(
        "/etc/netplan/60-wirespeed.yaml", ("netplan apply",), bond_file="/etc/netplan/60-wirespeed-{interface}.yaml"
    ),
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
