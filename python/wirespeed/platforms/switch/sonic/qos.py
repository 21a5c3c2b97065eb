"""CONFIG_DB: what a port does with traffic classes. A binding to what is not there leaves its settings unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import parse_whole
from wirespeed.platforms.switch.config_reader import Found, observe_settings
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
        found = self._classes(bound)
        found["port.qos.pfc"] = _pfc(bound)
        found.update(self._watchdog(name, bound))
        yield from observe_settings(place, found, output)
        for number, queue in self._port_queues(name).items():
            yield from observe_settings(place.child("queue", str(number)), queue, output)

    def _classes(self, bound: Row | None) -> Found:
        """The maps in effect; the classification of the whole switch applies if the port has none."""
        found: Found = {}
        trust: list[tuple[str, int]] = []
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
            found[path] = self._map(qos_map, name, row)
            if path in ("port.qos.dscp_tc", "port.qos.dot1p_tc"):
                trust.append((path.rpartition(".")[2].removesuffix("_tc"), row.line))
        found["port.qos.trust"] = trust[0] if trust else ("none", bound.line if bound else 0)
        if "port.qos.pfc_pg" not in found:
            # Chips without such a map: a group sends the pause of the priority with its number (from memory).
            found["port.qos.pfc_pg"] = ({Priority(index): PriorityGroup(index) for index in range(8)}, 0)
        return found

    def _map(self, qos_map: QosMap, name: str, bound: Row) -> tuple[Any, int]:
        if (qos_map.table, name) not in self._maps:
            row = self._tables.row(qos_map.table, name)
            value = None if row is None else _mapping(qos_map, row.fields)
            line = self._tables.lines[qos_map.table] if row is not None else bound.line_of(qos_map.field)
            self._maps[qos_map.table, name] = (value, line)
        return self._maps[qos_map.table, name]

    def _watchdog(self, name: str, bound: Row | None) -> Found:
        row = self._watchdogs.get(name)
        if row is None:
            return {"port.qos.watchdog.enabled": (False, 0)}
        found: Found = {"port.qos.watchdog.enabled": (True, row.line)}
        if bound is not None:
            found["port.qos.watchdog.enabled"] = (self._is_watched(bound), bound.line_of("pfcwd_sw_enable"))
        actions = {
            action.value: action for action in (WatchdogAction.DROP, WatchdogAction.FORWARD, WatchdogAction.ALERT)
        }
        found["port.qos.watchdog.action"] = (actions.get(row.get("action") or "drop"), row.line_of("action"))
        for path, field in (("detect", "detection_time"), ("restore", "restoration_time")):
            time = parse_whole(row.get(field))
            found[f"port.qos.watchdog.{path}"] = (
                None if time is None else Duration.from_unit(time, "ms"),
                row.line_of(field),
            )
        return found

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
            return True  # nothing is lossless, so nothing goes unwatched
        watched, lossless = numbers(watch) if watch else [], _pfc(bound)[0]
        return None if watched is None or lossless is None else bool(watched) and lossless <= set(watched)

    def _port_queues(self, name: str) -> dict[int, Found]:
        found: dict[int, Found] = {number: {"queue.ecn.enabled": (False, 0)} for number in _QUEUES}
        weights: dict[int, tuple[int | None, int]] = {}
        for number, rows in self._queues.get(name, {}).items():
            for row in rows:
                settings = found.setdefault(number, {"queue.ecn.enabled": (False, 0)})
                if (profile := row.reference("wred_profile")) is not None:
                    settings.update(_marking(self._tables.row("WRED_PROFILE", profile), row))
                if (policy := row.reference("scheduler")) is not None:
                    scheduler = self._tables.row("SCHEDULER", policy)
                    settings.update(_service(scheduler, row))
                    if scheduler is None:
                        weights[number] = (None, row.line)
                    elif scheduler.get("type") != "STRICT":
                        weights[number] = (parse_whole(scheduler.get("weight")), scheduler.line_of("weight"))
        # Weights are relative, so a queue's share is its weight's part of all of them.
        known = {number: (weight, line) for number, (weight, line) in weights.items() if weight}
        total = sum(weight for weight, _ in known.values())
        if len(known) == len(weights):
            for number, (weight, line) in known.items():
                found[number]["queue.weight"] = (round(100 * weight / total), line)
        return found


def _mapping(qos_map: QosMap, fields: Mapping[str, str]) -> Mapping[Any, Any] | None:
    try:
        return {qos_map.key(int(key)): qos_map.value(int(value)) for key, value in fields.items()}
    except ValueError:
        return None


def _pfc(bound: Row | None) -> tuple[frozenset[Priority] | None, int]:
    enabled = None if bound is None else bound.get("pfc_enable")
    if not enabled:
        return frozenset(), bound.line_of("pfc_enable") if bound else 0
    assert bound is not None
    listed = numbers(enabled)
    if listed is None or max(listed) > Priority.last:
        return None, bound.line_of("pfc_enable")
    return frozenset(map(Priority, listed)), bound.line_of("pfc_enable")


def _marking(profile: Row | None, bound: Row) -> Found:
    if profile is None:
        return {"queue.ecn.enabled": (None, bound.line)}
    word = profile.get("ecn") or ""
    enabled = True if word in MARKS_GREEN else False if word in MARKS_NOT else None
    if enabled and not (green := TRUE_FALSE.get(profile.get("wred_green_enable") or "")):
        enabled = green  # without its WRED no green packet is marked; unsaid is unknown
    found: Found = {"queue.ecn.enabled": (enabled, profile.line_of("ecn"))}
    for path, field in (("minimum", "green_min_threshold"), ("maximum", "green_max_threshold")):
        size = parse_whole(profile.get(field))
        found[f"queue.ecn.{path}"] = (None if size is None else Size(size), profile.line_of(field))
    field = "green_drop_probability"
    found["queue.ecn.probability"] = (parse_whole(profile.get(field)), profile.line_of(field))
    return found


def _service(scheduler: Row | None, bound: Row) -> Found:
    if scheduler is None:
        return {"queue.discipline": (None, bound.line)}
    kind: Discipline | None = TYPES.get(scheduler.get("type") or "")
    found: Found = {"queue.discipline": (kind, scheduler.line_of("type"))}
    rate = parse_whole(scheduler.get("pir"))
    if rate and scheduler.get("meter_type") != "packets":  # packets a second are no bandwidth
        found["queue.shape"] = (Bandwidth(rate * 8), scheduler.line_of("pir"))
    return found
