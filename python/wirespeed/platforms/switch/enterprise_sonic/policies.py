"""Names of the policies: ports with equal maps, schedulers and thresholds share one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.platforms.switch.policies import frozen, has_thresholds, name_policies, sort_ports
from wirespeed.settings import DistinctValues, Ecn, Port, PortQos, Queue, Switch

BASE = "ROCE"

MAP_PATHS = (
    "port.qos.dscp_tc",
    "port.qos.dot1p_tc",
    "port.qos.tc_queue",
    "port.qos.tc_pg",
    "port.qos.tc_dscp",
    "port.qos.pfc_queue",
    "port.qos.pfc_pg",
)
"""Settings that are a ``qos map``, in the order the device prints."""

Scheduler = tuple[tuple[int, Queue], ...]


class Policies:
    """The policies of one switch. A name that the switch has no use for yet is ``ROCE``, the commonest."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._qos: DistinctValues[PortQos] = DistinctValues()
        self._queues: DistinctValues[Mapping[str, Queue]] = DistinctValues()
        self._keys: dict[tuple[str, int], Any] = {}  # ports share their settings
        self._maps: dict[str, dict[Any, str]] = {}
        self._schedulers = name_policies(switch, BASE, self._build_scheduler)
        thresholds: dict[Ecn, None] = {}
        for port in {self._queues.number(port.queues): port for _, port in sort_ports(switch.ports)}.values():
            thresholds.update((queue.ecn, None) for queue in port.queues.values() if has_thresholds(queue.ecn))
        self._wred = {ecn: BASE if index == 1 else f"{BASE}-{index}" for index, ecn in enumerate(thresholds, start=1)}

    def key(self, port: Port) -> tuple[int, int]:
        """The same for all ports with equal settings of traffic classes and queues."""
        return self._qos.number(port.qos), self._queues.number(port.queues)

    def map_name(self, path: str, port: Port) -> str:
        """Name of the port's ``qos map`` for a setting path."""
        return self._list_names(path).get(self._find_key(path, port), BASE)

    def bound(self, port: Port) -> list[str]:
        """Setting paths of the maps the port needs."""
        return [path for path in MAP_PATHS if self._find_key(path, port) is not None]

    def maps(self, path: str) -> Iterator[tuple[str, Mapping[Any, Any]]]:
        """Every ``qos map`` of one kind."""
        for value, name in self._list_names(path).items():
            yield name, dict(value)

    def scheduler_name(self, port: Port) -> str:
        """Name of the port's ``scheduler-policy``."""
        return self._schedulers.get(find_scheduler(port), BASE)

    def schedulers(self) -> Iterator[tuple[str, Scheduler]]:
        """Every ``scheduler-policy``."""
        for value, name in self._schedulers.items():
            yield name, value

    def wred_name(self, ecn: Ecn) -> str:
        """Name of the ``wred-policy`` with these thresholds."""
        return self._wred.get(ecn, BASE)

    def wred(self) -> Iterator[tuple[str, Ecn]]:
        """Every ``wred-policy``."""
        for ecn, name in self._wred.items():
            yield name, ecn

    def _build_scheduler(self, port: Port) -> Scheduler | None:
        key = ("scheduler", self._queues.number(port.queues))
        if key not in self._keys:
            self._keys[key] = find_scheduler(port)
        read_values: Scheduler | None = self._keys[key]
        return read_values

    def _list_names(self, path: str) -> Mapping[Any, str]:
        if path not in self._maps:
            self._maps[path] = name_policies(self._switch, BASE, lambda port: self._find_key(path, port))
        return self._maps[path]

    def _find_key(self, path: str, port: Port) -> Any:
        key = (path, self._qos.number(port.qos))
        if key not in self._keys:
            self._keys[key] = frozen(find_mapping(port, path))
        return self._keys[key]


def find_mapping(port: Port, path: str) -> Mapping[Any, Any] | None:
    """The map of a port; the one of PFC priorities to priority groups follows from the others where it is not set."""
    qos = port.qos
    if path != "port.qos.pfc_pg" or qos.pfc_pg is not None:
        read_values: Mapping[Any, Any] | None = getattr(qos, path.rpartition(".")[2])
        return read_values or None
    if not (qos.pfc and qos.pfc_queue and qos.tc_queue and qos.tc_pg):
        return None
    groups = {queue: qos.tc_pg[tc] for tc, queue in qos.tc_queue.items() if tc in qos.tc_pg}
    return {
        priority: groups[qos.pfc_queue[priority]]
        for priority in sorted(qos.pfc)
        if qos.pfc_queue.get(priority) in groups
    } or None


def find_scheduler(port: Port) -> Scheduler | None:
    """Content of the port's scheduler policy; None without intent."""
    queue_schedulers = sorted(
        (
            (int(number), Queue(queue.discipline, queue.weight, shape=queue.shape))
            for number, queue in port.queues.items()
            if queue.discipline is not None or queue.shape
        ),
        key=lambda entry: entry[0],
    )
    return tuple(queue_schedulers) or None
