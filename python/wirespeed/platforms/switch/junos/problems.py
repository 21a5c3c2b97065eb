"""Settings of a switch that Junos cannot configure, with a hint."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.errors import Problem
from wirespeed.platforms.switch.junos.classes import ClassOfService, lossless_queues
from wirespeed.platforms.switch.junos.commands import ALWAYS_RS, L2_HEADER, LARGEST_PHYSICAL_MTU, MODES, PATHS
from wirespeed.platforms.switch.policies import find_invalid_texts, sort_ports
from wirespeed.platforms.switch.watchdog import check_milliseconds
from wirespeed.settings import Port, Switch, WatchdogAction
from wirespeed.units import Duration

_POLLS, _RESTORES = range(100, 1001), range(200, 1001)  # ms


def problems(name: str, switch: Switch, cos: ClassOfService) -> Iterator[Problem]:
    """Everything that would be refused."""
    yield from find_invalid_texts(name, switch, '"')
    yield from _check_switch(name, switch)
    priorities = [class_.pfc_priority for class_ in cos.classes if class_.pfc_priority is not None]
    for priority in sorted({priority for priority in priorities if priorities.count(priority) > 1}):
        yield Problem(
            f"{name}: port.qos.pfc_queue",
            f"priority {priority} pausing different queues on different ports",
            "one queue",
            "a forwarding class has one PFC priority on the whole switch",
        )
    for port_name, port in sort_ports(switch.ports):
        yield from _check_port(f"{name} {port_name}", port_name, port, switch.watchdog_poll)


def _check_switch(name: str, switch: Switch) -> Iterator[Problem]:
    balancing = switch.load_balancing
    if balancing.mode is not None and balancing.mode not in (*MODES, "static"):
        yield Problem(f"{name}: switch.load_balancing.mode", balancing.mode, f"static or one of {', '.join(MODES)}")
    if balancing.mode != "flowlet" and (balancing.flowlet_gap is not None or balancing.flowlet_table is not None):
        yield Problem(
            f"{name}: switch.load_balancing.flowlet_gap", f"flowlets with mode {balancing.mode}", "the mode flowlet"
        )
    if balancing.flowlet_gap is not None and balancing.flowlet_gap % 10**6:
        yield Problem(
            f"{name}: switch.load_balancing.flowlet_gap", str(balancing.flowlet_gap), "a whole number of microseconds"
        )
    odd = sorted((balancing.hash_fields or frozenset()) - {"layer-3", "layer-4"})
    if odd:
        yield Problem(f"{name}: switch.load_balancing.hash_fields", ", ".join(odd), "layer-3 and layer-4")
    yield from check_milliseconds(f"{name}: switch.watchdog_poll", switch.watchdog_poll, _POLLS)
    paths = switch.bgp.maximum_paths
    if paths is not None and paths > PATHS[-1]:
        yield Problem(f"{name}: switch.bgp.maximum_paths", str(paths), f"at most {PATHS[-1]}")


def _check_port(location: str, name: str, port: Port, poll: Duration | None) -> Iterator[Problem]:
    largest = LARGEST_PHYSICAL_MTU - L2_HEADER
    if port.link.mtu is not None and port.link.mtu > largest:
        yield Problem(
            f"{location}: port.link.mtu",
            str(port.link.mtu),
            f"at most {largest}",
            f"the physical MTU includes the header and is at most {LARGEST_PHYSICAL_MTU}",
        )
    if (port.breakout is not None) != (":" in name):
        yield Problem(
            f"{location}: port.breakout", f"a port split into {port.breakout or 1}", "sub-ports, such as et-0/0/1:0"
        )
    if port.link.fec is not None and not _has_its_fec(port):
        yield Problem(
            f"{location}: port.link.fec",
            f"{port.link.fec} at {port.link.speed}",
            f"rs, the only one from {ALWAYS_RS} on",
        )
    yield from _check_classes(location, port)
    yield from _check_watchdog(location, port, poll)


def _has_its_fec(port: Port) -> bool:
    return port.link.fec == "rs" or (port.link.speed is not None and port.link.speed < ALWAYS_RS)


def _check_classes(location: str, port: Port) -> Iterator[Problem]:
    if port.qos.trust not in (None, "dscp"):
        yield Problem(
            f"{location}: port.qos.trust", str(port.qos.trust), "dscp", "PFC by DSCP and by 802.1p exclude one another"
        )
    for tc, queue in (port.qos.tc_queue or {}).items():
        if int(tc) != int(queue):
            yield Problem(
                f"{location}: port.qos.tc_queue",
                f"traffic class {tc} in queue {queue}",
                f"traffic class {queue}",
                "a forwarding class is identified by its queue",
            )
    stopped_queues = lossless_queues(port)
    for priority in sorted(port.qos.pfc or ()):
        if int(priority) not in stopped_queues:
            yield Problem(f"{location}: port.qos.pfc_queue", f"no queue for priority {priority}", "the queue it stops")
    for repeated_queue in sorted(
        {queue for queue in stopped_queues.values() if list(stopped_queues.values()).count(queue) > 1}
    ):
        yield Problem(f"{location}: port.qos.pfc_queue", f"several priorities for queue {repeated_queue}", "one")


def _check_watchdog(location: str, port: Port, poll: Duration | None) -> Iterator[Problem]:
    watchdog = port.qos.watchdog
    if watchdog.action not in (None, WatchdogAction.DROP):
        yield Problem(
            f"{location}: port.qos.watchdog.action", str(watchdog.action), "drop", "the only action of Junos 23.4R1-EVO"
        )
    if watchdog.detect is not None:
        polls, remainder = divmod(int(watchdog.detect), int(poll)) if poll else (0, 1)
        if remainder or not 2 <= polls <= 10:
            yield Problem(
                f"{location}: port.qos.watchdog.detect",
                str(watchdog.detect),
                f"2 to 10 times the polling interval, {poll if poll else 'which is not given'}",
            )
    yield from check_milliseconds(f"{location}: port.qos.watchdog.restore", watchdog.restore, _RESTORES)
