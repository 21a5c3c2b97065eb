"""Text of numbers, sizes and device output in all formats."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise, takewhile

from wirespeed.results.findings import Finding, Impact
from wirespeed.results.series import Series
from wirespeed.results.topology import Edge
from wirespeed.units import Size, format_percent, format_unit

_USUAL = frozenset(
    {("aggregated_iterations", 1), ("threads_per_process", 1), ("root_rank", -1), ("streams", 1), ("queue_pairs", 1)}
)
_CAUSES_NAMED = 3
_DECIMALS = 7
"""An axis that needs this number of decimals has exponents instead."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ESCAPED = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # control, format (bidirectional overrides), surrogate, separators


STYLES = {
    "pass": "green",
    "warn": "yellow",
    "fail": "bold red",
    "unknown": "magenta",
    "skip": "dim",
    "error": "bold magenta",
}
"""Terminal style of each outcome of a check or a measurement."""


def clean(text: str) -> str:
    """Text without control characters for terminals or XML: invisible characters are shown as escapes.

    Line breaks and tabs stay. Device output may contain anything, including escape sequences.
    """
    return "".join(_escape_character(character) for character in text.replace("\r\n", "\n"))


def _escape_character(character: str) -> str:
    if character in "\n\t":
        return character
    if unicodedata.category(character) not in _ESCAPED and character not in "\ufffe\uffff":
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def line(text: str) -> str:
    """The text cleaned and on one line."""
    return " ".join(clean(text).split())


def join_lines(text: str) -> str:
    """The lines of a value on one line: ``first | second``."""
    return " | ".join(filter(None, map(line, text.splitlines())))


def number(value: float) -> str:
    """A number with at least four significant digits and no exponent: ``0.0412``, ``317.3``, ``46,272``."""
    if value == 0:
        return "0"
    magnitude = abs(value)
    decimals = 0 if magnitude >= 1000 else 1 if magnitude >= 100 else 2 if magnitude >= 1 else 4
    text = f"{value:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if magnitude < 1 else text


def percent(fraction: float | None) -> str:
    """A fraction as percent with one decimal, so that 99.6 % never reads as 100 %."""
    return "" if fraction is None else format_percent(fraction)


def unit(name: str) -> str:
    """The unit of a measurement, on one line: ``µs`` for ``us``."""
    return line(format_unit(name))


def quantity(value: float, name: str) -> str:
    """A number with its unit, ``317.3 GB/s``."""
    return f"{number(value)} {unit(name)}"


def size(value: int | None) -> str:
    """A message size, ``16 GiB``; empty without a size."""
    return "" if value is None else str(Size(value))


def impact(value: Impact | None) -> str:
    """Estimated impact of a finding, ``-197 Gb/s`` of bandwidth or ``+3 µs`` of latency; empty if it is unknown."""
    if value is None:
        return ""
    sign = "-" if value.unit == "Gb/s" else "+"
    return f"{sign}{_format_estimate(value.value)} {value.unit}"


def _format_estimate(value: float) -> str:
    """A number with three digits, for estimates."""
    decimals = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return plain(round(value, decimals))


def moment(recorded: str) -> str:
    """A time stamp to the minute: ``2026-11-23 01:30 UTC``; other texts as they are."""
    try:
        time = datetime.fromisoformat(recorded)
    except ValueError:
        return recorded
    return recorded if time.tzinfo is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def plain(value: float) -> str:
    """A number without trailing zeros, for axes; below a thousandth with three digits and an exponent."""
    if 0 < abs(value) < 0.001:
        return f"{value:.3g}"
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def level_labels(values: Sequence[float]) -> list[str]:
    """Labels of a linear axis with rising values, all with the same number of decimals: ``0.0``, ``2.5``, ``5.0``."""
    tolerance = 1e-6 * min((after - before for before, after in pairwise(values)), default=1.0)
    for decimals in range(_DECIMALS):
        if all(abs(round(value, decimals) - value) <= tolerance for value in values):
            return [f"{value + 0.0:,.{decimals}f}" for value in values]
    return [f"{value:.2e}" for value in values]


def decade_labels(values: Sequence[float]) -> list[str]:
    """Labels of a logarithmic axis: all as numbers, ``0.1``, ``1``, ``10``, or all as powers, ``10⁶``, ``2×10⁶``."""
    if min(values) >= 0.001 and max(values) < 1e7:
        return [plain(value) for value in values]
    return [_format_power(value) for value in values]


def _format_power(value: float) -> str:
    exponent = math.floor(math.log10(value) + 1e-9)
    factor = plain(round(value / 10.0**exponent, 2))
    return ("" if factor == "1" else f"{factor}×") + f"10{str(exponent).translate(_SUPERSCRIPTS)}"


def format_cause(findings: Sequence[Finding]) -> str:
    """The check, and the places of its findings where they differ from those of these similar findings."""
    places = dict.fromkeys(
        format_place(finding.cause_device, finding.cause_place or "") for finding in findings if finding.cause_device
    )
    check = line(findings[0].cause or "")
    if not places:
        return check
    further = f" and {len(places) - _CAUSES_NAMED} more" if len(places) > _CAUSES_NAMED else ""
    return f"{check} at {', '.join([*places][:_CAUSES_NAMED])}{further}"


def format_place(device: str, place: str) -> str:
    """``leaf1:Eth1/21`` for a port or NIC, ``leaf1`` for the device, ``node1 rule from 10.1.0.1/32`` for the rest.

    A queue or priority group of a port is ``leaf1:Eth1/21 queue 3``; a NIC with several names (RDMA device, interface,
    PCIe address; not every NIC has the first and the last) is ``node1:eth0 (bnxt_re0, 0000:1d:00.0)``.
    """
    names = place.split(" / ")
    if len(names) > 1:
        interface = names.pop(0 if len(names) == 2 and _ADDRESS.fullmatch(names[1]) else 1)
        return line(f"{device}:{interface} ({', '.join(names)})")
    kind, _, name = place.partition(" ")
    if kind in ("port", "nic", "pcie") and name:
        return line(f"{device}:{name}")
    if place in ("", "host", "switch"):
        return line(device)
    return line(f"{device} {place}" if name else f"{device}:{place}")


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""A name without the operators of node ranges."""
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


def format_devices(names: Sequence[str]) -> str:
    """Names of devices as node ranges, ``leaf1, node[1-64]``; a list if one of them cannot be in a range."""
    from ClusterShell.NodeSet import NodeSet

    if len(names) == 1 or not all(map(_NAME.fullmatch, names)):
        return line(", ".join(names))
    return re.sub(r",(?![^\[]*\])", ", ", str(NodeSet.fromlist(list(names), resolver=None)))


def shorten_names(names: Sequence[str], letters: int) -> list[str]:
    """Names for places with room for this number of letters: without the domain, then without their equal start."""
    if all(len(name) <= letters for name in names):
        return list(names)
    ends = {name.partition(".")[2] for name in names}
    if len(ends) == 1:
        names = [name.partition(".")[0] for name in names]
    longest = max(map(len, names))
    if longest > letters and len(names) > 1:
        shared = (a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False)))
        start = re.sub(r"[0-9]+$", "", "".join(shared))
        names = [f"…{name.removeprefix(start)}" for name in names] if len(start) > 1 else names
    return [name if len(name) <= letters else f"{name[: max(letters - 1, 0)]}…" for name in names]


def cable(edge: Edge) -> str:
    """``node1:eth0 – leaf1:Eth1/1``."""
    return line(f"{edge.a}:{edge.a_port} – {edge.b}:{edge.b_port}")


def plural(count: int, singular: str, plural_form: str | None = None) -> str:
    """``1 cable``, ``3 cables``."""
    return f"{count:,} {singular if count == 1 else plural_form or singular + 's'}"


def series(stored_series: Series) -> str:
    """The identity of a series in one line."""
    workload = " ".join(
        key if value is True else f"{key}={value}"
        for key, value in stored_series.workload
        if (key, value) not in _USUAL
    )
    ranks = plural(stored_series.ranks, "rank") if stored_series.ranks is not None else None
    parts = (stored_series.test or stored_series.tool, ranks, workload, stored_series.ends, stored_series.label)
    return line(", ".join(part for part in parts if part))
