"""Changed simulation parameters as text: name, old value, new value, unit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from wirespeed.results.algorithm_comparison import Change


def describe_changes(changes: Iterable[Change]) -> Iterator[str]:
    """One line for each parameter, such as ``ECN maximum threshold 4,000,000 → 1,000,000 bytes``."""
    by_parameter: dict[str, list[Change]] = {}
    for change in changes:
        by_parameter.setdefault(change.parameter, []).append(change)
    for parameter, several in by_parameter.items():
        label, format_value, unit = _LABELS.get(parameter, (parameter, _format_plain, ""))
        ends = [
            " → ".join(_join_values(values, format_value) for values in (change.before, change.after))
            for change in several
        ]
        yield f"{label} {', of single devices '.join(ends)}{f' {unit}' if unit else ''}"


def _join_values(values: tuple[object, ...], format_value: Callable[[Any], str]) -> str:
    return ", ".join(map(format_value, values))


def _format_plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | float):
        return f"{value:,}"
    return value if isinstance(value, str) else json.dumps(value)


def _format_percent(value: Any) -> str:
    return f"{value * 100:g} %"


def _format_microseconds(value: Any) -> str:
    return "none" if value is None else f"{value / 1000:,g}"


def _format_priorities(value: Any) -> str:
    """Format the numbers of the set bits."""
    return ", ".join(str(number) for number in range(8) if value >> number & 1) or "none"


def _format_ack_timeout(value: Any) -> str:
    """4.096 µs × 2^value (IBTA volume 1, 9.7.6.1.3), in microseconds."""
    return "none" if value == 0 else f"{4.096 * 2**value:,.1f}"


def _format_reference_speed(value: Any) -> str:
    return "none" if value is None else f"{value} Gb/s"


def _format_ack_priority(value: Any) -> str:
    return "that of the data" if value is None else str(value)


def _format_depth(value: Any) -> str:
    return "unlimited" if value is None else f"{value:,}"


def _format_reordering(value: Any) -> str:
    if not isinstance(value, dict):
        return _format_plain(value)
    other_values = [_format_plain(entry) for key, entry in value.items() if key not in ("rule", "ns")]
    time = [f"{value['ns'] / 1000:,g} µs"] if "ns" in value else []
    return " ".join([str(value.get("rule", "")), *time, *other_values])


def _format_trimming(value: Any) -> str:
    if not isinstance(value, dict):
        return "off"
    queue = "" if value.get("queue_ns") is None else f", queues above {value['queue_ns'] / 1000:,g} µs"
    return f"to {value['trimmed_bytes']} bytes, priority {value['priority']}{queue}"


_LABELS: dict[str, tuple[str, Callable[[Any], str], str]] = {
    "congestion.credit_timeout_ns": ("credit timeout", _format_microseconds, "µs"),
    "ecmp.balance": ("load balancing", _format_plain, ""),
    "marking.enabled": ("ECN marking", _format_plain, ""),
    "marking.kmax_bytes": ("ECN maximum threshold", _format_plain, "bytes"),
    "marking.kmin_bytes": ("ECN minimum threshold", _format_plain, "bytes"),
    "marking.pmax": ("ECN probability at the maximum threshold", _format_percent, ""),
    "marking.reference_gbps": ("link speed of the ECN thresholds", _format_reference_speed, ""),
    "notification.interval_ns": ("minimum interval of CNPs", _format_microseconds, "µs"),
    "pfc.lossless_priorities": ("lossless priorities", _format_priorities, ""),
    "switch.trimming": ("packet trimming", _format_trimming, ""),
    "transport.ack_priority": ("priority of ACKs", _format_ack_priority, ""),
    "transport.ack_timeout": ("ACK timeout", _format_ack_timeout, "µs"),
    "transport.recovery": ("loss recovery", _format_plain, ""),
    "transport.reordering": ("reordering", _format_reordering, ""),
    "transport.rx_depth": ("posted receives", _format_depth, ""),
}
"""Label, value format and unit of each parameter."""
