"""The policies of a switch for classification, queues and pauses. Ports with equal settings share a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wirespeed.platforms.switch.indented_config import ranges
from wirespeed.platforms.switch.nxos.values import complete, network_class, output_class, random_detect
from wirespeed.platforms.switch.policies import frozen, group_by_target, name_policies, sort_ports
from wirespeed.settings import Discipline, Port, Queue, Switch

INPUT, NETWORK, OUTPUT = "ROCE-IN", "ROCE-NETWORK", "ROCE-OUT"


@dataclass(frozen=True, slots=True)
class QosClass:
    """A class of a qos policy: the code points that go to one qos-group, which is the traffic class and the queue."""

    name: str
    dscps: str
    group: int


@dataclass(frozen=True, slots=True)
class QueuingClass:
    """A class of a queuing policy."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policies:
    """All policies by name, and which a port is bound to."""

    inputs: Mapping[str, tuple[QosClass, ...]]
    outputs: Mapping[str, tuple[QueuingClass, ...]]
    paused: tuple[tuple[str, int], ...]  # network-qos class, priority
    input_of: Mapping[str, str]  # by port
    output_of: Mapping[str, str]

    @property
    def system_output(self) -> str | None:
        """The queuing policy of ports without one: the most frequent policy."""
        return next(iter(self.outputs), None)


def build_policies(switch: Switch) -> Policies:
    """The policies of a switch."""
    inputs, outputs = name_policies(switch, INPUT, _build_input), name_policies(switch, OUTPUT, _build_output)
    ports = sort_ports(switch.ports)
    return Policies(
        inputs={name: _qos_classes(name, key) for key, name in inputs.items()},
        outputs={name: tuple(_list_queuing_classes(dict(key))) for key, name in outputs.items()},
        paused=tuple((network_class(queue), priority) for priority, queue in list_paused_queues(switch)),
        input_of={
            port: inputs[_build_input(port_settings)]
            for port, port_settings in ports
            if _build_input(port_settings) is not None
        },
        output_of={
            port: outputs[_build_output(port_settings)]
            for port, port_settings in ports
            if _build_output(port_settings) is not None
        },
    )


def list_paused_queues(switch: Switch) -> list[tuple[int, int]]:
    """Lossless priorities and the queue that each pauses; a priority without a queue pauses that of its number."""
    pairs = {
        (int(priority), int((port.qos.pfc_queue or {}).get(priority, priority)))
        for port in switch.ports.values()
        for priority in port.qos.pfc or ()
    }
    return sorted(pairs, key=lambda pair: pair[1])


def _build_input(port: Port) -> Any:
    return frozen(port.qos.dscp_tc) if port.qos.trust == "dscp" else None


def _build_output(port: Port) -> Any:
    return tuple(sorted(port.queues.items(), reverse=True)) or None


def _qos_classes(policy: str, pairs: Any) -> tuple[QosClass, ...]:
    groups = group_by_target(pairs or ())
    return tuple(QosClass(f"{policy}-{group}", ranges(dscps), group) for group, dscps in groups if group)


def _list_queuing_classes(queues: Mapping[str, Queue]) -> list[QueuingClass]:
    strict = sorted(
        (int(number) for number, queue in queues.items() if queue.discipline == Discipline.STRICT), reverse=True
    )
    return [
        QueuingClass(output_class(int(number)), tuple(_format_lines(int(number), queue, strict)))
        for number, queue in queues.items()
    ]


def _format_lines(number: int, queue: Queue, strict: list[int]) -> list[str]:
    lines: list[str] = []
    if queue.discipline == Discipline.STRICT:
        lines.append(f"priority level {strict.index(number) + 1}")
    elif queue.weight is not None:
        lines.append(f"bandwidth remaining percent {queue.weight}")
    if queue.ecn.enabled is not False and complete(queue.ecn):
        lines.append(random_detect(queue.ecn))
    return lines
