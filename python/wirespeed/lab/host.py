"""A host as a namespace: the rendered files that apply to a namespace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Protocol

from wirespeed.errors import refuse
from wirespeed.lab.kernel import Setup, defaults, parse_parameters

_SYSCTL = PurePosixPath("etc/sysctl.d")
_NAMESPACE_KEYS = "net/"
"""Prefix of the kernel parameters of a namespace. Others, and those that a namespace cannot write, are machine-wide."""

_NETPLAN = PurePosixPath("etc/netplan")
_NETWORKD = PurePosixPath("etc/systemd/network")
"""Folder of the files of systemd-networkd."""


class File(Protocol):
    """A rendered file of a device."""

    @property
    def device(self) -> str:
        """The device."""

    @property
    def relative(self) -> str:
        """Its path without the leading slash."""

    @property
    def text(self) -> str:
        """Its content."""

    @property
    def mode(self) -> int:
        """Its permissions."""


@dataclass(frozen=True, slots=True)
class HostFiles:
    """Files of one host by use: written for its network, applied as kernel parameters, or ignored."""

    network: tuple[File, ...]
    netplan: bool  # whether netplan generates networkd's files from them
    parameters: tuple[tuple[str, str], ...]
    left_parameters: tuple[str, ...]
    left_files: tuple[str, ...]

    def setup(self, interfaces: Sequence[str]) -> Setup:
        """Setup of the host's namespace before its daemon starts."""
        # An alias marks the ports of the plan among other veth pairs, also while a link is down and has no address.
        aliases = (f"link set dev {interface} alias {interface}" for interface in interfaces)
        return Setup(defaults(interfaces) | dict(self.parameters), ("link set dev lo up", *aliases))

    def write(self, folder: Path) -> None:
        """Write the network's files below the host's folder."""
        for file in self.network:
            path = folder / file.relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
            path.chmod(0o600)  # netplan warns of files that other users may read


def sort_files(files: Iterable[File]) -> dict[str, HostFiles]:
    """The files of every host, by use.

    Raises:
        Refusal: the network of a host needs a service that does not run in a namespace.
    """
    files_by_host = {name: _sort_files(group) for name, group in groupby(files, lambda file: file.device)}
    unsupported_hosts = [name for name, group in files_by_host.items() if not group.network]
    if unsupported_hosts:
        raise refuse(
            unsupported_hosts[0]
            if len(unsupported_hosts) == 1
            else f"{unsupported_hosts[0]} to {unsupported_hosts[-1]}",
            f"{len(unsupported_hosts)} hosts without a file below {_NETPLAN} or {_NETWORKD}",
            "hosts whose network systemd-networkd configures, from its own files or netplan's",
            "NetworkManager and wicked need a whole machine; set os: ubuntu-24.04 for the hosts in the lab",
        )
    return files_by_host


def _sort_files(files: Iterable[File]) -> HostFiles:
    network: list[File] = []
    parameters: list[tuple[str, str]] = []
    ignored_files: list[str] = []
    for file in files:
        folder = PurePosixPath(file.relative).parent
        if folder in (_NETPLAN, _NETWORKD):
            network.append(file)
        elif folder == _SYSCTL:
            parameters += parse_parameters(file.text)
        else:
            ignored_files.append(file.relative)
    return HostFiles(
        tuple(network),
        any(PurePosixPath(file.relative).parent == _NETPLAN for file in network),
        tuple((key, value) for key, value in parameters if key.startswith(_NAMESPACE_KEYS)),
        tuple(key for key, _ in parameters if not key.startswith(_NAMESPACE_KEYS)),
        tuple(ignored_files),
    )
