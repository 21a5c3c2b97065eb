"""A host as a namespace: which of the files rendered for it a namespace can have, and who applies them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Protocol

from wirespeed.errors import refuse
from wirespeed.lab.kernel import Setup, defaults, parameters_of

_SYSCTL = PurePosixPath("etc/sysctl.d")
_NAMESPACED = "net/"
"""Kernel parameters outside it are the whole machine's; inside it, those that a namespace cannot write are too."""

_NETPLAN = PurePosixPath("etc/netplan")
_NETWORKD = PurePosixPath("etc/systemd/network")
"""Where the files lie that systemd-networkd reads, through netplan or itself."""


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
        """What it holds."""

    @property
    def mode(self) -> int:
        """Its permissions."""


@dataclass(frozen=True, slots=True)
class HostFiles:
    """Files of one host by what becomes of them: written for its network, set as parameters, left out."""

    network: tuple[File, ...]
    netplan: bool  # whether netplan makes networkd's files of them
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
            path.chmod(0o600)  # netplan warns of a file that others may read


def files_of(files: Iterable[File]) -> dict[str, HostFiles]:
    """The files of every host, by use.

    Raises:
        Refusal: the network of some is configured by what does not run in a namespace.
    """
    found = {name: _sort_files(group) for name, group in groupby(files, lambda file: file.device)}
    others = [name for name, group in found.items() if not group.network]
    if others:
        raise refuse(
            others[0] if len(others) == 1 else f"{others[0]} to {others[-1]}",
            f"{len(others)} hosts without a file below {_NETPLAN} or {_NETWORKD}",
            "hosts whose network systemd-networkd configures, from its own files or netplan's",
            "NetworkManager and wicked need a whole machine; set os: ubuntu-24.04 for the hosts in the lab",
        )
    return found


def _sort_files(files: Iterable[File]) -> HostFiles:
    network: list[File] = []
    parameters: list[tuple[str, str]] = []
    left: list[str] = []
    for file in files:
        folder = PurePosixPath(file.relative).parent
        if folder in (_NETPLAN, _NETWORKD):
            network.append(file)
        elif folder == _SYSCTL:
            parameters += parameters_of(file.text)
        else:
            left.append(file.relative)
    return HostFiles(
        tuple(network),
        any(PurePosixPath(file.relative).parent == _NETPLAN for file in network),
        tuple((key, value) for key, value in parameters if key.startswith(_NAMESPACED)),
        tuple(key for key, _ in parameters if not key.startswith(_NAMESPACED)),
        tuple(left),
    )
