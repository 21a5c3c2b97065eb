"""Values of settings in NX-OS syntax, and back.

Class names and the lines of policies: Microsoft's Azure Local reference configurations for Nexus 9000. The rest is from
memory: platform.yaml marks it as not verified.
"""

from __future__ import annotations

import re

from wirespeed.platforms.declaration import find_declared_default, find_declared_polls
from wirespeed.platforms.switch.config_reader import BYTE_UNITS, RATE_PREFIXES
from wirespeed.settings import Ecn, WatchdogAction
from wirespeed.units import Bandwidth, Size

DEFAULT_MTU: int = find_declared_default("switch/nxos", "port.link.mtu")
DEFAULT_CLASS_MTU: int = find_declared_default("switch/nxos", "switch.class_mtu")
DEFAULT_POLL: int = find_declared_default("switch/nxos", "switch.watchdog_poll").milliseconds
"""Source: Cisco Nexus Dashboard Fabric Controller, fabric settings, system default."""
DEFAULT_SHUTDOWN: int = find_declared_polls("switch/nxos", "port.qos.watchdog.detect")
DEFAULT_RESTORE: int = find_declared_polls("switch/nxos", "port.qos.watchdog.restore")
"""Both from memory."""
POLLS = range(100, 1001)  # ms; the same source, 101 to 1000 or the default
SHUTDOWNS, RESTORES = range(1, 11), range(1, 101)  # from memory

FEC_KEYWORDS = {"rs": "fec rs-fec", "fc": "fec fc-fec", "none": "fec off"}
FECS = {words.removeprefix("fec "): fec for fec, words in FEC_KEYWORDS.items()}
TRUST = ("dscp", "none")
ACTIONS = (WatchdogAction.DROP, WatchdogAction.ALERT)

_RANDOM_DETECT = re.compile(
    r"minimum-threshold (\d{1,9}) ([a-z]+) maximum-threshold (\d{1,9}) ([a-z]+)"
    r" drop-probability (\d{1,3})(?: weight \d+)?( ecn)?"
)


def network_class(queue: int) -> str:
    """The system's class of a queue in a network-qos policy."""
    return f"c-8q-nq{queue or '-default'}"


def output_class(queue: int) -> str:
    """The system's class of a queue in a queuing policy."""
    return f"c-out-8q-q{queue or '-default'}"


def parse_queue(word: str, prefix: str) -> int | None:
    """The queue of one of the system's classes, whose names start so; None for another class."""
    match = re.fullmatch(rf"{prefix}([1-7]|-default)", word)
    return None if match is None else 0 if match[1] == "-default" else int(match[1])


def parse_shape(text: str) -> Bandwidth | None:
    """The largest rate of ``min 1 gbps max 40 gbps``; None for packets or a share.

    Source: Cisco Nexus 9000 NX-OS Quality of Service Configuration Guide, Configuring Shaping on Egress Queues; the
    keyword under a class of type queuing is in Batfish's grammar.
    """
    match = re.fullmatch(r"min [0-9]{1,12} [kmg]?bps max ([0-9]{1,12}) ([kmg]?)bps", text)
    return None if match is None else Bandwidth(int(match[1]) * RATE_PREFIXES[match[2]])


def random_detect(ecn: Ecn) -> str:
    """Marking of a queue; amounts that are not whole kbytes are written in bytes."""
    low, high = ecn.minimum or Size(0), ecn.maximum or Size(0)
    unit, scale = ("bytes", 1) if low % 1000 or high % 1000 else ("kbytes", 1000)
    thresholds = f"minimum-threshold {low // scale} {unit} maximum-threshold {high // scale} {unit}"
    return f"random-detect {thresholds} drop-probability {ecn.probability} weight 0 ecn"


def complete(ecn: Ecn) -> bool:
    """Whether the queue has every value that marking needs."""
    return None not in (ecn.minimum, ecn.maximum, ecn.probability)


def marking(text: str) -> Ecn | None:
    """The values after ``random-detect``; thresholds in packets are not converted. None if it is malformed."""
    match = _RANDOM_DETECT.fullmatch(text)
    if match is None:
        return None
    low, low_unit, high, high_unit, probability, marks = match.groups()
    known_values = low_unit in BYTE_UNITS and high_unit in BYTE_UNITS
    return Ecn(
        enabled=marks is not None,
        minimum=Size(int(low) * BYTE_UNITS[low_unit]) if known_values else None,
        maximum=Size(int(high) * BYTE_UNITS[high_unit]) if known_values else None,
        probability=int(probability),
    )
