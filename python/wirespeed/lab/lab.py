"""A running lab."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirespeed.errors import did_you_mean, refuse
from wirespeed.lab import namespace_command, state
from wirespeed.lab.rdma import access
from wirespeed.reach import CommandPrefix, CommandResult, Status, run
from wirespeed.results.lab import LabDevice, LabLink, LabState, Phase, Role

_NOT_FOUND = 127  # of a shell: POSIX, XCU 2.8.2


@dataclass(frozen=True, slots=True)
class Lab:
    """The devices of a cluster as namespaces."""

    state: LabState

    @property
    def name(self) -> str:
        """Name of the lab."""
        return self.state.name

    @property
    def hosts(self) -> tuple[str, ...]:
        """Its hosts, in the order of the cluster file."""
        return tuple(device.name for device in self.state.of_role(Role.HOST))

    @property
    def switches(self) -> tuple[str, ...]:
        """Its switches, in the order of the cluster file."""
        return tuple(device.name for device in self.state.of_role(Role.SWITCH))

    @property
    def links(self) -> tuple[LabLink, ...]:
        """Its cables."""
        return self.state.links

    def list_links(self, device: str) -> tuple[LabLink, ...]:
        """The cables of a device."""
        return tuple(link for link in self.links if device in (link.a.device, link.b.device))

    def device(self, name: str) -> LabDevice:
        """A device.

        Raises:
            Refusal: the lab has none of this name.
        """
        device_by_name = {device.name: device for device in self.state.devices}
        if name not in device_by_name:
            hint = did_you_mean(name, list(device_by_name)) or f"devices: {', '.join(device_by_name)}"
            raise refuse(f"lab {self.name}", f"no device {name!r}", "a device of the lab", hint)
        return device_by_name[name]

    def namespace(self, device: str) -> str:
        """The network namespace of a device, for `ip -n`."""
        return self.device(device).namespace

    def folder(self, device: str) -> Path:
        """The folder of the device's files: ``etc`` as rendered, ``run`` as its /run."""
        return state.device_folder(self.name, self.device(device).name)

    def prefix(self, device: str) -> tuple[str, ...]:
        """Arguments before a command that runs in the device's namespaces, or in its machine."""
        if self.device(device).machine:
            return access.prefix(state.folder(self.name), device)
        return namespace_command.prefix(self.namespace(device), device, self.folder(device))

    def reach(self, device: str | None = None) -> CommandPrefix:
        """Access to a device; without one, to the device that a call names as its host."""
        return CommandPrefix(
            lambda host: self.prefix(device or host),
            short_prefix=lambda host: ("wirespeed", "lab", "exec", "--name", self.name, device or host, "--"),
        )

    def run(self, device: str, *arguments: str, timeout_s: float = 60) -> CommandResult:
        """Run a command inside a device."""
        return run((*self.prefix(device), *arguments), timeout_s)

    def run_collected(
        self,
        device: str,
        arguments: Sequence[str],
        timeout_s: float,
        exits: Sequence[int] = (0,),
        *,
        stop: threading.Event,
    ) -> CommandResult:
        """Run a command in a device, with the results of `wirespeed.reach.run`: a program that is not installed has
        status missing."""
        ran = run((*self.prefix(device), *arguments), timeout_s, exits, stop=stop)
        if ran.exit_code != _NOT_FOUND or _NOT_FOUND in exits:
            return ran
        return replace(ran, status=Status.MISSING, exit_code=None, detail=f"{arguments[0]} is not installed")


def find(name: str | None = None) -> Lab:
    """The lab of this name; without a name, the only one.

    Raises:
        Refusal: no lab exists, several exist, or the lab is incomplete.
    """
    labs = [lab for lab in state.names() if state.exists(lab)]
    if name is None and len(labs) != 1:
        if not labs:
            raise refuse("lab", "no lab is running", hint="`wirespeed lab up CLUSTER` starts one")
        raise refuse("lab", f"{len(labs)} labs: {', '.join(labs)}", "one lab", "select it with --name LAB")
    name = labs[0] if name is None else name
    stored = state.load(name) if name in labs else None
    if stored is None and name not in labs:
        hint = f"labs: {', '.join(labs)}" if labs else "`wirespeed lab up CLUSTER` starts one"
        raise refuse("lab", f"no lab {name!r}", "a running lab", hint)
    if stored is None or stored.phase is not Phase.UP:
        raise refuse(
            f"lab {name}", "an incomplete lab", "one that is up", f"remove it with `wirespeed lab down {name}`"
        )
    return Lab(stored)
