"""Values of settings in EOS syntax, and back.

Keywords, units and ranges: Arista AVD's schema and templates; defaults: EOS 4.36 user guide.
"""

from __future__ import annotations

import re
from dataclasses import replace

from wirespeed.platforms.declaration import list_declared_cases, list_declared_pairs
from wirespeed.platforms.releases import parse_release
from wirespeed.platforms.switch.policies import sort_ports
from wirespeed.settings import Switch, Watchdog, WatchdogAction, WatchdogRecovery
from wirespeed.settings.link import Link
from wirespeed.settings.qos import Dscp, Ecn, SwitchTrafficClass
from wirespeed.units import Bandwidth, Duration, Size

DEFAULT_DSCP_TC = {
    Dscp(dscp): SwitchTrafficClass(number)
    for dscp, number in list_declared_pairs("switch/eos", "port.qos.dscp_tc").items()
}
"""EOS 4.36 user guide: DSCP 0-7 go to traffic class 1, 8-15 to 0, the others to their upper three bits."""

_MTUS: dict[str, int] = list_declared_cases("switch/eos", "port.link.mtu")
DEFAULT_MTU = _MTUS["routed"]
"""Of a routed interface, bytes of the IP packet: aristaeos.blogspot.com, Arista EOS MTU behavior (3), measured."""
DEFAULT_L2_MTU = _MTUS["switched"]
"""Of a switched interface, as ``show interfaces`` of switches without an ``mtu`` line prints it."""

FEC_KEYWORDS = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
TRUST_KEYWORDS = {"dscp": "qos trust dscp", "dot1p": "qos trust cos", "none": "no qos trust"}
ACTIONS = {
    "drop": WatchdogAction.DROP,
    "notify-only": WatchdogAction.ALERT,
    "errdisable": WatchdogAction.ERRDISABLE,
}
"""Source: Arista AVD 6.4, priority_flow_control.watchdog.action. Without the line a port ignores pauses and forwards
(Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog); the CLI has no keyword for it (AVD, pull request
6400)."""
LAST_PFC_MODE = "4.28"
"""The last release whose documentation turns PFC on with ``mode on`` (Arista and Broadcom, Lossless Network for
AI/ML/Storage/HPC with RDMA, EOS 4.27.2F and 4.28.1FX). No source gives the first release without ``mode``."""
WATCHDOG = "priority-flow-control pause watchdog"
ACTION_KEYWORDS = {action: word for word, action in ACTIONS.items()}
NO_ACTION = f"no {WATCHDOG} action"
"""What makes the ports of a switch forward."""

DROP_OVERRIDE = f"{WATCHDOG} override action drop"
"""Every stuck queue drops, whatever action is configured: Arista AVD's schema, priority_flow_control.watchdog."""

_LANES = {10: 1, 25: 1, 40: 4, 50: 1, 100: 4, 200: 4, 400: 8, 800: 8}
_LANE_SPEEDS = (10, 25)
"""Gb/s of speeds that have one lane at most."""
_UNICAST_QUEUES = ("trident", "tomahawk")  # XGS: 7050X, 7060X; a queue is a unicast and a multicast one
_VOQ_QUEUES = ("jericho", "qumran")  # DNX: 7280R, 7500R, 7800R; virtual output queues

SERIES_CHIPS = {"7050": "trident", "7060": "tomahawk", "7280": "jericho", "78": "jericho"}
"""Start of a model's number (7804 is of series 7800) and chip family.

Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA.
"""

SHAPE_UNIT = 1000
"""``shape rate N kbps`` (Arista AVD's schema): bits per second."""


def queue_keyword(chip: str | None) -> str | None:
    """The keyword of an egress queue on this chip. None for an unknown chip."""
    family = (chip or "").lower()
    if family.startswith(_UNICAST_QUEUES):
        return "uc-tx-queue"
    return "tx-queue" if family.startswith(_VOQ_QUEUES) else None


def format_speed(link: Link) -> str | None:
    """``400g-8``: Gb/s and lanes. One lane has a number where a port can have the speed on several: ``100g-1``.

    Source: batfish, vendor/arista, arista_interface_speed_breakout.
    """
    if link.speed is None:
        return None
    gbps = link.speed.whole("Gb/s")
    lanes = link.lanes or _LANES.get(gbps, 8)
    return f"{gbps}g" if gbps in _LANE_SPEEDS else f"{gbps}g-{lanes}"


def parse_speed(text: str) -> tuple[Bandwidth, int | None] | None:
    """Speed and lanes of ``400g-8``; no lanes in ``100g`` and older trains' ``forced 400gfull``. Else None."""
    match = re.fullmatch(r"(?:forced )?([0-9]{1,4})g(full|-[0-9]{1,2})?", text.lower())
    if match is None:
        return None
    gbps = int(match[1])
    lanes = 1 if gbps in _LANE_SPEEDS and match[2] is None else None
    if match[2] is not None and match[2] != "full":
        lanes = int(match[2][1:])
    return Bandwidth.from_unit(gbps, "Gb/s"), lanes


def format_shape(rate: Bandwidth) -> str:
    """The rate a queue is shaped to."""
    return f"shape rate {rate // SHAPE_UNIT} kbps"


def parse_shape(text: str) -> Bandwidth | None:
    """The rate of ``1000 kbps``; None for a percentage or packets per second, which are no bandwidth."""
    match = re.fullmatch(r"([0-9]{1,10}) kbps", text)
    return Bandwidth(int(match[1]) * SHAPE_UNIT) if match else None


def format_pfc(os_version: str | None) -> str:
    """The line that turns PFC on. Without a planned release it is that of the newest ones (Arista AVD)."""
    is_mode = os_version is not None and parse_release(os_version) <= parse_release(LAST_PFC_MODE)
    return "priority-flow-control mode on" if is_mode else "priority-flow-control on"


def seconds(duration: Duration) -> str:
    """As the watchdog's times are printed, ``0.20``."""
    return f"{duration.seconds:.2f}"


def format_thresholds(ecn: Ecn) -> str:
    """Thresholds and probability; kbytes are 1000 bytes, other amounts are in bytes."""
    low, high = ecn.minimum or Size(0), ecn.maximum or Size(0)
    unit, scale = ("bytes", 1) if low % 1000 or high % 1000 else ("kbytes", 1000)
    thresholds = f"minimum-threshold {low // scale} {unit} maximum-threshold {high // scale} {unit}"
    if ecn.probability is not None:
        thresholds += f" max-mark-probability {ecn.probability}"
    return f"{thresholds} weight 0"


def global_watchdog(switch: Switch) -> Watchdog:
    """The switch-wide watchdog settings: those of its first port with any; an action that no port can have alone."""
    watchdogs = [port.qos.watchdog for _, port in sort_ports(switch.ports) if port.qos.watchdog.detect]
    if not watchdogs:
        return Watchdog()
    actions = [watchdog.action for watchdog in watchdogs]
    shared = [action for action in (WatchdogAction.FORWARD, WatchdogAction.ERRDISABLE) if action in actions]
    return replace(watchdogs[0], action=shared[0] if shared else actions[0])


def global_timer_lines(switch: Switch) -> list[str]:
    """The times of the switch-wide watchdog. Without a timeout no port has one.

    Source: Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, PFC Watchdog.
    """
    watchdog, poll = global_watchdog(switch), switch.watchdog_poll
    times = {
        "timeout": watchdog.detect and seconds(watchdog.detect),
        "polling-interval": poll and f"{poll.seconds:.3f}",
        "recovery-time": watchdog.restore and seconds(watchdog.restore),
    }
    return [f"{WATCHDOG} default {timer} {time}" for timer, time in times.items() if time]


def global_action_line(action: WatchdogAction | None) -> list[str]:
    """The line of the switch-wide action, if there is one."""
    if action is WatchdogAction.FORWARD:
        return [NO_ACTION]
    return [f"{WATCHDOG} action {ACTION_KEYWORDS[action]}"] if action in ACTION_KEYWORDS else []


def has_own_timer(watchdog: Watchdog, switch: Switch, common: Watchdog) -> bool:
    """Whether a port needs another timer than that of its switch, which has no keyword for a forced recovery."""
    is_forced = watchdog.recovery is WatchdogRecovery.FORCED
    is_polled_so = watchdog.poll in (None, switch.watchdog_poll)
    return is_forced or not is_polled_so or (watchdog.detect, watchdog.restore) != (common.detect, common.restore)


def watchdog_timer(watchdog: Watchdog, switch: Switch) -> str:
    """The timer of a port. Source: Arista AVD, eos_cli_config_gen, qos_profiles.priority_flow_control.watchdog.

    Which interval ``auto`` is, no public source describes.
    """
    poll = watchdog.poll or switch.watchdog_poll
    restore = watchdog.restore if watchdog.restore is not None else watchdog.detect
    times = f"timeout {seconds(watchdog.detect or Duration(0))}"
    polling = "auto" if poll is None else f"{poll.seconds:.3f}"
    forced = " forced" if watchdog.recovery is WatchdogRecovery.FORCED else ""
    return f"{times} polling-interval {polling} recovery-time {seconds(restore or Duration(0))}{forced}"
