"""Sets up a namespace before its daemons start: kernel parameters, and lines for `ip -batch`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wirespeed.reach import CommandResult, run

_SETTINGS, _LINES = "sysctl", "ip"
_LIMIT_S = 120

# Prints the parameters that could not be set. A key has slashes, since an interface's name may have dots.
_SET_UP = """
cd "$1"
while read -r key value; do
  printf %s "$value" 2>/dev/null >"/proc/sys/$key" || echo "$key"
done <sysctl
ip -batch ip; exit $?
"""
_BATCH_SCRIPT = '"$@"; exit $?'

_DEFAULTS = {"rp_filter": "0", "arp_ignore": "0", "arp_announce": "0"}
"""Defaults of the kernel. A new namespace starts with the values of the machine (ip-sysctl,
devconf_inherit_init_net)."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Kernel parameters by key, and lines for `ip`."""

    parameters: Mapping[str, str]
    lines: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write the files that `apply` reads."""
        text = "".join(f"{key} {value}\n" for key, value in self.parameters.items())
        (folder / _SETTINGS).write_text(text, encoding="utf-8")
        (folder / _LINES).write_text("".join(f"{line}\n" for line in self.lines), encoding="utf-8")


def apply(namespace: str, folder: Path, stdin: int) -> CommandResult:
    """Set up a namespace. The output lists the keys that could not be set."""
    return run(("ip", "netns", "exec", namespace, "sh", "-ec", _SET_UP, "setup", str(folder)), _LIMIT_S, stdin=stdin)


def batch(path: Path, stdin: int, *options: str) -> CommandResult:
    """Run lines for `ip` from a file. ``stdin`` stays open in the shell, which holds a lock on it."""
    return run(("sh", "-c", _BATCH_SCRIPT, "batch", "ip", *options, "-batch", str(path)), _LIMIT_S, stdin=stdin)


def defaults(interfaces: Iterable[str]) -> dict[str, str]:
    """Default parameters of an unconfigured kernel."""
    parameters = {"net/ipv4/ip_forward": "0"}
    for interface in ("all", "default", *interfaces):
        parameters |= {f"net/ipv4/conf/{interface}/{name}": value for name, value in _DEFAULTS.items()}
        # These IPv6 addresses are unique, and duplicate address detection takes a second.
        parameters[f"net/ipv6/conf/{interface}/accept_dad"] = "0"
    return parameters


def parse_parameters(text: str) -> Iterator[tuple[str, str]]:
    """Keys with slashes and values of a file of sysctl.d(5)."""
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        key = key.strip().removeprefix("-")
        if not equals or key.startswith(("#", ";")):
            continue
        first = next((sign for sign in key if sign in "./"), "/")
        yield key.translate(_SWAP_SEPARATORS) if first == "." else key, " ".join(value.split())


_SWAP_SEPARATORS = str.maketrans("./", "/.")
