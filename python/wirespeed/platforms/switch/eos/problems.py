"""Settings of a switch that EOS cannot configure."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.errors import Problem
from wirespeed.platforms.switch.eos.values import (
    FEC_KEYWORDS,
    SHAPE_UNIT,
    TRUST_KEYWORDS,
    queue_keyword,
)
from wirespeed.platforms.switch.policies import find_invalid_texts, frozen, sort_ports
from wirespeed.settings import Bgp, Port, Queue, Switch
from wirespeed.units import Duration


def problems(name: str, switch: Switch) -> Iterator[Problem]:
    """Every setting of the switch whose value cannot be configured."""
    ports = sort_ports(switch.ports)
    yield from find_invalid_texts(name, switch)
    if any(port.queues for _, port in ports) and queue_keyword(switch.chip) is None:
        yield Problem(
            f"{name}: chip",
            repr(switch.chip) if switch.chip else "none",
            "a Trident or Tomahawk (uc-tx-queue), or a Jericho or Qumran (tx-queue)",
            "give the switch's model, or its chip",
        )
    for path, values in (
        ("port.qos.dscp_tc", {frozen(port.qos.dscp_tc) for _, port in ports} - {None}),
        ("port.qos.tc_queue", {frozen(port.qos.tc_queue) for _, port in ports} - {None}),
    ):
        if len(values) > 1:
            yield Problem(
                f"{name}: {path}",
                f"{len(values)} different maps on its ports",
                "one map for all ports",
                "EOS has one such map for the whole switch",
            )
    yield from _bgp_problems(name, switch)
    for port_name, port in ports:
        yield from _port_problems(f"{name} {port_name}", port, switch)


def _port_problems(location: str, port: Port, switch: Switch) -> Iterator[Problem]:
    for path, word, sayable in (
        ("port.link.fec", port.link.fec, list(FEC_KEYWORDS)),
        ("port.qos.trust", port.qos.trust, list(TRUST_KEYWORDS)),
    ):
        if word is not None and word not in sayable:
            yield Problem(f"{location}: {path}", word, f"{', '.join(sayable[:-1])} or {sayable[-1]}")
    for number, queue in port.queues.items():
        yield from _queue_problems(f"{location} queue {number}", queue)
    for priority in sorted(port.qos.pfc or ()):
        paused_queues = (port.qos.pfc_queue or {}).get(priority)
        if paused_queues is not None and int(paused_queues) != int(priority):
            yield Problem(
                f"{location}: port.qos.pfc_queue",
                f"priority {priority} pausing queue {paused_queues}",
                f"priority {priority} pausing queue {priority}",
                "on EOS the pause of a priority stops the queue of the same number",
            )
    watchdog = port.qos.watchdog
    times = [value for value in (watchdog.detect, watchdog.restore) if value is not None]
    poll = watchdog.poll or switch.watchdog_poll
    if poll is not None and times and poll * 2 > min(times):
        half = Duration(min(times) // 2)
        yield Problem(
            f"{location}: {'port.qos.watchdog.poll' if watchdog.poll else 'switch.watchdog_poll'}",
            str(poll),
            f"half of the shorter of detection and restoration time at most, {half.milliseconds} ms",
        )


def _queue_problems(location: str, queue: Queue) -> Iterator[Problem]:
    if queue.shape is not None and (queue.shape % SHAPE_UNIT or not queue.shape):
        yield Problem(f"{location}: queue.shape", str(queue.shape), "whole kb/s, 1 or more")
    if queue.weight is not None and queue.guaranteed is not None:
        yield Problem(
            f"{location}: queue.guaranteed",
            f"{queue.guaranteed}% guaranteed and a share of {queue.weight}%",
            "one of them",
            "Arista AVD gives a queue one bandwidth line",
        )
    if queue.ecn.enabled and (queue.ecn.minimum is None or queue.ecn.maximum is None):
        yield Problem(f"{location}: queue.ecn.enabled", "on, without thresholds", "a minimum and a maximum")


def _bgp_problems(name: str, switch: Switch) -> Iterator[Problem]:
    if switch.bgp.asn is None and (switch.peers or switch.bgp != Bgp()):
        yield Problem(f"{name}: switch.bgp.asn", "none", "the autonomous system of the switch, for BGP")
    for peer_name, peer in switch.peers.items():
        location = f"{name} peer {peer_name}"
        if peer.asn is None:
            yield Problem(f"{location}: peer.asn", "none", "the neighbour's autonomous system")
        if peer.unnumbered and peer_name not in switch.ports:
            yield Problem(f"{location}: peer.unnumbered", f"on, of {peer_name}", "a port of the switch")
        if peer.description and (not peer.description.isprintable() or peer.description != peer.description.strip()):
            yield Problem(f"{location}: peer.description", repr(peer.description), "printable text")
