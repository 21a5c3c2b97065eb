"""Every number of a plan that a formula gave, each once: headroom, marking thresholds, watchdog times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from wirespeed.catalogue.model import CableModel
from wirespeed.cluster.ranges import fold
from wirespeed.plan import headroom, watchdog
from wirespeed.plan.control_loop import Loop
from wirespeed.plan.ecn import check_window, window
from wirespeed.plan.memory import deep
from wirespeed.plan.model import ComputedValue, format_bytes
from wirespeed.plan.problems import Problems
from wirespeed.plan.switch import SwitchKind
from wirespeed.settings import Switch
from wirespeed.units import Bandwidth, Length, Size


def list_computed_values(
    switches: Mapping[str, Switch],
    kinds: Mapping[str, SwitchKind],
    loop: Loop | None,
    cable: CableModel | None,
    problems: Problems,
) -> tuple[ComputedValue, ...]:
    """The values of the switches, each once for all switches that it holds for; problems are collected."""
    peers: dict[object, list[str]] = {}
    for name, kind in kinds.items():
        cables = Counter((port.link.speed, port.link.mtu, port.cable_length) for port in switches[name].ports.values())
        peers.setdefault((kind.box.spec.path, frozenset(cables.items())), []).append(name)
    if any(port.cable_length is not None for switch in switches.values() for port in switch.ports.values()):
        for names in peers.values():
            _check_lengths(fold(names), switches[names[0]], kinds[names[0]], problems)
    return tuple(
        value
        for names in peers.values()
        for value in _of_switch(fold(names), switches[names[0]], kinds[names[0]], loop, cable, problems)
    )


def _check_lengths(name: str, switch: Switch, kind: SwitchKind, problems: Problems) -> None:
    """Where the cluster file has lengths of some cables, it lacks those of the others by mistake."""
    missing = sum(port.cable_length is None for port in switch.ports.values())
    if missing and kind.qos.pfc:
        problems.warn(
            kind.box.spec.path,
            f"{name}: no cable length for {missing} of {len(switch.ports)} ports",
            "a length for each cable: without it the headroom of a port is not planned",
            "add a length to cabling, links and fabric, such as length: 30 m",
        )


def _of_switch(
    name: str, switch: Switch, kind: SwitchKind, loop: Loop | None, cable: CableModel | None, problems: Problems
) -> Iterator[ComputedValue]:
    chip, lossless = kind.box.chip, len(kind.qos.pfc or ())
    speeds = dict.fromkeys(port.link.speed for port in switch.ports.values() if port.link.speed is not None)
    every: dict[str, headroom.Headroom] = {}
    shown: dict[tuple[Bandwidth, Length, int], headroom.Headroom] = {}
    for port_name, port in switch.ports.items() if lossless else ():
        speed, length, mtu = port.link.speed, port.cable_length, kind.port_mtu(port_name)
        if speed is None or length is None:
            continue
        key = (speed, length, mtu)
        if key not in shown:
            shown[key] = headroom.headroom(speed, length, mtu, lossless, chip, cable, kind.box.latency)
        every[port_name] = shown[key]
    yield from (headroom.explain_headroom(found, chip, name) for found in shown.values())
    whole = headroom.explain_total(every, lossless, chip, name) if len(every) == len(switch.ports) else None
    if whole is not None:
        yield whole
    reserved = Size(lossless * sum(int(found.size) for found in every.values())) if whole else None
    pool = kind.buffers.shared_headroom
    if pool is None and reserved is not None:
        _check_total(name, reserved, kind, problems)
    if pool is not None and shown:
        _check_shared(pool, shown.values(), kind, problems)
        if whole is not None:
            yield headroom.explain_shared_headroom(pool, every, lossless, name)
            reserved = pool
    memory = deep(chip, len(kind.box.ports), lossless, iter(speeds), reserved)
    for speed in speeds:
        for queue, found in kind.marking(speed).items():
            bounds = window(speed, kind.congestion[queue], loop, chip, reserved, memory)
            check_window(found, bounds, kind.congestion[queue], problems)
            yield from found.explain(name, queue, bounds)
    if lossless and speeds:
        slowest = min(speeds)
        watchdog.check_watchdog(kind.box, kind.qos.watchdog, kind.poll, slowest, chip, memory, problems)
        default = kind.box.system.watchdog.detect
        yield watchdog.explain_watchdog(kind.qos.watchdog, slowest, chip, memory, name, default)


def _check_total(name: str, reserved: Size, kind: SwitchKind, problems: Problems) -> None:
    """Headroom of its own for every port must leave room for packets."""
    chip = kind.box.chip
    if chip is not None and chip.buffer is not None and reserved >= chip.buffer.value:
        problems.refuse(
            kind.box.spec.path,
            f"{name}: headroom of {format_bytes(reserved)} for all ports",
            f"less than {chip.buffer.value}, the buffer of {kind.box.spec.model}",
            "shorten the cables, cable fewer ports, or let all ports share it (buffers.shared_headroom)",
        )


def _check_shared(pool: Size, groups: Iterable[headroom.Headroom], kind: SwitchKind, problems: Problems) -> None:
    """One group alone must find room, or nothing is lossless; a slice of the buffer has its part of the pool."""
    chip = kind.box.chip
    slices = chip.slices.value if chip and chip.slices else 1
    minimum = Size(slices * max(int(found.size) for found in groups))
    if pool < minimum:
        of_slices = f" in each of {slices} slices" if slices > 1 else ""
        problems.refuse(
            (*kind.box.spec.path, "buffers", "shared_headroom"),
            f"shared headroom of {pool}",
            f"at least {format_bytes(minimum)}, the headroom of one lossless group{of_slices}",
        )
