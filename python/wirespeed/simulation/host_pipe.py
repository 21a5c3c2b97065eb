"""The path from the NICs of a plan to memory: PCIe, if it may be slower than the port.

A slot that is never slower has no pipe in the scenario, and does not delay the packets of its NIC.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wirespeed import wire
from wirespeed.errors import Problem, Refusal
from wirespeed.limits import pcie
from wirespeed.limits.host import find_ordered_writes_term, writes_in_order
from wirespeed.limits.impact import nic_function
from wirespeed.limits.nic import build_slot
from wirespeed.plan import Cable, Plan
from wirespeed.settings import DistinctValues, Nic, NicQos, PcieFunction
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.nics import Assume
from wirespeed.simulation.plan_names import Names
from wirespeed.simulation.receive_buffer import pause_thresholds
from wirespeed.simulation.workload import HostPipe, Traffic
from wirespeed.units import PCIE_GENERATIONS, Duration, format_pcie_link

_GENERATIONS = {rate: generation for rate, generation in PCIE_GENERATIONS.items() if generation <= 5}  # without flits
_TAGS = 256  # eight bits, extended tags (PCI Express Base 5.0, section 2.2.6.2)
_ROUND_TRIP = Duration(547_000)
"""Picoseconds of a read of 64 bytes by a device in a Xeon E5, the median of two million (Neugebauer et al.,
"Understanding PCIe performance for end host networking", SIGCOMM 2018, section 6)."""
_PS_PER_NS = 1000
_MOST_TAGS = 1 << 14  # fourteen bits (PCI Express Base 6.0, section 2.2.6.2)
_LARGEST_BUFFER = 1 << 31  # bytes, the maximum of the core
_LONGEST_TRIP = Duration(10**12)  # one second, the maximum of the core


@dataclass(frozen=True, slots=True)
class _Port:
    """A NIC port with its cable and slot."""

    host: str
    nic: Nic
    cable: Cable
    function: PcieFunction
    slot: pcie.Slot

    @property
    def name(self) -> str:
        return self.nic.model or "a NIC"

    @property
    def speed(self) -> int:
        """Bits per second."""
        return int(self.nic.link.speed or self.cable.speed)


def build_pipes(plan: Plan, names: Names, traffic: Traffic | None, assume: Assume) -> Mapping[int, form.Pipe | None]:
    """The pipe of each NIC port, None for a port without one; empty if no port has one.

    Raises:
        Refusal: a value of `host_pipe` in the traffic file is too small or too large; with its line.
    """
    if traffic is not None and traffic.host_pipe is not None:
        _check_ranges(traffic, traffic.host_pipe)
    builder = _PipeBuilder(plan, traffic, assume)
    pipes: dict[int, form.Pipe | None] = {}
    narrow: list[_Port] = []
    for number, _, end in names.ports():
        if end.device not in plan.hosts:
            continue
        nic = plan.hosts[end.device].nics[end.port]
        port = builder.port(end.device, nic, plan.cables[number // 2])
        pipes[number] = builder.pipe(port) if port else None
        narrow += [port] if port else []
    builder.assume_full_links(narrow)
    return pipes if any(pipes.values()) else {}


def _check_ranges(traffic: Traffic, host_pipe: HostPipe) -> None:
    """Refuse values out of range."""
    problems: list[Problem] = []

    def hold(good: bool, key: str, found: str, expected: str) -> None:
        if not good:
            problems.append(Problem(traffic.origin.locate("host_pipe", key), found, expected))

    if host_pipe.tags is not None:
        hold(host_pipe.tags <= _MOST_TAGS, "tags", f"{host_pipe.tags:,} tags", f"at most {_MOST_TAGS:,}")
    if host_pipe.round_trip is not None:
        expected = f"more than 0 s, at most {_LONGEST_TRIP}"
        hold(0 < host_pipe.round_trip <= _LONGEST_TRIP, "round_trip", str(host_pipe.round_trip), expected)
    if host_pipe.receive_buffer is not None:
        found, expected = f"{int(host_pipe.receive_buffer):,} bytes", f"at most {_LARGEST_BUFFER:,}"
        hold(host_pipe.receive_buffer <= _LARGEST_BUFFER, "receive_buffer", found, expected)
    if problems:
        raise Refusal(problems)


class _PipeBuilder:
    """Builds pipes, one for all ports with the same properties."""

    def __init__(self, plan: Plan, traffic: Traffic | None, assume: Assume) -> None:
        self._plan, self._traffic, self._assume = plan, traffic, assume
        self._host_pipe = traffic.host_pipe if traffic else None
        self._qos: DistinctValues[NicQos] = DistinctValues()
        self._pipes_by_form: dict[tuple[object, ...], form.Pipe | None] = {}

    def port(self, host: str, nic: Nic, cable: Cable) -> _Port | None:
        """A port with a known slot of a modelled generation; None for an NTB card, which is PCIe on both sides."""
        model = self._plan.hardware.nics.get(nic.model or "")
        if model is not None and model.ntb is not None:
            return None
        function = nic_function(self._plan, host, nic)
        slot = build_slot(function, [])
        if function is None or slot is None:
            return None
        if slot.rate not in _GENERATIONS:
            self._assume(
                f"PCIe {format_pcie_link(slot.rate, slot.lanes)}: not a limit (this PCIe generation is not modelled)"
            )
            return None
        return _Port(host, nic, cable, function, slot)

    def pipe(self, port: _Port) -> form.Pipe | None:
        """None if neither direction can be slower than the port."""
        host, nic, cable = self._plan.hosts[port.host], port.nic, port.cable
        key = (
            *(host.model, nic.model, nic.nvm, nic.link.speed, nic.link.mtu, self._qos.number(nic.qos), port.slot),
            *(port.function.relaxed_ordering, port.function.max_payload, port.function.max_read_request),
            *(cable.speed, cable.length, cable.cable),
        )
        if key not in self._pipes_by_form:
            self._pipes_by_form[key] = self._build_pipe(port)
        return self._pipes_by_form[key]

    def _build_pipe(self, port: _Port) -> form.Pipe | None:
        slot = port.slot
        tags = self._find_tags(port.nic)
        trip_ns = -(-int((self._host_pipe and self._host_pipe.round_trip) or _ROUND_TRIP) // _PS_PER_NS)
        ordered = self._find_ordered_write_rate(port)
        rates = [
            int(pcie.two_way(slot).value * 1e9 / 2),
            wire.pcie_reads(slot.rate, slot.lanes, slot.max_payload),
            wire.outstanding_rate(tags, slot.max_read_request, trip_ns),
            *([] if ordered is None else [ordered]),
        ]
        if min(rates) >= port.speed:
            return None
        self._assume_slot(port, tags, trip_ns)
        link: form.Pcie = {
            "generation": _GENERATIONS[slot.rate],
            "width": slot.lanes,
            "max_payload_bytes": slot.max_payload,
            "dllp_bytes": None,
            "ordered_writes": None if ordered is None else {"rule": "measured", "bps": ordered},
            "reads": {
                "tags": tags,
                "max_read_request_bytes": slot.max_read_request,
                "round_trip_ns": trip_ns,
                "read_completion_boundary_bytes": None,
            },
        }
        return {"gbps": None, "pcie": link, "latency_ns": 0, **self._build_buffer(port)}

    def _find_tags(self, nic: Nic) -> int:
        """Outstanding reads: the value of the traffic file, else of the NIC's NVRAM settings."""
        return min((self._host_pipe and self._host_pipe.tags) or nic.nvm.outstanding_reads or _TAGS, _MOST_TAGS)

    def _find_ordered_write_rate(self, port: _Port) -> int | None:
        """Rate of strictly ordered writes, bits per second; None with relaxed ordering or if unknown."""
        if not writes_in_order(port.nic, port.function):
            return None
        term = find_ordered_writes_term(self._plan, port.host)
        if term is None:
            model = self._plan.hosts[port.host].model or "the host"
            self._assume(f"writes with strict ordering in {model}: not limited (the rate of its CPU is not known)")
            return None
        return int(term.value * 1e9)

    def _assume_slot(self, port: _Port, tags: int, trip_ns: int) -> None:
        """Assume values of a slot that neither plan nor traffic file contains."""
        function, slot, host_pipe = port.function, port.slot, self._host_pipe
        assumed = [
            *([] if function.max_payload else [f"MaxPayload {slot.max_payload} bytes"]),
            *([] if function.max_read_request else [f"MaxReadRequest {slot.max_read_request:,} bytes"]),
            *(
                []
                if (host_pipe and host_pipe.tags) or port.nic.nvm.outstanding_reads
                else [f"{tags} outstanding reads"]
            ),
            *([] if host_pipe and host_pipe.round_trip else [f"{trip_ns:,} ns round trip"]),
        ]
        if assumed:
            self._assume(f"PCIe of {port.name} ({format_pcie_link(slot.rate, slot.lanes)}): {', '.join(assumed)}")

    def _build_buffer(self, port: _Port) -> form.Pipe:
        """The receive buffer, with the headroom of all lossless priorities."""
        needed = pause_thresholds(self._plan, port.nic, port.cable)
        size = self._choose_buffer_size(port, needed.headroom + needed.minimum_bytes)
        if size < needed.minimum_bytes:
            self._refuse_size(port, size, needed.minimum_bytes)
        return needed.pipe(size)

    def _choose_buffer_size(self, port: _Port, computed: int) -> int:
        """Size by the traffic file, else as planned for lossless priorities, else computed."""
        if self._host_pipe is not None and self._host_pipe.receive_buffer is not None:
            return int(self._host_pipe.receive_buffer)
        qos = port.nic.qos
        numbers = {number for priority, number in (qos.priority_buffer or {}).items() if priority in (qos.pfc or ())}
        planned = sum(int((qos.buffer_size or {}).get(number, 0)) for number in numbers)
        if planned:
            return planned
        self._assume(
            f"receive buffer of {port.name}: {computed:,} bytes (not published; the minimum for lossless operation at "
            "full rate)"
        )
        return computed

    def _refuse_size(self, port: _Port, size: int, minimum: int) -> None:
        """Refuse a buffer of the traffic file that is too small. A planned one is used, and may lose frames."""
        if self._host_pipe is None or self._host_pipe.receive_buffer is None or self._traffic is None:
            return self._assume(
                f"receive buffer of {port.name}: {size:,} bytes, less than headroom plus MTU ({minimum:,})"
            )
        raise Refusal(
            [
                Problem(
                    self._traffic.origin.locate("host_pipe", "receive_buffer"),
                    f"{size:,} bytes",
                    f"at least {minimum:,}",
                    f"the headroom of {port.name}'s cable and an MTU",
                )
            ]
        )

    def assume_full_links(self, ports: Iterable[_Port]) -> None:
        """Assume that each port of a card has the full PCIe link; listed if the ports together exceed the link."""
        cards: dict[tuple[str, str], list[_Port]] = {}
        for port in ports:
            card = (port.nic.pcie or "").rpartition(".")[0]
            if card:
                cards.setdefault((port.host, card), []).append(port)
        for members in cards.values():
            carried = pcie.one_way(members[0].slot).value * 1e9
            if len(members) > 1 and sum(port.speed for port in members) > carried:
                self._assume(f"ports of {members[0].name}: each has the full PCIe link of its card")
