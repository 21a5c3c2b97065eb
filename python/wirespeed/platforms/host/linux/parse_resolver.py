"""Name servers of a host: resolv.conf(5), and the copy of systemd-resolved where that holds its local stub alone.

The stub is 127.0.0.53 or 127.0.0.54; /run/systemd/resolve/resolv.conf lists the servers behind it, and ``search .``
where there are no domains (systemd-resolved.service(8), /etc/resolv.conf; systemd, src/resolve/resolved-resolv-conf.c).
The C library queries three servers of resolv.conf at most; systemd-resolved knows no such limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.model import Outputs
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Place

_FILE = "/etc/resolv.conf"
_BEHIND_STUB = "/run/systemd/resolve/resolv.conf"
_MAXNS = 3  # resolv.conf(5), <resolv.h>: later lines are ignored
_STUBS = frozenset({"127.0.0.53", "127.0.0.54"})


def parse(outputs: Outputs) -> Iterator[Observation]:
    """The servers that programs ask, and the domains that they search."""
    output = outputs.get("resolver")
    if output is None:
        return
    servers: dict[str, dict[str, int]] = {_FILE: {}, _BEHIND_STUB: {}}
    domains: dict[str, tuple[tuple[str, ...], int]] = {}
    for number, text in number_lines(output):
        file, _, line = text.partition(":")
        words = line.split("#")[0].split()
        if file not in servers or len(words) < 2:
            continue
        if words[0] == "nameserver":
            servers[file].setdefault(words[1], number)
        elif words[0] == "search":  # the last one counts
            domains[file] = tuple(word.lower().rstrip(".") for word in words[1:] if word != "."), number
    used = _BEHIND_STUB if servers[_FILE] and servers[_FILE].keys() <= _STUBS else _FILE
    first = next(iter(servers[used].values()), None)
    queried = tuple(servers[used])[: _MAXNS if used == _FILE else None]
    host = Place(outputs.device)
    yield observe(host, "host.resolver.servers", queried, output, first)
    names, line_number = domains.get(used, ((), None))
    yield observe(host, "host.resolver.domains", names, output, line_number)
