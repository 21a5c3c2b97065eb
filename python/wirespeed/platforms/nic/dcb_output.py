"""Traffic classes of a NIC in iproute2's ``dcb -j``: the kernel's view, the same for every driver.

Keys are those of iproute2 (dcb_ets.c, dcb_pfc.c, dcb_app.c, dcb_buffer.c). A driver without DCB answers
``Operation not supported`` and no JSON: then nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import observe, parse_json_object, parse_whole
from wirespeed.settings import Discipline, Dscp, NicTrafficClass, Place, Priority
from wirespeed.units import Size

ROCE_PORT = 4791
"""UDP port of RoCEv2; source: InfiniBand Architecture Specification, annex A17."""

DISCIPLINES = {"strict": Discipline.STRICT, "ets": Discipline.DWRR}
"""Transmission selection algorithms (IEEE 802.1Q, 8.6.8) by the names that the tools of all NICs use."""
ALGORITHM_NAMES = {discipline: name for name, discipline in DISCIPLINES.items()}
_COUNT = 8  # priorities, traffic classes and buffers of IEEE 802.1Q


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every NIC with output of dcb."""
    for command, read in _COMMANDS.items():
        for interface, output in outputs.per_nic(command):
            document = parse_json_object(output)
            if document is not None:
                yield from read(Place(outputs.device).child("nic", interface), document, output)


def _read_ets(place: Place, document: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    """A strict traffic class has no share; ``vendor`` and ``cbs`` are neither strict nor shared."""
    if isinstance(document.get("willing"), bool):
        yield _see(place, "nic.qos.willing", document["willing"], output, "willing")
    if (tcs := _parse_numbers(document.get("prio_tc"), _COUNT - 1)) is not None:
        priority_map = {Priority(priority): NicTrafficClass(tc) for priority, tc in enumerate(tcs)}
        yield _see(place, "nic.qos.priority_tc", priority_map, output, "prio_tc")
    disciplines = document.get("tc_tsa")
    if (
        not isinstance(disciplines, list)
        or len(disciplines) != _COUNT
        or not all(isinstance(name, str) for name in disciplines)
    ):
        return
    queue_settings = {
        NicTrafficClass(tc): DISCIPLINES[name] for tc, name in enumerate(disciplines) if name in DISCIPLINES
    }
    yield _see(place, "nic.qos.tc_discipline", queue_settings, output, "tc_tsa")
    if (shares := _parse_numbers(document.get("tc_bw"), 100)) is not None:
        share = {tc: shares[tc] for tc, discipline in queue_settings.items() if discipline is Discipline.DWRR}
        yield _see(place, "nic.qos.tc_share", share, output, "tc_bw")


def _read_pfc(place: Place, document: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    pfc_flags = document.get("prio_pfc")
    if isinstance(pfc_flags, list) and len(pfc_flags) == _COUNT and all(isinstance(flag, bool) for flag in pfc_flags):
        pfc = frozenset(Priority(priority) for priority, enabled in enumerate(pfc_flags) if enabled)
        yield _see(place, "nic.qos.pfc", pfc, output, "prio_pfc")


def _read_app(place: Place, document: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    """An empty table prints no key at all, so that every mapping is known to be empty."""
    dscps = _parse_pairs(document.get("dscp_prio", []), Dscp.last)
    if dscps is not None:
        priority_map = {Dscp(dscp): Priority(priority) for dscp, priority in dscps}
        yield _see(place, "nic.qos.dscp_priority", priority_map, output, "dscp_prio")
        if priority_map:
            yield _see(place, "nic.qos.trust", "dscp", output, "dscp_prio")
    ports = _parse_pairs(document.get("dgram_port_prio", []), 65535) or []
    for port, priority in ports:
        if port == ROCE_PORT:
            yield _see(place, "nic.qos.roce_priority", Priority(priority), output, "dgram_port_prio")


def _read_buffer(place: Place, document: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    if (buffers := _parse_numbers(document.get("prio_buffer"), _COUNT - 1)) is not None:
        priority_map = {Priority(priority): number for priority, number in enumerate(buffers)}
        yield _see(place, "nic.qos.priority_buffer", priority_map, output, "prio_buffer")
    if (sizes := _parse_numbers(document.get("buffer_size"), 2**32 - 1)) is not None:
        buffer_sizes = {number: Size(size) for number, size in enumerate(sizes)}
        yield _see(place, "nic.qos.buffer_size", buffer_sizes, output, "buffer_size")


_Read = Callable[[Place, Mapping[str, Any], Output], Iterator[Observation]]
_COMMANDS: Mapping[str, _Read] = {
    "dcb-ets": _read_ets,
    "dcb-pfc": _read_pfc,
    "dcb-app": _read_app,
    "dcb-buffer": _read_buffer,
}


def _see(place: Place, path: str, value: object, output: Output, key: str) -> Observation:
    position = output.text.find(f'"{key}"')
    return observe(place, path, value, output, None if position < 0 else output.text.count("\n", 0, position) + 1)


def _parse_numbers(document: object, last: int) -> list[int] | None:
    """Eight whole numbers up to the last; None for other texts."""
    if not isinstance(document, list) or len(document) != _COUNT:
        return None
    numbers = [number for value in document if (number := parse_whole(value)) is not None and number <= last]
    return numbers if len(numbers) == _COUNT else None


def _parse_pairs(document: object, last: int) -> list[tuple[int, int]] | None:
    """Pairs of a protocol number and a priority; None for other texts."""
    if not isinstance(document, list):
        return None
    pairs: list[tuple[int, int]] = []
    for entry in document:
        if not isinstance(entry, list) or len(entry) != 2:
            return None
        protocol, priority = parse_whole(entry[0]), parse_whole(entry[1])
        if protocol is None or priority is None or protocol > last or priority > Priority.last:
            return None
        pairs.append((protocol, priority))
    return pairs
