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

_SERVED = {"strict": Discipline.STRICT, "ets": Discipline.DWRR}
_COUNT = 8  # priorities, traffic classes and buffers of IEEE 802.1Q


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of every NIC with output of dcb."""
    for command, read in _COMMANDS.items():
        for interface, output in outputs.per_nic(command):
            found = parse_json_object(output)
            if found is not None:
                yield from read(Place(outputs.device).child("nic", interface), found, output)


def _ets(place: Place, found: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    """A strict traffic class has no share; ``vendor`` and ``cbs`` are neither strict nor shared."""
    if isinstance(found.get("willing"), bool):
        yield _see(place, "nic.qos.willing", found["willing"], output, "willing")
    if (tcs := _numbers(found.get("prio_tc"), _COUNT - 1)) is not None:
        mapped = {Priority(priority): NicTrafficClass(tc) for priority, tc in enumerate(tcs)}
        yield _see(place, "nic.qos.priority_tc", mapped, output, "prio_tc")
    words = found.get("tc_tsa")
    if not isinstance(words, list) or len(words) != _COUNT or not all(isinstance(word, str) for word in words):
        return
    served = {NicTrafficClass(tc): _SERVED[word] for tc, word in enumerate(words) if word in _SERVED}
    yield _see(place, "nic.qos.tc_discipline", served, output, "tc_tsa")
    if (shares := _numbers(found.get("tc_bw"), 100)) is not None:
        share = {tc: shares[tc] for tc, discipline in served.items() if discipline is Discipline.DWRR}
        yield _see(place, "nic.qos.tc_share", share, output, "tc_bw")


def _pfc(place: Place, found: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    pfc_flags = found.get("prio_pfc")
    if isinstance(pfc_flags, list) and len(pfc_flags) == _COUNT and all(isinstance(flag, bool) for flag in pfc_flags):
        pfc = frozenset(Priority(priority) for priority, enabled in enumerate(pfc_flags) if enabled)
        yield _see(place, "nic.qos.pfc", pfc, output, "prio_pfc")


def _app(place: Place, found: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    """An empty table prints no key at all, so that every mapping is known to be empty."""
    dscps = _pairs(found.get("dscp_prio", []), Dscp.last)
    if dscps is not None:
        mapped = {Dscp(dscp): Priority(priority) for dscp, priority in dscps}
        yield _see(place, "nic.qos.dscp_priority", mapped, output, "dscp_prio")
        if mapped:
            yield _see(place, "nic.qos.trust", "dscp", output, "dscp_prio")
    ports = _pairs(found.get("dgram_port_prio", []), 65535) or []
    for port, priority in ports:
        if port == ROCE_PORT:
            yield _see(place, "nic.qos.roce_priority", Priority(priority), output, "dgram_port_prio")


def _buffer(place: Place, found: Mapping[str, Any], output: Output) -> Iterator[Observation]:
    if (buffers := _numbers(found.get("prio_buffer"), _COUNT - 1)) is not None:
        mapped = {Priority(priority): number for priority, number in enumerate(buffers)}
        yield _see(place, "nic.qos.priority_buffer", mapped, output, "prio_buffer")
    if (sizes := _numbers(found.get("buffer_size"), 2**32 - 1)) is not None:
        sized = {number: Size(size) for number, size in enumerate(sizes)}
        yield _see(place, "nic.qos.buffer_size", sized, output, "buffer_size")


_Read = Callable[[Place, Mapping[str, Any], Output], Iterator[Observation]]
_COMMANDS: Mapping[str, _Read] = {"dcb-ets": _ets, "dcb-pfc": _pfc, "dcb-app": _app, "dcb-buffer": _buffer}


def _see(place: Place, path: str, value: object, output: Output, key: str) -> Observation:
    at = output.text.find(f'"{key}"')
    return observe(place, path, value, output, None if at < 0 else output.text.count("\n", 0, at) + 1)


def _numbers(found: object, last: int) -> list[int] | None:
    """Eight whole numbers up to the last; None for anything else."""
    if not isinstance(found, list) or len(found) != _COUNT:
        return None
    numbers = [number for value in found if (number := parse_whole(value)) is not None and number <= last]
    return numbers if len(numbers) == _COUNT else None


def _pairs(found: object, last: int) -> list[tuple[int, int]] | None:
    """Pairs of a protocol number and a priority; None for anything else."""
    if not isinstance(found, list):
        return None
    pairs: list[tuple[int, int]] = []
    for entry in found:
        if not isinstance(entry, list) or len(entry) != 2:
            return None
        protocol, priority = parse_whole(entry[0]), parse_whole(entry[1])
        if protocol is None or priority is None or protocol > last or priority > Priority.last:
            return None
        pairs.append((protocol, priority))
    return pairs
