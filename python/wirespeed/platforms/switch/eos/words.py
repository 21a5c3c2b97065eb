"""Settings in EOS's words, and one change as commands.

Keywords, units and ranges: Arista AVD's schema and templates; defaults: EOS 4.36 user guide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from wirespeed.platforms.model import Worded
from wirespeed.platforms.switch.policies import by_name, inverted
from wirespeed.settings import Device, Place, Port, Queue, Switch, Watchdog, WatchdogAction
from wirespeed.settings.link import Link
from wirespeed.settings.qos import Discipline, Dscp, Ecn, SwitchTrafficClass
from wirespeed.units import Bandwidth, Duration, Size

DEFAULT_DSCP_TC = {Dscp(dscp): SwitchTrafficClass({0: 1, 1: 0}.get(dscp // 8, dscp // 8)) for dscp in range(64)}
"""EOS 4.36 user guide: DSCP 0-7 go to traffic class 1, 8-15 to 0, the others to their upper three bits."""

DEFAULT_MTU = 1500
"""Of a routed interface, bytes of the IP packet: aristaeos.blogspot.com, Arista EOS MTU behavior (3), measured."""
DEFAULT_L2_MTU = 9214
"""Of a switched interface, as ``show interfaces`` of switches without an ``mtu`` line prints it."""

FEC_WORDS = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
ACTIONS = {
    "drop": WatchdogAction.DROP,
    "no-drop": WatchdogAction.FORWARD,
    "errdisable": WatchdogAction.ERRDISABLE,
}
ACTION_WORDS = {action: word for word, action in ACTIONS.items()}

_LANES = {10: 1, 25: 1, 40: 4, 50: 1, 100: 4, 200: 4, 400: 8, 800: 8}
_UNICAST_QUEUES = ("trident", "tomahawk")  # chip families whose queues are split into unicast and multicast
_VOQ_QUEUES = ("jericho", "qumran")

_FLAPS = "the link goes down and comes up again"


def queue_word(chip: str | None) -> str | None:
    """What an egress queue is called on this chip; None for a chip that is not known."""
    family = (chip or "").lower()
    if family.startswith(_UNICAST_QUEUES):
        return "uc-tx-queue"
    return "tx-queue" if family.startswith(_VOQ_QUEUES) else None


def speed_word(link: Link) -> str | None:
    """``400g-8``: Gb/s and lanes; one lane needs no number."""
    if link.speed is None:
        return None
    gbps = link.speed // 10**9
    lanes = link.lanes or _LANES.get(gbps, 8)
    return f"{gbps}g" if lanes == 1 else f"{gbps}g-{lanes}"


def speed_of(word: str) -> tuple[Bandwidth, int] | None:
    """Speed and lanes of ``400g-8``; None when the word is none such."""
    number, _, lanes = word.partition("-")
    if not number.endswith("g") or not number[:-1].isdigit() or not (lanes.isdigit() or not lanes):
        return None
    return Bandwidth(int(number[:-1]) * 10**9), int(lanes or 1)


def seconds(duration: Duration) -> str:
    """As the watchdog's times are printed, ``0.20``."""
    return f"{duration.seconds:.2f}"


def threshold_words(ecn: Ecn) -> str:
    """Thresholds and probability; kbytes are 1000 bytes, other amounts are said in bytes."""
    low, high = ecn.minimum or Size(0), ecn.maximum or Size(0)
    unit, scale = ("bytes", 1) if low % 1000 or high % 1000 else ("kbytes", 1000)
    words = f"minimum-threshold {low // scale} {unit} maximum-threshold {high // scale} {unit}"
    if ecn.probability is not None:
        words += f" max-mark-probability {ecn.probability}"
    return f"{words} weight 0"


def global_watchdog(switch: Switch) -> Watchdog:
    """The watchdog settings said once for the switch: those of its first port that has any."""
    return next((port.qos.watchdog for _, port in by_name(switch.ports) if port.qos.watchdog.detect), Watchdog())


def watchdog_timer(watchdog: Watchdog) -> str:
    """A port's own timer."""
    restore = watchdog.restore if watchdog.restore is not None else watchdog.detect
    times = f"timeout {seconds(watchdog.detect or Duration(0))}"
    return f"{times} polling-interval auto recovery-time {seconds(restore or Duration(0))} forced"


def word(place: Place, path: str, value: Any, device: Device) -> Worded | None:
    """One change as commands; ``device`` holds the other settings as they are meant to be."""
    if not isinstance(device, Switch):
        return None
    within = dict(place.within)
    lines: list[str] | None = None
    consequence: str | None = None
    if place.kind is None:
        lines = _switch_lines(path, value)
    elif "vlan" in within:
        lines = _under(f"interface Vlan{within['vlan']}", _interface_line(path.replace("vlan.", "port."), value))
    elif "queue" in within:
        port = device.ports.get(within["port"], Port())
        queue = port.queues.get(within["queue"], Queue())
        lines = _queue_lines(within["port"], within["queue"], path, value, queue, device.chip)
    elif path in ("port.qos.dscp_tc", "port.qos.tc_queue"):
        lines = _map_lines(path, value)
        consequence = "the map of the whole switch changes; packets in flight change their queue"
    elif path == "port.link.speed" or path == "port.link.lanes":
        port = device.ports.get(within["port"], Port())
        link = replace(port.link, **{path.rpartition(".")[2]: value})
        lines, consequence = _under(f"interface {within['port']}", [f"speed {speed_word(link)}"]), _FLAPS
    else:
        port = device.ports.get(within["port"], Port())
        lines = _under(f"interface {within['port']}", _interface_line(path, value, port))
        consequence = _CONSEQUENCES.get(path)
    if lines is None:
        return None
    return Worded(("configure", *lines, "end", "write memory"), consequence)


_CONSEQUENCES = {
    "port.link.fec": _FLAPS,
    "port.link.training": _FLAPS,
    "port.link.enabled": "the link changes its state",
    "port.vlan": "the port leaves its VLAN; its addresses are unreachable until the host answers ARP again",
    "port.addresses": "the port becomes a routed port; its addresses are unreachable until the host answers ARP again",
}


def _under(outer: str, lines: list[str] | None) -> list[str] | None:
    return None if lines is None else [outer, *lines]


def _switch_lines(path: str, value: Any) -> list[str] | None:
    match path:
        case "switch.routing":
            return ["ip routing" if value else "no ip routing"]
        case "switch.lldp":
            return ["lldp run" if value else "no lldp run"]
        case "switch.pfc":
            return ["no priority-flow-control all off" if value else "priority-flow-control all off"]
        case "switch.watchdog_poll":
            return [f"priority-flow-control pause watchdog default polling-interval {value.seconds:.3f}"]
    return None


def _map_lines(path: str, value: Any) -> list[str]:
    if path == "port.qos.tc_queue":
        return [f"qos map traffic-class {int(tc)} to tx-queue {int(queue)}" for tc, queue in sorted(value.items())]
    return [f"qos map dscp {' '.join(map(str, dscps))} to traffic-class {tc}" for tc, dscps in inverted(value.items())]


def _on_off(words: str) -> Callable[[Any], list[str]]:
    return lambda value: [words if value else f"no {words}"]


def _pfc_lines(lossless: Any) -> list[str]:
    if not lossless:
        return ["no priority-flow-control"]
    said = lossless if isinstance(lossless, Mapping) else {number: number in lossless for number in range(8)}
    words = [f"priority-flow-control priority {int(key)} {'no-drop' if on else 'drop'}" for key, on in said.items()]
    return ["priority-flow-control on", *words]


_INTERFACE: dict[str, Callable[[Any], list[str]]] = {
    "port.description": lambda value: [f"description {value}"],
    "port.mtu": lambda value: [f"mtu {value}"],  # of a VLAN interface
    "port.link.mtu": lambda value: [f"mtu {value}"],
    "port.link.fec": lambda value: [FEC_WORDS[value]],
    "port.link.training": _on_off("phy link training"),
    "port.link.enabled": lambda value: ["no shutdown" if value else "shutdown"],
    "port.link.pause_send": lambda value: [f"flowcontrol send {'on' if value else 'off'}"],
    "port.link.pause_receive": lambda value: [f"flowcontrol receive {'on' if value else 'off'}"],
    "port.vlan": lambda value: ["switchport", f"switchport access vlan {value}"],
    "port.qos.trust": lambda value: [f"qos trust {'cos' if value == 'dot1p' else value}"],
    "port.qos.pfc": _pfc_lines,
    "port.qos.watchdog.enabled": _on_off("priority-flow-control pause watchdog"),
    "port.qos.watchdog.action": lambda value: [
        f"priority-flow-control pause watchdog port action {ACTION_WORDS[value]}"
    ],
}


def _interface_line(path: str, value: Any, port: Port | None = None) -> list[str] | None:
    if path == "port.addresses":
        routed = ["no switchport"] if port is not None else []
        return [*routed, *(f"ip address {address}" for address in value)]
    if path in ("port.qos.watchdog.detect", "port.qos.watchdog.restore") and port is not None:
        watchdog = replace(port.qos.watchdog, **{path.rpartition(".")[2]: value})
        return [f"priority-flow-control pause watchdog port timer {watchdog_timer(watchdog)}"]
    line = _INTERFACE.get(path)
    return None if line is None else line(value)


def _queue_lines(port: str, number: str, path: str, value: Any, queue: Queue, chip: str | None) -> list[str] | None:
    word = queue_word(chip)
    if word is None:
        return None
    block = [f"interface {port}", f"{word} {number}"]
    match path:
        case "queue.discipline":
            share = [] if queue.weight is None else [f"bandwidth percent {queue.weight}"]
            return [*block, "priority strict"] if value == Discipline.STRICT else [*block, "no priority", *share]
        case "queue.weight":
            return [*block, "no priority", f"bandwidth percent {value}"]
        case "queue.ecn.enabled" | "queue.ecn.minimum" | "queue.ecn.maximum" | "queue.ecn.probability":
            ecn = replace(queue.ecn, **{path.rpartition(".")[2]: value})
            if ecn.enabled is False:
                return [*block, "no random-detect ecn"]
            if ecn.minimum is None or ecn.maximum is None:
                return None
            return [*block, f"random-detect ecn {threshold_words(ecn)}", "random-detect ecn count"]
    return None
