"""Tuning of a host and its NICs: rings, coalescing, interrupts, queueing, frequency, idle states."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.facts import Observation
from wirespeed.platforms.core_lists import parse_core_list
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe, parse_json_objects, parse_whole
from wirespeed.settings import Place

_GOVERNOR = re.compile(r"/sys/devices/system/cpu/cpufreq/policy[0-9]+/scaling_governor:(\S+)")
_STATE = re.compile(r"(/sys/devices/system/cpu/cpu[0-9]+/cpuidle/state[0-9]+)/(name|disable):(\S.*)")
_IRQ = re.compile(r"/proc/irq/([0-9]{1,9})/smp_affinity_list:([0-9,-]+)")
_ADAPTIVE = re.compile(r"Adaptive RX: (\S+)  TX: (\S+)\s*")
_COUNTS = {
    "rx-usecs": "nic.coalescing.rx_usecs",
    "rx-frames": "nic.coalescing.rx_frames",
    "tx-usecs": "nic.coalescing.tx_usecs",
    "tx-frames": "nic.coalescing.tx_frames",
}
_SWITCH = {"on": True, "off": False}


def parse(outputs: Outputs) -> Iterator[Observation]:
    """Settings of the host, then of every NIC with an output."""
    host = Place(outputs.device)
    if output := outputs.get("cpu-power"):
        yield from _read_governor(host, output)
        yield from _idle_states(host, output)
    if output := outputs.get("irqbalance"):
        word = output.text.strip()
        if word in ("active", "inactive", "failed", "unknown"):
            yield observe(host, "host.irq_balancing", word == "active", output, 1)
    for interface, output in outputs.per_nic("ethtool-ring"):
        yield from _read_ring(host.child("nic", interface), output)
    for interface, output in outputs.per_nic("ethtool-coalesce"):
        yield from _interrupt_coalescing(host.child("nic", interface), output)
    affinity = outputs.get("irq-affinity")
    for interface, output in outputs.per_nic("msi-irqs"):
        if affinity is not None:
            yield from _read_interrupts(host.child("nic", interface), output, affinity)
    for interface, output in outputs.per_nic("qdisc"):
        yield from _read_qdisc(host.child("nic", interface), output)


def _read_governor(host: Place, output: Output) -> Iterator[Observation]:
    """The governor of all cores, or every governor if they differ."""
    values: dict[str, int] = {}
    for number, text in number_lines(output):
        if match := _GOVERNOR.fullmatch(text):
            values.setdefault(match[1], number)
    if values:
        yield observe(host, "host.governor", ", ".join(sorted(values)), output, max(values.values()))


def _idle_states(host: Place, output: Output) -> Iterator[Observation]:
    """The states that a core may enter. Unknown if the name or switch of a state is not shown."""
    names: dict[str, str] = {}
    disabled_flags: dict[str, tuple[str, int]] = {}
    for number, text in number_lines(output):
        if match := _STATE.fullmatch(text):
            if match[2] == "name":
                names[match[1]] = match[3]
            else:
                disabled_flags[match[1]] = (match[3], number)
    if names and names.keys() == disabled_flags.keys():
        entered_states = frozenset(names[state] for state, (value, _) in disabled_flags.items() if value == "0")
        yield observe(host, "host.idle_states", entered_states, output, next(iter(disabled_flags.values()))[1])


def _read_ring(place: Place, output: Output) -> Iterator[Observation]:
    """The second of two blocks. ethtool 6.14 leaves out both heads (NEWS of its 6.15)."""
    has_heading = current = False
    values: dict[str, list[tuple[int, str]]] = {"RX": [], "TX": []}
    for number, text in number_lines(output):
        key, _, value = text.partition(":")
        if key in ("Pre-set maximums", "Current hardware settings"):
            has_heading, current = True, key == "Current hardware settings"
        elif key in values and (current or not has_heading):
            values[key].append((number, value.strip()))
    for key, shown_values in values.items():
        if len(shown_values) == (1 if has_heading else 2) and (entries := parse_whole(shown_values[-1][1])) is not None:
            yield observe(place, f"nic.ring.{key.lower()}", entries, output, shown_values[-1][0])


def _interrupt_coalescing(place: Place, output: Output) -> Iterator[Observation]:
    for number, text in number_lines(output):
        if match := _ADAPTIVE.fullmatch(text):
            for path, word in (("adaptive_rx", match[1]), ("adaptive_tx", match[2])):
                if word in _SWITCH:
                    yield observe(place, f"nic.coalescing.{path}", _SWITCH[word], output, number)
        key, _, value = text.partition(":")
        if key in _COUNTS and (count := parse_whole(value.strip())) is not None:
            yield observe(place, _COUNTS[key], count, output, number)


def _read_interrupts(place: Place, output: Output, affinity: Output) -> Iterator[Observation]:
    """The cores of all interrupts of the NIC; unknown when one of them is not shown."""
    names = {text.strip() for _, text in number_lines(output) if text.strip()}
    values: dict[str, tuple[tuple[int, ...] | None, int]] = {}
    for number, text in number_lines(affinity):
        if (match := _IRQ.fullmatch(text)) and match[1] in names:
            values[match[1]] = (parse_core_list(match[2]), number)
    cores = [cores for cores, _ in values.values()]
    if names and values.keys() == names and None not in cores:
        union = frozenset[int]().union(*(core_list for core_list in cores if core_list))
        yield observe(place, "nic.interrupt_cores", union, affinity, next(iter(values.values()))[1])


def _read_qdisc(place: Place, output: Output) -> Iterator[Observation]:
    """The discipline of the transmit queues: the children of mq if there is one, else the root."""
    kinds = [entry["kind"] for _, entry in parse_json_objects(output) or [] if isinstance(entry.get("kind"), str)]
    queues = sorted({kind for kind in kinds if kind not in ("mq", "mqprio", "ingress", "clsact")})
    if queues:
        yield observe(place, "nic.qdisc", ", ".join(queues), output)
