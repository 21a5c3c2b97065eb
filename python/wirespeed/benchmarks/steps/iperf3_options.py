"""Options of iperf3 that a user may add to the client of a suite; those of the suite itself are not among them.

Source: iperf3(1). What changes the direction, the protocol, the duration or the output would change what a step
measures, and is left to the suite.
"""

from __future__ import annotations

import re
import shlex

from wirespeed.errors import did_you_mean, refuse

_COUNT, _SIZE, _SECONDS = r"[1-9]\d{0,8}", r"[1-9]\d{0,8}[KMGkmg]?", r"\d{1,4}(\.\d{1,3})?"

_OPTIONS = {
    ("-P", "--parallel"): (r"[1-9]|[1-9]\d|1[01]\d|12[0-8]", "streams, 1 to 128"),
    ("-l", "--length"): (_SIZE, "bytes of each write, such as 1M"),
    ("-i", "--interval"): (_SECONDS, "seconds between reports"),
    ("-w", "--window"): (_SIZE, "socket buffer, such as 64M"),
    ("-C", "--congestion"): (r"[a-z0-9_]{1,16}", "TCP congestion control, such as bbr"),
    ("-M", "--set-mss"): (_COUNT, "largest segment in bytes"),
    ("-Z", "--zerocopy"): ("", "send without copying"),
    ("-N", "--no-delay"): ("", "no Nagle's algorithm"),
}
"""The options with the pattern and the meaning of their value; an empty pattern: the option has no value."""

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
    remaining = iter(words)
    for word in remaining:
        name, is_joined, joined = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        if name not in by_name:
            raise refuse(
                "--iperf3",
                f"the option {name}",
                f"one of {', '.join(short for short, _ in _OPTIONS)}: the suite sets all others",
                did_you_mean(name, list(by_name)) if len(name) > 2 else None,
            )
        names, pattern, meaning = by_name[name]
        value = "" if not pattern and not is_joined else joined if is_joined else next(remaining, "")
        if not re.fullmatch(pattern, value):
            raise refuse("--iperf3", f"{name} {value}".rstrip(), f"{name}: {meaning}" if pattern else f"{name} alone")
        options[names[0]] = (names[0], *((value,) if pattern else ()))
    return tuple(word for option in options.values() for word in option)
