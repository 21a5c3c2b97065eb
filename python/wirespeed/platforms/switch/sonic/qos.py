"""CONFIG_DB: traffic classes of ports.

A map that PORT_QOS_MAP names must exist: its fields are leafrefs (sonic-buildimage, sonic-port-qos-map.yang; RFC 7950,
9.9). Until it exists, the orchestration agent applies no field of the row (sonic-swss, QosOrch::handlePortQosMapTable).
So a missing map maps nothing. A binding to another missing row makes its settings unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation, State
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_whole
from wirespeed.platforms.switch.config_reader import ReadValues, observe_settings
from wirespeed.platforms.switch.indented_config import numbers
from wirespeed.platforms.switch.sonic.tables import Row, Tables
from wirespeed.platforms.switch.sonic.values import MAPS, MARKS_GREEN, MARKS_NOT, TRUE_FALSE, TYPES, QosMap
from wirespeed.settings import Discipline, Place, Priority, PriorityGroup, WatchdogAction
from wirespeed.units import Bandwidth, Duration, Size

_QUEUES = range(8)  # of unicast; some chips number more


class Qos:
    """The QoS tables of a switch."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._maps: dict[tuple[str, str], tuple[Any, int]] = {}
        self._bound = dict(tables.by_port("PORT_QOS_MAP"))
        self._common = tables.row("PORT_QOS_MAP", "global")
        self._watchdogs = dict(tables.by_port("PFC_WD"))
        self._queues: dict[str, dict[int, list[Row]]] = {}
        for port, number, row in tables.by_port_and_number("QUEUE"):
            self._queues.setdefault(port, {}).setdefault(number, []).append(row)

    def port(self, place: Place, name: str, output: Output) -> Iterator[Observation]:
        """All of one port."""
        bound = self._bound.get(name)
        read_values = self._read_classes(bound)
        read_values["port.qos.pfc"] = _build_pfc(bound)
        read_values.update(self._read_watchdog(name, bound))
        yield from observe_settings(place, read_values, output)
        if "port.qos.pfc_pg" not in read_values:
            # Most chips have no such map (sonic-buildimage, qos_config.j2, pfc_to_pg_map_supported_asics): a group
            # sends the pause of the priority with its number (from memory).
            groups = {Priority(index): PriorityGroup(index) for index in range(8)}
            yield from observe_settings(place, {"port.qos.pfc_pg": (groups, 0)}, output, State.ASSUMED)
        for number, queue in self._port_queues(name).items():
            yield from observe_settings(place.child("queue", str(number)), queue, output)

    def _read_classes(self, bound: Row | None) -> ReadValues:
        """The maps in effect; the classification of the whole switch applies if the port has none."""
        read_values: ReadValues = {}
        trust: list[tuple[str, int]] = []
        undefined_maps: list[tuple[str, int]] = []
        for path, qos_map in MAPS.items():
            row = next(
                (
                    candidate
                    for candidate in (bound, self._common)
                    if candidate is not None and candidate.get(qos_map.field)
                ),
                None,
            )
            name = row.reference(qos_map.field) if row is not None else None
            if row is None or name is None or name == "null":
                continue
            if self._tables.row(qos_map.table, name) is None:
                undefined_maps.append((f"{qos_map.table}|{name}", row.find_line(qos_map.field)))
            read_values[path] = self._build_map(qos_map, name, row)
            if path in ("port.qos.dscp_tc", "port.qos.dot1p_tc"):
                trust.append((path.rpartition(".")[2].removesuffix("_tc"), row.line))
        line = undefined_maps[0][1] if undefined_maps else bound.line if bound else 0
        read_values["port.qos.undefined_maps"] = (tuple(name for name, _ in undefined_maps), line)
        read_values["port.qos.trust"] = trust[0] if trust else ("none", bound.line if bound else 0)
        return read_values

    def _build_map(self, qos_map: QosMap, name: str, bound: Row) -> tuple[Any, int]:
        row = self._tables.row(qos_map.table, name)
        if row is None:
            return {}, bound.find_line(qos_map.field)
        if (qos_map.table, name) not in self._maps:
            self._maps[qos_map.table, name] = (_build_mapping(qos_map, row.fields), self._tables.lines[qos_map.table])
        return self._maps[qos_map.table, name]

    def _read_watchdog(self, name: str, bound: Row | None) -> ReadValues:
        row = self._watchdogs.get(name)
        if row is None:
            return {"port.qos.watchdog.enabled": (False, 0)}
        read_values: ReadValues = {"port.qos.watchdog.enabled": (True, row.line)}
        if bound is not None:
            line = bound.find_line("pfcwd_sw_enable")
            read_values["port.qos.watchdog.enabled"] = (self._is_watched(bound), line)
            read_values["port.qos.watchdog.priorities"] = (_read_priorities(bound, "pfcwd_sw_enable"), line)
        actions = {
            action.value: action for action in (WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT)
        }
        read_values["port.qos.watchdog.action"] = (actions.get(row.get("action") or "drop"), row.find_line("action"))
        for path, field in (("detect", "detection_time"), ("restore", "restoration_time")):
            time = parse_whole(row.get(field))
            read_values[f"port.qos.watchdog.{path}"] = (
                None if time is None else Duration.from_unit(time, "ms"),
                row.find_line(field),
            )
        return read_values

    def _is_watched(self, bound: Row) -> bool | None:
        """Whether every lossless priority is watched: images that have the field watch the priorities in it alone.

        Older ones watch all (sonic-utilities, db_migrator, version_3_0_4, which adds the field).
        """
        watch = bound.get("pfcwd_sw_enable")
        if watch is None and bound.get("pfc_enable"):
            versions = self._tables.row("VERSIONS", "DATABASE")
            version = versions.get("VERSION") if versions is not None else None
            return True if re.fullmatch(r"version_([12]_.*|3_0_[0-4])", version or "") else None
        if watch is None:
            return True  # without a lossless priority none lacks a watchdog
        watched, lossless = _read_priorities(bound, "pfcwd_sw_enable"), _build_pfc(bound)[0]
        return None if watched is None or lossless is None else bool(watched) and lossless <= watched

    def _port_queues(self, name: str) -> dict[int, ReadValues]:
        read_values: dict[int, ReadValues] = {number: {"queue.ecn.enabled": (False, 0)} for number in _QUEUES}
        weights: dict[int, tuple[int | None, int]] = {}
        for number, rows in self._queues.get(name, {}).items():
            for row in rows:
                settings = read_values.setdefault(number, {"queue.ecn.enabled": (False, 0)})
                if (profile := row.reference("wred_profile")) is not None:
                    settings.update(_read_marking(self._tables.row("WRED_PROFILE", profile), row))
                if (policy := row.reference("scheduler")) is not None:
                    scheduler = self._tables.row("SCHEDULER", policy)
                    settings.update(_read_service(scheduler, row))
                    if scheduler is None:
                        weights[number] = (None, row.line)
                    elif scheduler.get("type") != "STRICT":
                        weights[number] = (parse_whole(scheduler.get("weight")), scheduler.find_line("weight"))
        # Weights are relative, so a queue's share is its weight's part of all of them.
        known_values = {number: (weight, line) for number, (weight, line) in weights.items() if weight}
        total = sum(weight for weight, _ in known_values.values())
        if len(known_values) == len(weights):
            for number, (weight, line) in known_values.items():
                read_values[number]["queue.weight"] = (round(100 * weight / total), line)
        return read_values


def _build_mapping(qos_map: QosMap, fields: Mapping[str, str]) -> Mapping[Any, Any] | None:
    try:
        return {qos_map.key(int(key)): qos_map.value(int(value)) for key, value in fields.items()}
    except ValueError:
        return None


def _build_pfc(bound: Row | None) -> tuple[frozenset[Priority] | None, int]:
    if bound is None:
        return frozenset(), 0
    if not bound.get("pfc_enable"):
        return frozenset(), bound.find_line("pfc_enable")
    return _read_priorities(bound, "pfc_enable"), bound.find_line("pfc_enable")


def _read_priorities(bound: Row, field: str) -> frozenset[Priority] | None:
    """A list of priorities. None if the row lacks it, or if it is malformed."""
    text = bound.get(field)
    if not text:
        return None if text is None else frozenset()
    members = numbers(text)
    return None if members is None or max(members) > Priority.last else frozenset(map(Priority, members))


def _read_marking(profile: Row | None, bound: Row) -> ReadValues:
    if profile is None:
        return {"queue.ecn.enabled": (None, bound.line)}
    word = profile.get("ecn") or ""
    enabled = True if word in MARKS_GREEN else False if word in MARKS_NOT else None
    if enabled and not (green := TRUE_FALSE.get(profile.get("wred_green_enable") or "")):
        enabled = green  # without its WRED no green packet is marked; unsaid is unknown
    read_values: ReadValues = {"queue.ecn.enabled": (enabled, profile.find_line("ecn"))}
    for path, field in (("minimum", "green_min_threshold"), ("maximum", "green_max_threshold")):
        size = parse_whole(profile.get(field))
        read_values[f"queue.ecn.{path}"] = (None if size is None else Size(size), profile.find_line(field))
    field = "green_drop_probability"
    read_values["queue.ecn.probability"] = (parse_whole(profile.get(field)), profile.find_line(field))
    return read_values


def _read_service(scheduler: Row | None, bound: Row) -> ReadValues:
    if scheduler is None:
        return {"queue.discipline": (None, bound.line)}
    kind: Discipline | None = TYPES.get(scheduler.get("type") or "")
    read_values: ReadValues = {"queue.discipline": (kind, scheduler.find_line("type"))}
    read_values["queue.shape"] = _read_shape(scheduler)
    return read_values


def _read_shape(scheduler: Row) -> tuple[Bandwidth | None, int]:
    """The rate of a scheduler. A rate of 0 is no limit (saischeduler.h, SAI_SCHEDULER_ATTR_MAX_BANDWIDTH_RATE)."""
    word = scheduler.get("pir")
    rate = 0 if word is None else parse_whole(word)
    if rate is None or (rate and scheduler.get("meter_type") == "packets"):  # packets a second are no bandwidth
        return None, scheduler.find_line("pir")
    return Bandwidth(rate * 8), scheduler.find_line("pir") if word is not None else 0
