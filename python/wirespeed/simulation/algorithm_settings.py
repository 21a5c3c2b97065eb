"""What algorithms of congestion control expect of switches and receivers besides themselves, laid over a scenario.

A row of a comparison is an algorithm of the core, or `BOTH`: receivers' credit and the sender's window together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from wirespeed import _core
from wirespeed.simulation import ultra_ethernet
from wirespeed.simulation.parameters import Sections, sections_of
from wirespeed.simulation.scenario_types import Congestion, Device, Parameters, Scenario

BOTH = "nscc+rccc"
"""A sender of Ultra Ethernet that keeps to both, its own window and the receiver's credit."""

ROWS: tuple[str, ...] = (*_core.algorithms(), BOTH)


@dataclass(frozen=True, slots=True)
class AlgorithmSettings:
    """What an algorithm expects of switches and receivers besides itself."""

    step: bool = False
    """Every packet above Kmin is marked."""
    every_mark: bool = False
    """Every marked packet is notified of."""
    ultra_ethernet: bool = False
    """The network of Ultra Ethernet."""
    unmarked_downlinks: bool = False
    """Ports of switches that face hosts mark nothing: what a host's link carries is for its credit to say."""


ALGORITHM_SETTINGS: dict[str, AlgorithmSettings] = {
    # Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3.1: a single threshold, K.
    "dctcp": AlgorithmSettings(step=True),
    # Broadcom 957608-AN210: DCQCN-D is for marks above one threshold; its counters show a CNP for each.
    "dcqcn-d": AlgorithmSettings(step=True, every_mark=True),
    "nscc": AlgorithmSettings(ultra_ethernet=True),
    # uet-htsim, main_uec.cpp: no ECN "on tor downlink" where receivers grant credit.
    "rccc": AlgorithmSettings(ultra_ethernet=True, unmarked_downlinks=True),
    BOTH: AlgorithmSettings(ultra_ethernet=True, unmarked_downlinks=True),
}
"""By row; those that are not here run with what the scenario says."""


def row_of(congestion: Congestion | None, usual: str) -> str:
    """The row that congestion control of a scenario belongs to, laid over what is usual."""
    if not isinstance(congestion, dict):
        return usual
    algorithm = str(congestion.get("algorithm", "rccc" if usual == BOTH else usual))
    window = congestion.get("nscc") is not None
    if "algorithm" not in congestion and "nscc" not in congestion:
        window = usual == BOTH
    return BOTH if algorithm == "rccc" and window else algorithm


def congestion_of(row: str) -> Congestion:
    """Congestion control of a row, with the defaults of all parameters."""
    return {"algorithm": "rccc", "nscc": {}} if row == BOTH else cast(Congestion, {"algorithm": row})


def lay(row: str, scenario: Scenario, preset: str) -> Sections:
    """Set in a scenario what the algorithm of a row expects.

    The scenario's `parameters` is an object.

    Returns:
        What was otherwise before; what single devices had otherwise as ``devices``, by ``group.parameter``.
    """
    expects = ALGORITHM_SETTINGS.get(row, AlgorithmSettings())
    of_devices = [sections_of(device["parameters"]) for device in items(scenario)]
    overlay = _Overlay(sections_of(scenario["parameters"]), json.loads(_core.preset(preset)), of_devices)
    overlay.marks(expects)
    if expects.ultra_ethernet:
        overlay.groups(ultra_ethernet.FIXED)
        read = ultra_ethernet.read(scenario, preset)
        if read is not None:  # or the run is refused, with the place
            overlay.groups(ultra_ethernet.of_network(scenario["parameters"], read.idle_network()))
            if expects.unmarked_downlinks and _unmark_downlinks(scenario):
                overlay.of_devices["downlinks.marking.enabled"] = False
    return overlay.changes | ({"devices": overlay.of_devices} if overlay.of_devices else {})


@dataclass(slots=True)
class _Overlay:
    """Lays parameters over those of all devices and of single ones, and keeps what was otherwise."""

    parameters: Sections
    usual: Sections
    sections: list[Sections]
    """Parameters of single devices."""
    changes: Sections = field(default_factory=dict)
    of_devices: dict[str, object] = field(default_factory=dict)

    def marks(self, expects: AlgorithmSettings) -> None:
        """One threshold, a notification for each mark, where these are expected."""
        if expects.step:
            self._over_all("marking", {"kmax_bytes": self._value("marking", "kmin_bytes")})
        if expects.every_mark:
            self._over_all("notification", {"interval_ns": 0})
        for section in self.sections:
            marking, notification = section.get("marking"), section.get("notification")
            if expects.step and isinstance(marking, dict) and "kmax_bytes" in marking:
                kmax = marking.pop("kmax_bytes")  # without a Kmin of its own, the step is that of the sections beneath
                if marking.get("kmin_bytes") != kmax:
                    self.of_devices["marking.kmax_bytes"] = "kmin_bytes"
            if expects.step and isinstance(marking, dict) and "kmin_bytes" in marking:
                marking["kmax_bytes"] = marking["kmin_bytes"]
            if expects.every_mark and isinstance(notification, dict) and notification.pop("interval_ns", 0) != 0:
                self.of_devices["notification.interval_ns"] = 0

    def groups(self, groups: Parameters) -> None:
        """The same for all devices."""
        for group, keys in sections_of(groups).items():
            self._over_all(group, keys)
            for section in self.sections:
                values = section.get(group)
                for key in [key for key in keys if isinstance(values, dict) and key in values]:
                    if section[group].pop(key) != keys[key]:
                        self.of_devices[f"{group}.{key}"] = keys[key]

    def _over_all(self, group: str, keys: Mapping[str, object]) -> None:
        given: object = self.parameters.get(group, {})
        if not isinstance(given, dict):
            return  # the core refuses it
        others = {key: value for key, value in keys.items() if self._value(group, key) != value}
        if others:
            self.parameters[group] = given | others
            self.changes[group] = self.changes.get(group, {}) | others

    def _value(self, group: str, key: str) -> object:
        parameters = self.parameters.get(group)
        return parameters[key] if isinstance(parameters, dict) and key in parameters else self.usual[group].get(key)


def items(scenario: Scenario) -> Iterator[Device]:
    """Those of `devices` that have parameters; the core refuses malformed ones."""
    devices = scenario.get("devices")
    for device in devices if isinstance(devices, list) else ():
        if isinstance(device, dict) and isinstance(device.get("parameters"), dict):
            yield device


def _unmark_downlinks(scenario: Scenario) -> bool:
    """Whether there are any; all of them in one more item of `devices`, which comes last."""
    ports = list(ultra_ethernet.downlinks(scenario))
    if ports:
        device: Device = {"ports": [*ports], "parameters": {"marking": {"enabled": False}}}
        scenario["devices"] = [*scenario.get("devices", []), device]
    return bool(ports)
