"""Physical limits of the paths between two places of a cluster, in one direction, Gb/s, with every term on the path.

A place is a NIC, a GPU, or the memory of a host. Between hosts the paths are RDMA, TCP and PCIe bridges, each over the
interfaces that reach each other. The terms are those that the judge of benchmarks compares with.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_interface

from wirespeed.limits import fabric, framing, latency, pcie, tcp
from wirespeed.limits import host as host_limits
from wirespeed.limits.algorithms import MESSAGE_RATE
from wirespeed.limits.bisection import uplinks
from wirespeed.limits.bound import GBPS, number, tightest
from wirespeed.limits.device_lending import count_borrowed
from wirespeed.limits.framing import Path
from wirespeed.limits.impact import USUAL_MTU, gpu_function, has_roce_class, is_bridge, nic_function
from wirespeed.limits.nic import (
    build_path,
    build_slot,
    catalogue_speed,
    cite_description,
    has_only_ipv6,
    list_ip_driver_terms,
)
from wirespeed.limits.paths import PathLimit, limit_gpu_pair, limit_gpu_to_memory, mark_unverified
from wirespeed.plan import Cable, Plan
from wirespeed.results.verdicts import Term
from wirespeed.settings import Nic, PcieLink
from wirespeed.units import Bandwidth, Duration

_SEND_BUFFER = 4 * 2**20
"""Bytes: largest tcp_wmem without a setting (Linux, net/ipv4/tcp.c, tcp_init), less than that of tcp_rmem."""

_TCP_PASSES = 3
"""Passes of each byte of TCP through the memory of a host: the copy between user and kernel reads and writes it
(Linux, net/ipv4/tcp.c: tcp_sendmsg_locked, tcp_recvmsg_locked), and the NIC reads or writes it once."""

_STAGED_PASSES = 1
"""Further passes of data of a GPU that is staged in the memory of a host: the GPU writes or reads it there."""

_READS = "computed for PCIe writes; reads are slightly faster (4 bytes less header per packet)"
"""Of a path from memory to a device that reads it (`pcie.one_way`)."""

_LINUX = "Linux, net/ipv4/tcp.c"


@dataclass(frozen=True, slots=True)
class PathEnd:
    """One end of a path."""

    host: str
    device: str | None = None  # an interface, a GPU; None: the memory of the host

    def __str__(self) -> str:
        return f"{self.host}:{self.device}" if self.device else self.host


@dataclass(frozen=True, slots=True)
class Conditions:
    """What limits depend on besides the plan."""

    message_size: int | None = None  # bytes of an RDMA message; None: an endless stream
    streams: int = 1  # of TCP
    round_trip: Duration | None = None  # None: propagation in the cables alone


def list_limits_between(plan: Plan, source: PathEnd, target: PathEnd, conditions: Conditions) -> tuple[PathLimit, ...]:
    """The limits of all paths between two places. Empty if no rate on them is known."""
    limits = _list_inside(plan, source, target) if source.host == target.host else ()
    if source.host != target.host:
        limits = _Connection(plan, source, target, conditions).list_limits()
    hosts = tuple(dict.fromkeys((source.host, target.host)))
    return tuple(mark_unverified(plan, limit, hosts) for limit in limits)


def override_pcie(plan: Plan, link: PcieLink | None, payload: int | None) -> Plan:
    """The plan with another PCIe link, or other data bytes in each packet, at every NIC and GPU."""
    hosts = {}
    for name, host in plan.hosts.items():
        functions = {
            position: dataclasses.replace(
                function, link=link or function.link, max_payload=payload or function.max_payload
            )
            if function.role == "endpoint"
            else function
            for position, function in host.pcie.items()
        }
        hosts[name] = dataclasses.replace(host, pcie=functions)
    return dataclasses.replace(plan, hosts=hosts)


def _list_inside(plan: Plan, source: PathEnd, target: PathEnd) -> Iterator[PathLimit]:
    """Paths inside one host."""
    host, settings = source.host, plan.hosts[source.host]
    devices = [device for device in (source.device, target.device) if device is not None]
    gpus = [device for device in devices if device in settings.gpus]
    nics = [device for device in devices if device in settings.nics]
    limits: Iterable[PathLimit] = ()
    if len(gpus) == 2:
        limits = limit_gpu_pair(plan, host, gpus[0], gpus[1])
    elif gpus and not nics:
        limits = limit_gpu_to_memory(plan, host, gpus[0])
    elif len(nics) == 1:
        terms = list(_list_pcie_terms(plan, PathEnd(host, nics[0]), gpus[0] if gpus else None))
        limits = [PathLimit(host, nics[0], "memory", "DMA", tightest(terms))] if terms else []
    is_read = (target.device in settings.nics and source.device not in settings.nics) or source.device is None
    for limit in limits:
        bound = limit.bound
        if is_read:
            bound = dataclasses.replace(bound, assumptions=(*bound.assumptions, _READS))
        yield dataclasses.replace(limit, source=str(source), target=str(target), bound=bound)


@dataclass(frozen=True, slots=True)
class _Connection:
    """Two places at different hosts."""

    plan: Plan
    source: PathEnd
    target: PathEnd
    conditions: Conditions

    def list_limits(self) -> Iterator[PathLimit]:
        """The limits of all paths."""
        pairs = list(self._list_interfaces())
        for near, far in pairs:
            yield from self._limit_pair(near, far)
        if self.source.device is None and self.target.device is None and len(pairs) > 1:
            yield from self._limit_all(pairs)

    def _list_interfaces(self) -> Iterator[tuple[str, str]]:
        """The interfaces that reach each other: of one rail or subnet, or named and connected by cables."""
        sources, targets = self._choose_interfaces(self.source), self._choose_interfaces(self.target)
        is_named = len(sources) == len(targets) == 1 and None not in (self.source.device, self.target.device)
        for near in sources:
            for far in targets:
                ends = (self.source.host, near), (self.target.host, far)
                is_connected = is_named and fabric.find_flow_bandwidth(self.plan, *ends) is not None
                if is_connected or _reach_each_other(self._nic(self.source, near), self._nic(self.target, far)):
                    yield near, far

    def _choose_interfaces(self, end: PathEnd) -> Sequence[str]:
        """The interfaces of an end: the one it is, those that serve its GPU, else all."""
        nics = self.plan.hosts[end.host].nics
        if end.device is not None and end.device in nics:
            return [end.device]
        serving = [name for name, nic in nics.items() if end.device is not None and nic.gpu == end.device]
        return serving or list(nics)

    def _nic(self, end: PathEnd, interface: str) -> Nic:
        return self.plan.hosts[end.host].nics[interface]

    def _limit_pair(self, near: str, far: str) -> Iterator[PathLimit]:
        """The paths over one pair of interfaces."""
        ends = (PathEnd(self.source.host, near), PathEnd(self.target.host, far))
        nics = [self._nic(end, interface) for end, interface in zip(ends, (near, far), strict=True)]
        if all(is_bridge(self.plan, nic) for nic in nics):
            yield from self._limit_bridge(ends)
            if all(nic.addresses for nic in nics):
                yield from self._limit_tcp_over_bridge(ends, nics)
            return
        if has_roce_class(self.plan) and all(nic.rdma_device for nic in nics):
            yield from self._limit_rdma(ends, nics)
        yield from self._limit_tcp(ends, nics)

    def _limit_rdma(self, ends: Sequence[PathEnd], nics: Sequence[Nic]) -> Iterator[PathLimit]:
        assumptions: list[str] = []
        path = _find_path(self.plan, nics, assumptions)
        if path is None:
            return
        slowest = min(nics, key=lambda nic: nic.link.speed or path.speed)
        terms = [cite_description(self.plan, slowest, None, framing.one_way(path, self.conditions.message_size))]
        rate = self._build_rate_term(nics)
        terms += [rate] if rate is not None else []
        terms += self._list_slow_cables(ends, path)
        gpus = [self._find_gpu(end) for end in (self.source, self.target)]
        direct = list(terms)
        for end, gpu in zip(ends, gpus, strict=True):
            direct += _list_pcie_terms(self.plan, end, gpu, assumptions, self.conditions.message_size)
            direct += self._list_memory_terms(end, 1, assumptions) if gpu is None else ()
        method = "GPUDirect RDMA write" if any(gpus) else "RDMA write"
        yield self._build_limit(ends, method, direct, assumptions)
        shares = list(self._list_uplink_terms(path))
        if shares:
            even = [*assumptions, "traffic is spread evenly over all uplinks"]
            yield self._build_limit(ends, f"{method} while all NICs use the uplinks", [*direct, *shares], even)
        if any(gpus):
            staged = [*terms, *self._list_staged_terms(ends, 1, assumptions, self.conditions.message_size)]
            yield self._build_limit(ends, "RDMA write, staged in memory", staged, assumptions)

    def _list_staged_terms(
        self, ends: Sequence[PathEnd], passes: int, assumptions: list[str], message_size: int | None = None
    ) -> Iterator[Term]:
        """NICs with buffers in the memory of their hosts, and GPUs that copy from and to it."""
        for place, end in zip((self.source, self.target), ends, strict=True):
            yield from _list_pcie_terms(self.plan, end, None, assumptions, message_size)
            gpu = self._find_gpu(place)
            yield from self._list_memory_terms(end, passes + (_STAGED_PASSES if gpu else 0), assumptions)
            slot = build_slot(gpu_function(self.plan, place.host, gpu), assumptions) if gpu else None
            if slot is not None:
                yield pcie.one_way(slot, f"PCIe slot of {place}")

    def _limit_tcp(self, ends: Sequence[PathEnd], nics: Sequence[Nic]) -> Iterator[PathLimit]:
        speeds = [nic.link.speed or catalogue_speed(self.plan, nic) for nic in nics]
        known_speeds = [speed for speed in speeds if speed is not None]
        if len(known_speeds) < len(nics) or any(is_bridge(self.plan, nic) for nic in nics):
            return
        assumptions = [
            f"MTU {USUAL_MTU} of {end.device}, the default: none is planned"
            for end, nic in zip(ends, nics, strict=True)
            if nic.link.mtu is None
        ]
        mtu = min(nic.link.mtu or USUAL_MTU for nic in nics)
        ipv6 = any(has_only_ipv6(nic.addresses) for nic in nics)
        slowest = nics[known_speeds.index(min(known_speeds))]
        terms = [
            cite_description(self.plan, slowest, None, tcp.tcp(min(known_speeds), mtu, ipv6=ipv6, timestamps=True)),
        ]
        terms += self._list_staged_terms(ends, _TCP_PASSES, assumptions)
        yield self._limit_tcp_streams(ends, "TCP", terms, assumptions)

    def _limit_tcp_over_bridge(self, ends: Sequence[PathEnd], nics: Sequence[Nic]) -> Iterator[PathLimit]:
        """The interfaces of the bridges: their driver sends no Ethernet frames, and copies by CPU or DMA."""
        assumptions: list[str] = []
        terms: list[Term] = []
        for end in ends:
            terms += _list_pcie_terms(self.plan, end, None, assumptions)
        drivers = {nic.model: (nic, end) for nic, end in zip(nics, ends, strict=True)}  # one rate between two hosts
        for nic, end in drivers.values():
            terms += list_ip_driver_terms(self.plan, nic, end.device or "")
        if terms:
            yield self._limit_tcp_streams(ends, "TCP over the PCIe bridge", terms, assumptions)

    def _limit_tcp_streams(
        self, ends: Sequence[PathEnd], protocol: str, terms: list[Term], assumptions: list[str]
    ) -> PathLimit:
        """The terms of an interface, with what cores and windows of TCP streams carry."""
        core = self._build_core_term(ends, assumptions)
        terms += [core] if core is not None else []
        window = self._build_window_term(ends)
        if window is not None and (
            self.conditions.round_trip is not None or window.value < min(term.value for term in terms)
        ):
            terms.append(window)
        elif window is not None:
            assumptions.append(
                "TCP windows do not limit the rate at the round-trip time of the cables alone (--round-trip sets "
                "another time)"
            )
        streams = self.conditions.streams
        if core is None:
            assumptions.append(f"the TCP rate of one core of {ends[1].host} is unknown: one stream can be slower")
        staged = ", staged in memory" if any(map(self._find_gpu, (self.source, self.target))) else ""
        method = f"{protocol}, {streams} stream{'s' if streams > 1 else ''}{staged}"
        return self._build_limit(ends, method, terms, assumptions)

    def _limit_bridge(self, ends: Sequence[PathEnd]) -> Iterator[PathLimit]:
        """A PCIe bridge at each end; a GPU at an end is reached through its own slot too."""
        assumptions: list[str] = []
        gpus = [self._find_gpu(end) for end in (self.source, self.target)]
        terms: list[Term] = []
        for end, gpu in zip(ends, gpus, strict=True):
            terms += _list_pcie_terms(self.plan, end, gpu, assumptions)
        if not terms:
            return
        yield self._build_limit(ends, "PCIe bridge", terms, assumptions)
        count = max(count_borrowed(self.plan, end.host) for end in (self.source, self.target))
        if count > 1 and any(gpus):
            bridge = min((term for term in terms if "bridge" in term.name), key=lambda term: term.value)
            share = dataclasses.replace(
                bridge, value=bridge.value / count, formula=f"({bridge.formula}) / {count} borrowed GPUs at once"
            )
            method = f"PCIe bridge, {count} borrowed GPUs at once"
            yield self._build_limit(ends, method, [*terms, share], assumptions)

    def _list_uplink_terms(self, path: Path) -> Iterator[Term]:
        """The share of a NIC in the uplinks of its leaf and pod, while all NICs below send over these uplinks."""
        payload = framing.one_way(path).value / path.speed.gb_per_s
        for tier in uplinks(self.plan):
            for group in tier:
                if self.source.host not in group.hosts or self.target.host in group.hosts:
                    continue
                below = sum(cable.speed for cable in self.plan.cables if _leaves_host(cable, group.hosts))
                value = path.speed.gb_per_s * group.up / below * payload
                switches = ", ".join(group.switches)
                formula = (
                    f"{number(path.speed.gb_per_s)} Gb/s × {group.up} of uplinks / {Bandwidth(below)} of NICs "
                    f"below {switches} × {payload:.4f} payload"
                )
                yield Term(f"uplinks of {switches}", value, GBPS, formula, "cables of the plan")

    def _limit_all(self, pairs: Sequence[tuple[str, str]]) -> Iterator[PathLimit]:
        """All RDMA NICs of both hosts at once: ports of a card share its slot, NICs the uplinks of PCIe switches."""
        method, passes = ("RDMA write", 1) if has_roce_class(self.plan) else ("TCP", _TCP_PASSES)
        rates: list[tuple[tuple[str, str], float]] = []
        bottlenecks: dict[str, str] = {}
        for near, far in pairs:
            ends = (PathEnd(self.source.host, near), PathEnd(self.target.host, far))
            nics = [self._nic(self.source, near), self._nic(self.target, far)]
            limits = list(self._limit_rdma(ends, nics)) if all(nic.rdma_device for nic in nics) else []
            if not has_roce_class(self.plan):
                limits = list(self._limit_tcp(ends, nics)) if all(nic.rail for nic in nics) else []
            rates += [((near, far), limits[0].bound.value)] if limits else []
            bottlenecks |= {term.name: term.source for limit in limits[:1] for term in _list_bottlenecks(limit)}
        if len(rates) < 2:
            return
        total = sum(rate for _, rate in rates)
        kinds = dict.fromkeys(name.partition(" of ")[0] for name in bottlenecks)  # NIC slot of node1:eth0
        name = f"{' and '.join(kinds)} of {len(rates)} NICs"
        terms = [Term(name, total, GBPS, "sum of the paths above", "; ".join(dict.fromkeys(bottlenecks.values())))]
        for end, position in ((self.source, 0), (self.target, 1)):
            nic_rates = {self._nic(end, pair[position]).pcie or pair[position]: rate for pair, rate in rates}
            shared, bottleneck = host_limits.compute_shared_rate(self.plan, end.host, nic_rates)
            if bottleneck is not None:
                formula = host_limits.format_shared_rate(self.plan, end.host, nic_rates)
                terms.append(Term(f"{bottleneck} of {end.host}", shared, GBPS, formula, pcie.SOURCE))
            memory = host_limits.memory_term(self.plan, end.host, bidirectional=False)
            terms += [_divide_memory(memory, passes)] if memory is not None else []
        bound = tightest(terms, ["buffers are in host memory"])
        yield PathLimit(self.source.host, str(self.source), str(self.target), f"{method} over all NICs", bound)

    def _build_limit(
        self, ends: Sequence[PathEnd], method: str, terms: Sequence[Term], assumptions: Iterable[str]
    ) -> PathLimit:
        names = [
            f"{place} via {end.device}" if place.device in self.plan.hosts[place.host].gpus else str(end)
            for place, end in zip((self.source, self.target), ends, strict=True)
        ]
        return PathLimit(self.source.host, names[0], names[1], method, tightest(terms, assumptions))

    def _find_gpu(self, end: PathEnd) -> str | None:
        return end.device if end.device in self.plan.hosts[end.host].gpus else None

    def _build_rate_term(self, nics: Sequence[Nic]) -> Term | None:
        """The messages per second of the slower NIC, where the catalogue has them and a size is given."""
        models = [self.plan.hardware.nics.get(nic.model or "") for nic in nics]
        rates = [model.message_rate for model in models if model is not None and model.message_rate is not None]
        size = self.conditions.message_size
        if size is None or len(rates) < len(nics):
            return None
        slowest = min(rates, key=lambda rate: rate.value)
        formula = f"{number(slowest.value / 1e6)} million messages per second × {size} B"
        return Term(MESSAGE_RATE, slowest.value * size * 8 / 1e9, GBPS, formula, slowest.source)

    def _list_slow_cables(self, ends: Sequence[PathEnd], path: Path) -> Iterator[Term]:
        near, far = ((end.host, end.device or "") for end in ends)
        flow = fabric.find_flow_bandwidth(self.plan, near, far)
        if flow is not None and flow < path.speed:
            slow = dataclasses.replace(path, speed=flow)
            yield dataclasses.replace(framing.one_way(slow), name="slowest cable between the NICs")

    def _list_memory_terms(self, end: PathEnd, passes: int, assumptions: list[str]) -> Iterator[Term]:
        memory = host_limits.memory_term(self.plan, end.host, bidirectional=False)
        if memory is not None:
            assumptions.append("all data is in the memory of one socket, none in caches")
            yield _divide_memory(memory, passes)
        nic = self._nic(end, end.device or "")
        function = nic_function(self.plan, end.host, nic)
        ordered = host_limits.find_ordered_writes_term(self.plan, end.host)
        if passes == 1 and ordered is not None and host_limits.writes_in_order(nic, function):
            yield ordered

    def _build_core_term(self, ends: Sequence[PathEnd], assumptions: list[str]) -> Term | None:
        """What the cores receive, each one stream."""
        receiver = self.plan.hardware.servers.get(self.plan.hosts[ends[1].host].model or "")
        if receiver is None or receiver.tcp_core is None:
            return None
        rate, streams = receiver.tcp_core, self.conditions.streams
        formula = f"{streams} × {rate.value} a core"
        assumptions.append(tcp.describe_core_rate(rate.value))
        return Term(f"TCP cores of {ends[1].host}", streams * rate.value.gb_per_s, GBPS, formula, rate.source)

    def _build_window_term(self, ends: Sequence[PathEnd]) -> Term | None:
        """Unacknowledged bytes of all streams, each at most its send and receive buffer, in one round trip."""
        buffers = [
            self._find_buffer(ends[0].host, "net.ipv4.tcp_wmem"),
            self._find_buffer(ends[1].host, "net.ipv4.tcp_rmem"),
        ]
        planned = [size for size in buffers if size is not None]
        window = min([*planned, *([_SEND_BUFFER] if len(planned) < len(buffers) else [])])
        near, far = ((end.host, end.device or "") for end in ends)
        light = latency.cables_term(self.plan, near, far, passes=2)
        if self.conditions.round_trip is not None:
            microseconds, origin = self.conditions.round_trip.in_unit("us"), "round trip as given"
        elif light is not None and light.value > 0:
            microseconds, origin = light.value, "propagation in the cables alone; use --round-trip for a measured time"
        else:
            return None
        streams = self.conditions.streams
        value = streams * window * 8 / microseconds / 1e3
        formula = f"{streams} × {window:,} B / {number(microseconds)} µs ({origin})"
        return Term("TCP window / round trip", value, GBPS, formula, f"RFC 9293, section 3.8; {_LINUX}: tcp_init")

    def _find_buffer(self, host: str, name: str) -> int | None:
        """The largest buffer of a planned kernel parameter with three values, bytes."""
        parameter = self.plan.hosts[host].sysctls.get(name)
        values = (parameter.value or "").split() if parameter is not None else []
        return int(values[2]) if len(values) == 3 and values[2].isdecimal() else None


def _list_bottlenecks(limit: PathLimit) -> list[Term]:
    return [term for term in limit.bound.terms if term.name == limit.bound.bottleneck]


def _divide_memory(memory: Term, passes: int) -> Term:
    """The rate of data that passes the memory of a host several times."""
    if passes == 1:
        return memory
    agents = ["one by the NIC"]
    agents += ["one by the GPU"] if passes != _TCP_PASSES else []
    agents += ["two by the copy of the CPU"] if passes >= _TCP_PASSES else []
    formula = f"({memory.formula}) / {passes} passes: {', '.join(agents)}"
    source = f"{memory.source}; {_LINUX}" if passes >= _TCP_PASSES else memory.source
    return dataclasses.replace(memory, value=memory.value / passes, formula=formula, source=source)


def _leaves_host(cable: Cable, hosts: frozenset[str]) -> bool:
    """Whether a cable leads from one of these hosts to a device that is none of them."""
    return len({cable.a.device, cable.b.device} & hosts) == 1


def _reach_each_other(near: Nic, far: Nic) -> bool:
    if near.rail is not None and far.rail is not None:
        return near.rail == far.rail
    networks = [{ip_interface(address).network for address in nic.addresses or ()} for nic in (near, far)]
    return bool(networks[0] & networks[1]) or (bool(near.model) and near.model == far.model and near.rail == far.rail)


def _find_path(plan: Plan, nics: Sequence[Nic], assumptions: list[str]) -> Path | None:
    """The slower speed and the smaller path MTU of both NICs."""
    paths = [build_path(nic, assumptions, speed=catalogue_speed(plan, nic)) for nic in nics]
    known_paths = [path for path in paths if path is not None]
    if len(known_paths) < len(nics):
        return None
    slowest = min(known_paths, key=lambda path: path.speed)
    return dataclasses.replace(slowest, path_mtu=min(path.path_mtu for path in known_paths))


def _list_pcie_terms(
    plan: Plan,
    end: PathEnd,
    gpu: str | None,
    assumptions: list[str] | None = None,
    message_size: int | None = None,
) -> Iterator[Term]:
    """The slot of a NIC, and on the path to the buffer PCIe switches, the link between the sockets, the slot of the
    GPU. ``message_size``: bytes of an RDMA message, which a NIC writes separately; None: an endless stream."""
    assumed: list[str] = [] if assumptions is None else assumptions
    nic = plan.hosts[end.host].nics[end.device or ""]
    function = nic_function(plan, end.host, nic)
    slot = build_slot(function, assumed)
    if slot is not None:
        kind = "PCIe bridge" if is_bridge(plan, nic) else "NIC slot"
        yield cite_description(plan, nic, function, pcie.one_way(slot, f"{kind} of {end}", message_size))
    gpu_address = plan.hosts[end.host].gpus[gpu].pcie if gpu else None
    passed = (
        host_limits.uplinks_to_gpu(plan, end.host, nic.pcie, gpu_address)
        if gpu
        else host_limits.uplinks_to_memory(plan, end.host, nic.pcie)
    )
    for uplink in passed:
        yield pcie.one_way(uplink.slot, f"{uplink.name} of {end.host}", message_size)
    if gpu is None:
        return
    socket = host_limits.socket_term(plan, end.host, nic.pcie, gpu_address, bidirectional=False)
    if socket is not None:
        yield socket
    unknown = host_limits.describe_unknown_socket_link(plan, end.host, nic.pcie, gpu_address)
    assumed += [unknown] if unknown is not None else []
    gpu_slot = build_slot(gpu_function(plan, end.host, gpu), assumed)
    if gpu_slot is not None:
        yield pcie.one_way(gpu_slot, f"PCIe slot of {end.host}:{gpu}", message_size)
