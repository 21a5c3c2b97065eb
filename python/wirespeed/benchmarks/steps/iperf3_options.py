"""Options of iperf3 that a user may add to the client of a suite; those of the suite itself are not among them.

Source: iperf3(1); largest values: esnet/iperf, src/iperf.h (MAX_BLOCKSIZE, MAX_TCP_BUFFER, MAX_MSS, MIN_INTERVAL,
MAX_INTERVAL), which iperf_api.c compares; K, M and G are powers of 1024 (src/units.c, unit_atoi). What changes the
direction, the protocol, the duration or the output would change what a step measures, and is left to the suite.
"""

from __future__ import annotations

import re
import shlex

from wirespeed.errors import did_you_mean, refuse

_COUNT, _SIZE, _SECONDS = r"[1-9]\d{0,8}", r"[1-9]\d{0,8}[KMGkmg]?", r"\d{1,4}(\.\d{1,3})?"

_OPTIONS = {
    ("-P", "--parallel"): (r"[1-9]|[1-9]\d|1[01]\d|12[0-8]", "streams, 1 to 128"),
    ("-l", "--length"): (_SIZE, "bytes of each write, 1M at most"),
    ("-i", "--interval"): (_SECONDS, "seconds between reports, 0 or 0.1 to 60"),
    ("-w", "--window"): (_SIZE, "socket buffer, 512M at most"),
    ("-C", "--congestion"): (r"[a-z0-9_]{1,16}", "TCP congestion control, such as bbr"),
    ("-M", "--set-mss"): (_COUNT, "largest segment in bytes, 32767 at most"),
    ("-Z", "--zerocopy"): ("", "send without copying"),
    ("-N", "--no-delay"): ("", "no Nagle's algorithm"),
}
"""The options with the pattern and the meaning of their value; an empty pattern: the option has no value."""

_LARGEST = {"-l": 2**20, "-w": 512 * 2**20, "-M": 32767, "-i": 60}
_SHORTEST_INTERVAL = 0.1
_UNITS = {"k": 2**10, "m": 2**20, "g": 2**30}
_FIXED = "what changes protocol, direction, duration or output would change what the suite measures"

_STREAMS = ("-P", "8")
"""ESnet's 400G testbed measures with 8 streams."""


def parse_iperf3_options(text: str) -> tuple[str, ...]:
    """The words of the options, with 8 streams unless they name a number.

    Raises:
        Refusal: an option that the suite sets itself or that iperf3 does not have, or a wrong value.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise refuse("--iperf3", f"{text!r}: {error}", "options of iperf3, such as '-Z -l 1M'") from None
    by_name = {name: (names, *value) for names, value in _OPTIONS.items() for name in names}
    options: dict[str, tuple[str, ...]] = {"-P": _STREAMS}
    named: set[str] = set()
    remaining = iter(words)
    for word in remaining:
        name, is_joined, joined = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        if name not in by_name:
            raise refuse(
                "--iperf3",
                f"the option {name}",
                f"one of {', '.join(short for short, _ in _OPTIONS)}; {_FIXED}",
                did_you_mean(name, list(by_name)) if len(name) > 2 else None,
            )
        names, pattern, meaning = by_name[name]
        value = "" if not pattern and not is_joined else joined if is_joined else next(remaining, "")
        if names[0] in named:
            raise refuse("--iperf3", f"{name} twice", "each option once")
        named.add(names[0])
        if not re.fullmatch(pattern, value) or not _is_in_range(names[0], value):
            raise refuse("--iperf3", f"{name} {value}".rstrip(), f"{name}: {meaning}" if pattern else f"{name} alone")
        options[names[0]] = (names[0], *((value,) if pattern else ()))
    return tuple(word for option in options.values() for word in option)


def _is_in_range(name: str, text: str) -> bool:
    """Whether iperf3 accepts the number."""
    if name not in _LARGEST:
        return True
    value = float(text.rstrip("KMGkmg")) * _UNITS.get(text[-1].lower(), 1)
    return value <= _LARGEST[name] and (name != "-i" or value == 0 or value >= _SHORTEST_INTERVAL)
