"""What stands between the NICs of a plan and memory: PCIe, where it may be slower than the port.

A slot that never is has no pipe in the scenario, so its NIC's packets come and go as if there were none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from wirespeed import wire
from wirespeed.errors import Problem, Refused
from wirespeed.limits import pcie
from wirespeed.limits.host import ordered_writes_term, writes_in_order
from wirespeed.limits.impact import nic_function
from wirespeed.limits.nic import slot_of
from wirespeed.plan import Cable, Plan
from wirespeed.settings import DistinctValues, Nic, NicQos, PcieFunction
from wirespeed.simulation import scenario_types as form
from wirespeed.simulation.nics import Assume
from wirespeed.simulation.plan_names import Names
from wirespeed.simulation.receive_buffer import pausing
from wirespeed.simulation.workload import HostPipe, Traffic
from wirespeed.units import Duration, format_transfer_rate

_GENERATIONS = {2500: 1, 5000: 2, 8000: 3, 16000: 4, 32000: 5}  # MT/s (PCI Express Base 5.0, section 1.2)
_TAGS = 256  # of eight bits, extended tags (PCI Express Base 5.0, section 2.2.6.2)
_ROUND_TRIP = Duration(547_000)
"""Picoseconds of a read of 64 bytes by a device in a Xeon E5, the median of two million (Neugebauer et al.,
"Understanding PCIe performance for end host networking", SIGCOMM 2018, section 6)."""
_PS_PER_NS = 1000
_MOST_TAGS = 1 << 14  # fourteen bits (PCI Express Base 6.0, section 2.2.6.2)
_LARGEST_BUFFER = 1 << 31  # bytes that the core takes
_LONGEST_TRIP = Duration(10**12)  # what it takes, too: a second


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


def pipes_of(plan: Plan, names: Names, traffic: Traffic | None, assume: Assume) -> Mapping[int, form.Pipe | None]:
    """The pipe of each NIC port, None where it has none; nothing where no port has one.

    Raises:
        Refused: what the traffic file says of NICs is too small or too large; with its line.
    """
    if traffic is not None and traffic.host_pipe is not None:
        _check(traffic, traffic.host_pipe)
    making = _Making(plan, traffic, assume)
    found: dict[int, form.Pipe | None] = {}
    narrow: list[_Port] = []
    for number, _, end in names.ports():
        if end.device not in plan.hosts:
            continue
        nic = plan.hosts[end.device].nics[end.port]
        port = making.port(end.device, nic, plan.cables[number // 2])
        found[number] = making.pipe(port) if port else None
        narrow += [port] if port else []
    making.shared(narrow)
    return found if any(found.values()) else {}


def _check(traffic: Traffic, said: HostPipe) -> None:
    """Refuse what is out of its range."""
    problems: list[Problem] = []

    def hold(good: bool, key: str, found: str, expected: str) -> None:
        if not good:
            problems.append(Problem(traffic.origin.locate("host_pipe", key), found, expected))

    if said.tags is not None:
        hold(said.tags <= _MOST_TAGS, "tags", f"{said.tags:,} tags", f"at most {_MOST_TAGS:,}")
    if said.round_trip is not None:
        expected = f"more than 0 s, at most {_LONGEST_TRIP}"
        hold(0 < said.round_trip <= _LONGEST_TRIP, "round_trip", str(said.round_trip), expected)
    if said.receive_buffer is not None:
        found, expected = f"{int(said.receive_buffer):,} bytes", f"at most {_LARGEST_BUFFER:,}"
        hold(said.receive_buffer <= _LARGEST_BUFFER, "receive_buffer", found, expected)
    if problems:
        raise Refused(problems)


class _Making:
    """Makes pipes, each once for ports that are alike."""

    def __init__(self, plan: Plan, traffic: Traffic | None, assume: Assume) -> None:
        self._plan, self._traffic, self._assume = plan, traffic, assume
        self._said = traffic.host_pipe if traffic else None
        self._qos: DistinctValues[NicQos] = DistinctValues()
        self._made: dict[tuple[object, ...], form.Pipe | None] = {}

    def port(self, host: str, nic: Nic, cable: Cable) -> _Port | None:
        """A port whose slot is known, and one that the simulator knows; none of a card that is PCIe on both sides."""
        model = self._plan.hardware.nics.get(nic.model or "")
        if model is not None and model.ntb is not None:
            return None
        function = nic_function(self._plan, host, nic)
        slot = slot_of(function, [])
        if function is None or slot is None:
            return None
        if slot.rate not in _GENERATIONS:
            self._assume(
                f"PCIe at {format_transfer_rate(slot.rate)} is never slower than a port: "
                "its PCIe generation is not modelled"
            )
            return None
        return _Port(host, nic, cable, function, slot)

    def pipe(self, port: _Port) -> form.Pipe | None:
        """None where neither direction can be slower than the port."""
        host, nic, cable = self._plan.hosts[port.host], port.nic, port.cable
        key = (
            *(host.model, nic.model, nic.nvm, nic.link.speed, nic.link.mtu, self._qos.number(nic.qos), port.slot),
            *(port.function.relaxed_ordering, port.function.max_payload, port.function.max_read_request),
            *(cable.speed, cable.length, cable.cable),
        )
        if key not in self._made:
            self._made[key] = self._pipe(port)
        return self._made[key]

    def _pipe(self, port: _Port) -> form.Pipe | None:
        slot = port.slot
        tags = self._tags(port.nic)
        trip_ns = -(-int((self._said and self._said.round_trip) or _ROUND_TRIP) // _PS_PER_NS)
        ordered = self._ordered(port)
        rates = [
            int(pcie.two_way(slot).value * 1e9 / 2),
            wire.pcie_reads(slot.rate, slot.lanes, slot.max_payload),
            wire.pcie_under_way(tags, slot.max_read_request, trip_ns),
            *([] if ordered is None else [ordered]),
        ]
        if min(rates) >= port.speed:
            return None
        self._unsaid(port, tags, trip_ns)
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
        return {"gbps": None, "pcie": link, "latency_ns": 0, **self._buffer(port)}

    def _tags(self, nic: Nic) -> int:
        """Reads outstanding at one time: what the traffic file says, else the NIC's own option."""
        return min((self._said and self._said.tags) or nic.nvm.outstanding_reads or _TAGS, _MOST_TAGS)

    def _ordered(self, port: _Port) -> int | None:
        """What writes that keep their order reach, bits per second; None where they need not or nobody knows."""
        if not writes_in_order(port.nic, port.function):
            return None
        term = ordered_writes_term(self._plan, port.host)
        if term is None:
            model = self._plan.hosts[port.host].model or "the host"
            self._assume(
                f"writes without relaxed ordering are no slower in {model}: the figure of its CPU is not known"
            )
            return None
        return int(term.value * 1e9)

    def _unsaid(self, port: _Port, tags: int, trip_ns: int) -> None:
        """What neither plan nor traffic file says of a slot that may be too slow."""
        found, slot, said = port.function, port.slot, self._said
        unsaid = [
            *([] if found.max_payload else [f"MaxPayload {slot.max_payload} bytes"]),
            *([] if found.max_read_request else [f"MaxReadRequest {slot.max_read_request:,} bytes"]),
            *([] if (said and said.tags) or port.nic.nvm.outstanding_reads else [f"{tags} reads at one time"]),
            *([] if said and said.round_trip else [f"{trip_ns:,} ns for each"]),
        ]
        if unsaid:
            self._assume(f"PCIe of {port.name} ({format_transfer_rate(slot.rate)} x{slot.lanes}): {', '.join(unsaid)}")

    def _buffer(self, port: _Port) -> form.Pipe:
        """The receive buffer, with the headroom of all lossless priorities."""
        needed = pausing(self._plan, port.nic, port.cable)
        size = self._size(port, needed.headroom + needed.least)
        if size < needed.least:
            self._refuse(port, size, needed.least)
        return needed.of(size)

    def _size(self, port: _Port, computed: int) -> int:
        """What the traffic file says, else what the plan gives lossless priorities, else what is computed."""
        if self._said is not None and self._said.receive_buffer is not None:
            return int(self._said.receive_buffer)
        qos = port.nic.qos
        numbers = {number for priority, number in (qos.priority_buffer or {}).items() if priority in (qos.pfc or ())}
        planned = sum(int((qos.buffer_size or {}).get(number, 0)) for number in numbers)
        if planned:
            return planned
        self._assume(
            f"receive buffer of {port.name} {computed:,} bytes, because none is published: "
            "the smallest with which PFC loses nothing and PCIe never waits"
        )
        return computed

    def _refuse(self, port: _Port, size: int, least: int) -> None:
        """Raises: the traffic file's buffer is too small. A planned one is as it is, and loses what it must."""
        if self._said is None or self._said.receive_buffer is None or self._traffic is None:
            return self._assume(f"receive buffer of {port.name} {size:,} bytes, less than headroom and MTU: {least:,}")
        raise Refused(
            [
                Problem(
                    self._traffic.origin.locate("host_pipe", "receive_buffer"),
                    f"{size:,} bytes",
                    f"at least {least:,}",
                    f"the headroom of {port.name}'s cable and an MTU",
                )
            ]
        )

    def shared(self, ports: Iterable[_Port]) -> None:
        """Ports of one card share its link, and here each has it alone: said where together they are faster."""
        cards: dict[tuple[str, str], list[_Port]] = {}
        for port in ports:
            card = (port.nic.pcie or "").rpartition(".")[0]
            if card:
                cards.setdefault((port.host, card), []).append(port)
        for members in cards.values():
            carried = pcie.one_way(members[0].slot).value * 1e9
            if len(members) > 1 and sum(port.speed for port in members) > carried:
                self._assume(f"each port of {members[0].name} has the full PCIe link of its card")
