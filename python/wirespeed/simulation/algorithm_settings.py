"""Settings of switches and receivers that congestion-control algorithms expect, applied to a scenario.

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
from wirespeed.simulation.parameters import Sections, view_sections
from wirespeed.simulation.scenario_types import Congestion, Device, Parameters, Scenario

NSCC_RCCC = "nscc+rccc"
"""A sender of Ultra Ethernet that respects both its window and the receiver's credit."""

ROWS: tuple[str, ...] = (*_core.algorithms(), NSCC_RCCC)


@dataclass(frozen=True, slots=True)
class AlgorithmSettings:
    """The settings of switches and receivers that an algorithm expects."""

    plan: PlannedCongestion | None = None
    """The congestion control for which a plan has the ECN thresholds of this algorithm: a slope for DCQCN-P, a step
    for DCQCN-D; None: a plan has none."""
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
    NSCC_RCCC: AlgorithmSettings(ultra_ethernet=True, unmarked_downlinks=True),
}
"""Settings by row; other rows run with the settings of the scenario."""


def find_settings(row: str) -> AlgorithmSettings:
    """The settings that the algorithm of a row expects."""
    return ALGORITHM_SETTINGS.get(row, AlgorithmSettings())


def find_row(congestion: Congestion | None, usual: str) -> str:
    """The row of a scenario's congestion control; ``usual`` if the scenario has none."""
    if not isinstance(congestion, dict):
        return usual
    algorithm = str(congestion.get("algorithm", "rccc" if usual == NSCC_RCCC else usual))
    window = congestion.get("nscc") is not None
    if "algorithm" not in congestion and "nscc" not in congestion:
        window = usual == NSCC_RCCC
    return NSCC_RCCC if algorithm == "rccc" and window else algorithm


def build_congestion(row: str) -> Congestion:
    """The congestion control of a row, with the defaults of all parameters."""
    return {"algorithm": "rccc", "nscc": {}} if row == NSCC_RCCC else cast(Congestion, {"algorithm": row})


def select_algorithm(row: str, scenario: Scenario, preset: str) -> None:
    """Run all devices of a scenario with the algorithm of a row, except priorities without congestion control.

    A scenario with this algorithm keeps its parameters. The scenario's `parameters` is an object.
    """
    parameters = scenario["parameters"]
    usual = find_row(json.loads(_core.preset(preset))["congestion"], "")
    usual = find_row(parameters.get("congestion"), usual)
    for device in iterate_devices(scenario):
        of_device = find_row(device["parameters"].get("congestion"), usual)
        if of_device != row and not (of_device == "line-rate" and "priorities" in device):
            device["parameters"].pop("congestion", None)
    if usual != row:
        parameters["congestion"] = build_congestion(row)


def list_algorithms(text: str, preset: str) -> tuple[str, ...]:
    """The algorithms of a scenario that the core accepted: that of all devices, then device_rows of single devices.

    Priorities without congestion control are left out.
    """
    scenario: Scenario = json.loads(text.removeprefix("\ufeff"))
    usual = find_row(json.loads(_core.preset(preset))["congestion"], "")
    usual = find_row(scenario.get("parameters", {}).get("congestion"), usual)
    of_devices = [
        (device, find_row(device["parameters"].get("congestion"), usual)) for device in iterate_devices(scenario)
    ]
    device_rows = (row for device, row in of_devices if not (row == "line-rate" and "priorities" in device))
    return tuple(dict.fromkeys((usual, *device_rows)))


def apply_settings(row: str, scenario: Scenario, preset: str) -> None:
    """Apply the settings that the algorithm of a row expects. The scenario's `parameters` is an object."""
    expects = find_settings(row)
    of_devices = [view_sections(device["parameters"]) for device in iterate_devices(scenario)]
    overlay = _Overlay(view_sections(scenario["parameters"]), json.loads(_core.preset(preset)), of_devices)
    overlay.set_marking(expects)
    if expects.ultra_ethernet:
        overlay.set_groups(ultra_ethernet.FIXED)
        read = ultra_ethernet.read(scenario, preset)
        if read is not None:  # otherwise the run is refused, with the location
            overlay.set_groups(ultra_ethernet.derive_parameters(scenario["parameters"], read.idle_network()))
            if expects.unmarked_downlinks:
                _unmark_downlinks(scenario)


def find_missing_slope(row: str, scenario: Scenario, preset: str) -> int | None:
    """The threshold of a step, in bytes, if the algorithm of a row expects a slope; None: the marking fits."""
    if find_settings(row).plan is not _DCQCN_P:
        return None
    usual: Sections = json.loads(_core.preset(preset))
    common = {**usual["marking"], **view_sections(scenario["parameters"]).get("marking", {})}
    of_devices = [view_sections(device["parameters"]).get("marking", {}) for device in iterate_devices(scenario)]
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
        """Set one threshold, and a CNP for each mark, if the algorithm expects them."""
        step = expects.step
        if step and self._is_common_marking_used():
            self._set_common("marking", {"kmax_bytes": self._get_value("marking", "kmin_bytes")})
        if expects.every_mark:
            self._set_common("notification", {"interval_ns": 0})
        for section in self.sections:
            marking, notification = section.get("marking"), section.get("notification")
            if step and isinstance(marking, dict):
                marking.pop("kmax_bytes", None)  # without Kmin of the device, the common sections define the step
                if "kmin_bytes" in marking:
                    marking["kmax_bytes"] = marking["kmin_bytes"]
            if expects.every_mark and isinstance(notification, dict):
                notification.pop("interval_ns", None)

    def _is_common_marking_used(self) -> bool:
        """Whether any queue marks at the common thresholds."""
        devices = [section["marking"] for section in self.sections if isinstance(section.get("marking"), dict)]
        thresholds = {"kmin_bytes", "kmax_bytes"}
        return self._get_value("marking", "enabled") is not False or any(
            not thresholds <= set(marking) for marking in devices
        )

    def set_groups(self, groups: Parameters) -> None:
        """Set groups of parameters for all devices."""
        for group, keys in view_sections(groups).items():
            self._set_common(group, keys)
            for section in self.sections:
                values = section.get(group)
                if isinstance(values, dict):
                    section[group] = {key: value for key, value in values.items() if key not in keys}

    def _set_common(self, group: str, keys: Mapping[str, object]) -> None:
        stated: object = self.parameters.get(group, {})
        if not isinstance(stated, dict):
            return  # the core refuses it
        changed = {key: value for key, value in keys.items() if self._get_value(group, key) != value}
        if changed:
            self.parameters[group] = stated | changed

    def _get_value(self, group: str, key: str) -> object:
        parameters = self.parameters.get(group)
        return parameters[key] if isinstance(parameters, dict) and key in parameters else self.usual[group].get(key)


def iterate_devices(scenario: Scenario) -> Iterator[Device]:
    """Items of `devices` that have parameters; the core refuses malformed ones."""
    devices = scenario.get("devices")
    for device in devices if isinstance(devices, list) else ():
        if isinstance(device, dict) and isinstance(device.get("parameters"), dict):
            yield device


def _unmark_downlinks(scenario: Scenario) -> None:
    """Disable marking at all switch ports that face hosts, with an additional last item of `devices`."""
    ports = list(ultra_ethernet.downlinks(scenario))
    if ports:
        device: Device = {"ports": [*ports], "parameters": {"marking": {"enabled": False}}}
        scenario["devices"] = [*scenario.get("devices", []), device]
