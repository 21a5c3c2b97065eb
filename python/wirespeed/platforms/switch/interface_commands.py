"""Configuration commands that several switch operating systems share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def address_lines(addresses: Iterable[str]) -> list[str]:
    """The addresses of an interface. Further IPv4 addresses are secondary; IPv6 has no secondary addresses."""
    lines: list[str] = []
    for address in addresses:
        family = "ipv6" if ":" in address else "ip"
        is_secondary = family == "ip" and any(line.startswith("ip ") for line in lines)
        lines.append(f"{family} address {address}{' secondary' if is_secondary else ''}")
    return lines


def switch_command(command: str) -> Callable[[Any], list[str]]:
    """A function of a boolean value: the command, or its negation."""
    return lambda value: [command if value else f"no {command}"]
