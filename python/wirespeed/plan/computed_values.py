"""The computed values of a plan: headroom, marking thresholds, watchdog times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from wirespeed.cluster.ranges import fold_each, fold_names, format_names
from wirespeed.plan import headroom, watchdog
from wirespeed.plan.control_loop import Loop
from wirespeed.plan.ecn import check_window, window
from wirespeed.plan.memory import deep
from wirespeed.plan.model import ComputedValue, format_bytes
from wirespeed.plan.problems import Problems
from wirespeed.plan.switch import SwitchKind
from wirespeed.settings import Switch
from wirespeed.units import Size


def list_computed_values(
    switches: Mapping[str, Switch],
    kinds: Mapping[str, SwitchKind],
    loop: Loop | None,
    problems: Problems,
) -> tuple[ComputedValue, ...]:
    """The computed values of the switches, one for all switches of the same kind. Adds problems."""
    peers: dict[object, list[str]] = {}
    for name, kind in kinds.items():
        cables = Counter((port.link.speed, port.link.mtu, port.cable_length) for port in switches[name].ports.values())
        peers.setdefault((kind.box.spec.path, frozenset(cables.items())), []).append(name)
    _check_lengths(list(peers.values()), switches, kinds, problems)
    return tuple(
        value
        for names in peers.values()
        for value in _list_switch_values(names, switches[names[0]], kinds[names[0]], loop, problems)
    )


def _check_lengths(
    peers: Iterable[Sequence[str]], switches: Mapping[str, Switch], kinds: Mapping[str, SwitchKind], problems: Problems
) -> None:
    """Warn of cables without a length, which the headroom of a lossless port needs.

    A system that computes headroom itself needs none: if no cable has a length, it is no oversight.
    """
    expected = "a length for each cable: without it the headroom of a port is not planned"
    hint = "add a length to cabling, links and fabric, such as length: 30 m"
    lossless = [names for names in peers if kinds[names[0]].qos.pfc]
    if all(port.cable_length is None for names in lossless for port in switches[names[0]].ports.values()):
        configured = [name for names in lossless for name in names if not kinds[name].box.system.automatic_headroom]
        if any(switches[name].ports for name in configured):
            problems.warn(("cabling",), f"no length of any cable of {format_names(configured)}", expected, hint)
        return
    for names in lossless:
        switch = switches[names[0]]
        unknown_lengths = sum(port.cable_length is None for port in switch.ports.values())
        if unknown_lengths:
            count = f"{unknown_lengths} of {len(switch.ports)} ports"
            path = kinds[names[0]].box.spec.path
            problems.warn(path, f"{fold_names(names)}: no cable length for {count}", expected, hint)


def _explain_lengths(name: str, switch: Switch, kind: SwitchKind) -> Iterator[ComputedValue]:
    """The cable lengths that are rounded up to one that the system accepts, or to the only one of the switch."""
    choices, common = kind.box.system.cable_lengths, kind.box.system.common_cable_length
    configured_lengths = {port.cable_length for port in switch.ports.values()}
    for configured, lengths in sorted(kind.common_lengths.items()):
        if common is not None and configured in configured_lengths and lengths != {configured}:
            yield ComputedValue(
                name=f"cable length of {name}",
                value=str(configured),
                formula=f"that of the longest cable, for all ports, because {kind.box.system.title} has one value; "
                f"lengths of cables: {', '.join(map(str, sorted(lengths)))}; headroom is planned for {configured}",
                source=common.source,
            )
    for configured in sorted({length for length in kind.lengths.values() if length in configured_lengths}):
        rounded = [length for length in sorted(kind.lengths) if kind.lengths[length] == configured != length]
        if rounded and choices is not None:
            yield ComputedValue(
                name=f"cable length of {name}",
                value=str(configured),
                formula=f"{', '.join(map(str, rounded))} rounded up: {kind.box.system.title} accepts "
                f"{', '.join(map(str, choices.value))}; headroom is planned for {configured}",
                source=choices.source,
            )


def _list_switch_values(
    names: Sequence[str], switch: Switch, kind: SwitchKind, loop: Loop | None, problems: Problems
) -> Iterator[ComputedValue]:
    name, each_name = fold_names(names), fold_each(names)
    chip, lossless = kind.box.chip, len(kind.qos.pfc or ())
    speeds = dict.fromkeys(port.link.speed for port in switch.ports.values() if port.link.speed is not None)
    headroom_of_port: dict[str, headroom.Headroom] = {}
    for port_name, port in switch.ports.items():
        group_headroom = kind.headroom(port.link.speed, port.cable_length, kind.port_mtu(port_name))
        if group_headroom is not None:
            headroom_of_port[port_name] = group_headroom
    headrooms = tuple(dict.fromkeys(headroom_of_port.values()))
    system = kind.box.system
    if lossless:
        yield from _explain_lengths(name, switch, kind)
    yield from (
        headroom.explain_headroom(group_headroom, chip, name, system.title, system.automatic_headroom)
        for group_headroom in headrooms
    )
    whole = (
        headroom.explain_total(headroom_of_port, lossless, chip, each_name)
        if len(headroom_of_port) == len(switch.ports)
        else None
    )
    if whole is not None:
        yield whole
    total = (
        Size(lossless * sum(int(group_headroom.size) for group_headroom in headroom_of_port.values()))
        if whole
        else None
    )
    pool = kind.buffers.shared_headroom
    if pool is None and total is not None:
        _check_total(each_name, total, kind, problems)
    if pool is not None and headrooms:
        _check_shared_headroom(pool, headrooms, kind, problems)
        if whole is not None:
            yield headroom.explain_shared_headroom(pool, headroom_of_port, lossless, each_name)
            total = pool
    memory = deep(chip, len(kind.box.ports), lossless, iter(speeds), total)
    for speed in speeds:
        for queue, marking in kind.marking(speed).items():
            bounds = window(speed, kind.congestion[queue], loop, chip, total, memory)
            check_window(marking, bounds, kind.congestion[queue], problems)
            yield from marking.explain(name, queue, bounds)
    if kind.qos.watchdog.enabled and speeds:
        slowest = min(speeds)
        watchdog.check_watchdog(kind.box, kind.qos.watchdog, kind.poll, slowest, chip, memory, problems)
        default = kind.box.system.watchdog.detect
        is_default = kind.box.spec.part.watchdog.detect is None
        origin = f"the default for {system.title}" if is_default else "watchdog.detect of the cluster file"
        yield watchdog.explain_watchdog(kind.qos.watchdog, slowest, chip, memory, name, default, origin)


def _check_total(name: str, total: Size, kind: SwitchKind, problems: Problems) -> None:
    """Refuse headroom of all ports that leaves no buffer for packets."""
    chip = kind.box.chip
    if chip is not None and chip.buffer is not None and total >= chip.buffer.value:
        problems.refuse(
            kind.box.spec.path,
            f"headroom of {format_bytes(total)} for all ports of {name}",
            f"less than {chip.buffer.value}, the buffer of {kind.box.spec.model}",
            "shorten the cables, cable fewer ports, or let all ports share it (buffers.shared_headroom)",
        )


def _check_shared_headroom(
    pool: Size, groups: Iterable[headroom.Headroom], kind: SwitchKind, problems: Problems
) -> None:
    """Refuse a pool that is smaller than the headroom of one group. A slice of the buffer has its part of the pool."""
    chip = kind.box.chip
    slices = chip.slices.value if chip and chip.slices else 1
    minimum = Size(slices * max(int(group_headroom.size) for group_headroom in groups))
    if pool < minimum:
        of_slices = f" in each of {slices} slices" if slices > 1 else ""
        problems.refuse(
            (*kind.box.spec.path, "buffers", "shared_headroom"),
            f"shared headroom of {pool}",
            f"at least {format_bytes(minimum)}, the headroom of one lossless group{of_slices}",
        )
