"""The settings of switches and receivers that algorithms of congestion control expect, applied to a scenario.

A row of a comparison is an algorithm of the core, or `BOTH`: the receiver's credit and the sender's window.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from wirespeed import _core
from wirespeed.settings import Congestion as PlannedCongestion
from wirespeed.simulation import ultra_ethernet
from wirespeed.simulation.parameters import Sections, sections_of
from wirespeed.simulation.scenario_types import Congestion, Device, Parameters, Scenario

BOTH = "nscc+rccc"
"""A sender of Ultra Ethernet that respects both its window and the receiver's credit."""

ROWS: tuple[str, ...] = (*_core.algorithms(), BOTH)


@dataclass(frozen=True, slots=True)
class AlgorithmSettings:
    """What an algorithm expects of switches and receivers."""

    plan: PlannedCongestion | None = None
    """The congestion control for which a plan has the ECN thresholds of this algorithm: DCQCN-P a slope, DCQCN-D a
    step; None: a plan has none."""
    step: bool = False
    """Every packet above Kmin is marked."""
    every_mark: bool = False
    """The receiver sends a CNP for every marked packet."""
    ultra_ethernet: bool = False
    """The network of Ultra Ethernet."""
    unmarked_downlinks: bool = False
    """Ports of switches that face hosts do not mark: the receiver's credit limits the load of its link."""


_DCQCN_P, _DCQCN_D = PlannedCongestion.DCQCN_P, PlannedCongestion.DCQCN_D

ALGORITHM_SETTINGS: dict[str, AlgorithmSettings] = {
    # Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, figure 5: Kmin < Kmax.
    "dcqcn": AlgorithmSettings(plan=_DCQCN_P),
    "dcqcn-nvidia": AlgorithmSettings(plan=_DCQCN_P),
    "dcqcn-p": AlgorithmSettings(plan=_DCQCN_P),
    # Alizadeh et al., "Data Center TCP", SIGCOMM 2010, section 3.1: a single threshold, K.
    "dctcp": AlgorithmSettings(step=True),
    # Broadcom 957608-AN210: DCQCN-D is for marks above one threshold; its counters show a CNP for each.
    "dcqcn-d": AlgorithmSettings(plan=_DCQCN_D, step=True, every_mark=True),
    "nscc": AlgorithmSettings(ultra_ethernet=True),
    # uet-htsim, main_uec.cpp: no ECN "on tor downlink" where receivers grant credit.
    "rccc": AlgorithmSettings(ultra_ethernet=True, unmarked_downlinks=True),
    BOTH: AlgorithmSettings(ultra_ethernet=True, unmarked_downlinks=True),
}
"""By row; the others run with the settings of the scenario."""


def settings_of(row: str) -> AlgorithmSettings:
    """What the algorithm of a row expects."""
    return ALGORITHM_SETTINGS.get(row, AlgorithmSettings())


def row_of(congestion: Congestion | None, usual: str) -> str:
    """The row of a scenario's congestion control; ``usual`` where the scenario has none."""
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


def select_algorithm(row: str, scenario: Scenario, preset: str) -> None:
    """Run all devices of a scenario with the algorithm of a row, except priorities that no algorithm slows.

    A scenario with this algorithm keeps its parameters. The scenario's `parameters` is an object.
    """
    parameters = scenario["parameters"]
    usual = row_of(json.loads(_core.preset(preset))["congestion"], "")
    usual = row_of(parameters.get("congestion"), usual)
    for device in iterate_devices(scenario):
        of_device = row_of(device["parameters"].get("congestion"), usual)
        if of_device != row and not (of_device == "line-rate" and "priorities" in device):
            device["parameters"].pop("congestion", None)
    if usual != row:
        parameters["congestion"] = congestion_of(row)


def apply_settings(row: str, scenario: Scenario, preset: str) -> None:
    """Set in a scenario what the algorithm of a row expects. The scenario's `parameters` is an object."""
    expects = settings_of(row)
    of_devices = [sections_of(device["parameters"]) for device in iterate_devices(scenario)]
    overlay = _Overlay(sections_of(scenario["parameters"]), json.loads(_core.preset(preset)), of_devices)
    overlay.set_marking(expects)
    if expects.ultra_ethernet:
        overlay.set_groups(ultra_ethernet.FIXED)
        read = ultra_ethernet.read(scenario, preset)
        if read is not None:  # or the run is refused, with the place
            overlay.set_groups(ultra_ethernet.of_network(scenario["parameters"], read.idle_network()))
            if expects.unmarked_downlinks:
                _unmark_downlinks(scenario)


def find_missing_slope(row: str, scenario: Scenario, preset: str) -> int | None:
    """The threshold of a step, in bytes, if the algorithm of a row expects a slope; None: the marking fits."""
    if settings_of(row).plan is not _DCQCN_P:
        return None
    usual: Sections = json.loads(_core.preset(preset))
    common = {**usual["marking"], **sections_of(scenario["parameters"]).get("marking", {})}
    of_devices = [sections_of(device["parameters"]).get("marking", {}) for device in iterate_devices(scenario)]
    for marking in (common, *({**common, **section} for section in of_devices if section)):
        low, high = marking["kmin_bytes"], marking["kmax_bytes"]
        if marking["enabled"] and isinstance(low, int) and isinstance(high, int) and low >= high:
            return low
    return None


@dataclass(slots=True)
class _Overlay:
    """Sets parameters of all devices, and removes other values of single devices."""

    parameters: Sections
    usual: Sections
    sections: list[Sections]
    """Parameters of single devices."""

    def set_marking(self, expects: AlgorithmSettings) -> None:
        """One threshold, and a CNP for each mark, where the algorithm expects them."""
        step = expects.step
        if step and self._is_common_marking_used():
            self._set_common("marking", {"kmax_bytes": self._value("marking", "kmin_bytes")})
        if expects.every_mark:
            self._set_common("notification", {"interval_ns": 0})
        for section in self.sections:
            marking, notification = section.get("marking"), section.get("notification")
            if step and isinstance(marking, dict):
                marking.pop("kmax_bytes", None)  # without Kmin of the device, the step is that of the common sections
                if "kmin_bytes" in marking:
                    marking["kmax_bytes"] = marking["kmin_bytes"]
            if expects.every_mark and isinstance(notification, dict):
                notification.pop("interval_ns", None)

    def _is_common_marking_used(self) -> bool:
        """Whether any queue marks at the common thresholds."""
        devices = [section["marking"] for section in self.sections if isinstance(section.get("marking"), dict)]
        thresholds = {"kmin_bytes", "kmax_bytes"}
        return self._value("marking", "enabled") is not False or any(
            not thresholds <= set(marking) for marking in devices
        )

    def set_groups(self, groups: Parameters) -> None:
        """The same for all devices."""
        for group, keys in sections_of(groups).items():
            self._set_common(group, keys)
            for section in self.sections:
                values = section.get(group)
                if isinstance(values, dict):
                    section[group] = {key: value for key, value in values.items() if key not in keys}

    def _set_common(self, group: str, keys: Mapping[str, object]) -> None:
        given: object = self.parameters.get(group, {})
        if not isinstance(given, dict):
            return  # the core refuses it
        others = {key: value for key, value in keys.items() if self._value(group, key) != value}
        if others:
            self.parameters[group] = given | others

    def _value(self, group: str, key: str) -> object:
        parameters = self.parameters.get(group)
        return parameters[key] if isinstance(parameters, dict) and key in parameters else self.usual[group].get(key)


def iterate_devices(scenario: Scenario) -> Iterator[Device]:
    """Those of `devices` that have parameters; the core refuses malformed ones."""
    devices = scenario.get("devices")
    for device in devices if isinstance(devices, list) else ():
        if isinstance(device, dict) and isinstance(device.get("parameters"), dict):
            yield device


def _unmark_downlinks(scenario: Scenario) -> None:
    """Switch marking off at all ports of switches that face hosts, in one more item of `devices`, which comes last."""
    ports = list(ultra_ethernet.downlinks(scenario))
    if ports:
        device: Device = {"ports": [*ports], "parameters": {"marking": {"enabled": False}}}
        scenario["devices"] = [*scenario.get("devices", []), device]
