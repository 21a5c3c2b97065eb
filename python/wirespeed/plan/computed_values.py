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
    return tuple(
        value
        for names in peers.values()
        for value in _of_switch(fold(names), switches[names[0]], kinds[names[0]], loop, cable, problems)
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
