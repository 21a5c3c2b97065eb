"""Differences between Linux distributions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.errors import Problem, did_you_mean
from wirespeed.platforms.host.linux import commands
from wirespeed.platforms.host.linux.network_managers import RENDERERS
from wirespeed.platforms.host.linux.packages import GPU_ACTIONS, PackageManager
from wirespeed.platforms.host.linux.packages import steps as software_steps
from wirespeed.platforms.host.linux.view import view
from wirespeed.platforms.model import SettingCommands
from wirespeed.settings import Device, Host, Place

_MAXNS = 3
"""Name servers that the C library queries (resolv.conf(5), nameserver)."""

_BY_HAND = "leave it out of the cluster file and install it by the instructions of its vendor"


@dataclass(frozen=True, slots=True)
class Distribution:
    """Commands and templates specific to a distribution."""

    renderers: Callable[[str], Sequence[str]]  # of an operating system, ``sles-15.6``; its own default is the first
    command_line: Callable[[Sequence[str]], tuple[str, ...]]  # parameters to the commands that add them
    firewall_off: str  # the command that ends packet filtering
    packages: PackageManager

    def view(self, name: str, device: Device) -> Mapping[str, Any]:
        """Values for the templates, and the `RENDERERS` that they are for."""
        if not isinstance(device, Host):
            raise TypeError(f"{name} is no host")
        known_values = self.renderers(device.os or "")
        renderer = device.renderer or known_values[0]
        problems = []
        if renderer not in known_values:
            expected = f"one of {', '.join(known_values)}" if len(known_values) > 1 else known_values[0]
            hint = did_you_mean(renderer, known_values)
            problems.append(Problem(f"{name}: renderer", repr(renderer), f"{expected} on {device.os}", hint))
        if renderer == "wicked" and device.resolver.servers:
            problems.append(
                Problem(
                    f"{name}: {device.resolver.interface}",
                    f"the name servers {', '.join(device.resolver.servers)}",
                    "none: wicked takes them from /etc/sysconfig/network/config",
                    "write them there as NETCONFIG_DNS_STATIC_SERVERS, and run `netconfig update`",
                )
            )
        if renderer == "networkmanager" and len(device.resolver.servers or ()) > _MAXNS:
            problems.append(
                Problem(
                    f"{name}: {device.resolver.interface}",
                    f"the name servers {', '.join(device.resolver.servers or ())}",
                    f"{_MAXNS} at most: NetworkManager writes resolv.conf, of which the C library queries no more",
                )
            )
        steps = list(software_steps(device, self.packages))
        problems += [
            Problem(f"{name}: software", f"{step.subject} {step.version}", f"packages of it for {device.os}", _BY_HAND)
            for _, step, names in steps
            if step.action in GPU_ACTIONS and not names
        ]
        return {
            **view(name, device),
            "renderer": renderer,
            "problems": problems,
            "packages": self.packages,
            "software_steps": lambda: steps,
        }

    def commands_for(self, place: Place, path: str, value: Any, device: Device) -> SettingCommands | None:
        """The commands that set a setting to a value. None if no command changes the setting."""
        if not isinstance(device, Host):
            return None
        match path:
            case "host.kernel.command_line" | "host.kernel.iommu":
                parameters = device.kernel.command_line
                return SettingCommands(self.command_line(parameters), commands.REBOOT) if parameters else None
            case "host.firewall":
                return None if value else SettingCommands((self.firewall_off,), "all ports of the host are open")
        name = device.renderer or self.renderers(device.os or "")[0]
        return commands.commands_for(place, path, value, device, RENDERERS[name])

    def removal_for(self, place: Place, path: str, value: str, device: Device) -> SettingCommands | None:
        """The command that removes a rule or a route that is not planned."""
        return commands.removal_for(place, path, value) if isinstance(device, Host) else None
