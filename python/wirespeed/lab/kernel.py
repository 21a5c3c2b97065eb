"""What is set in a namespace before anything runs in it: kernel parameters, and lines for `ip -batch`."""

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
_HELD = '"$@"; exit $?'

_DEFAULTS = {"rp_filter": "0", "arp_ignore": "0", "arp_announce": "0"}
"""The kernel's own. A new namespace starts with those of the machine (ip-sysctl, devconf_inherit_init_net)."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Kernel parameters by key, and lines for `ip`."""

    parameters: Mapping[str, str]
    lines: tuple[str, ...]

    def write(self, folder: Path) -> None:
        """Write it where `apply` finds it."""
        text = "".join(f"{key} {value}\n" for key, value in self.parameters.items())
        (folder / _SETTINGS).write_text(text, encoding="utf-8")
        (folder / _LINES).write_text("".join(f"{line}\n" for line in self.lines), encoding="utf-8")


def apply(namespace: str, folder: Path, stdin: int) -> CommandResult:
    """Set a namespace up; the keys that could not be set are printed."""
    return run(("ip", "netns", "exec", namespace, "sh", "-ec", _SET_UP, "setup", str(folder)), _LIMIT_S, stdin=stdin)


def batch(path: Path, stdin: int, *options: str) -> CommandResult:
    """Run lines for `ip`. It reads them in place of its input, so that the shell around it is what holds a lock."""
    return run(("sh", "-c", _HELD, "batch", "ip", *options, "-batch", str(path)), _LIMIT_S, stdin=stdin)


def defaults(interfaces: Iterable[str]) -> dict[str, str]:
    """Default parameters of an unconfigured kernel."""
    found = {"net/ipv4/ip_forward": "0"}
    for interface in ("all", "default", *interfaces):
        found |= {f"net/ipv4/conf/{interface}/{name}": value for name, value in _DEFAULTS.items()}
        # No other device has these IPv6 addresses, and looking for one takes a second.
        found[f"net/ipv6/conf/{interface}/accept_dad"] = "0"
    return found


def parameters_of(text: str) -> Iterator[tuple[str, str]]:
    """Keys with slashes and values of a file of sysctl.d(5)."""
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        key = key.strip().removeprefix("-")
        if not equals or key.startswith(("#", ";")):
            continue
        first = next((sign for sign in key if sign in "./"), "/")
        yield key.translate(_SWAPPED) if first == "." else key, " ".join(value.split())


_SWAPPED = str.maketrans("./", "/.")
