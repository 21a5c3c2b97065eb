"""Settings of a plan's NIC ports: PFC, scheduling, and the congestion control of their driver.

Parameters of a driver are converted to those of the simulator with the same name plus a unit. A parameter or value that
the simulator does not support is listed as an assumption.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from wirespeed import _core
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, has_nic_class
from wirespeed.settings import Congestion, Discipline, Nic
from wirespeed.simulation import scenario_types as form

Assume = Callable[[str], None]
"""Called with each value that is not in the plan, or not in the simulator."""
_PRIORITIES = range(8)


class NicNames(Protocol):
    """Algorithms and parameters of a NIC's driver, by the names of its platform and of the simulator."""

    @property
    def algorithms(self) -> Mapping[Congestion, str]:
        """Algorithms by the simulator's name; any other is assumed to be DCQCN as published."""

    @property
    def parameters(self) -> Mapping[str, str]:
        """Map the driver's name of a parameter to the simulator's name."""

    @property
    def flags(self) -> frozenset[str]:
        """Parameters of the simulator that are true or false."""

    @property
    def cnp_interval(self) -> str | None:
        """The driver's name of the minimum time between two CNPs in microseconds, if it is a parameter."""


DriverNames = Mapping[str, NicNames]
"""Names by kernel driver."""


@dataclass(slots=True)
class PortSettings:
    """Settings of a port, and of some of its priorities."""

    parameters: form.Parameters
    of_priorities: dict[tuple[int, ...], form.Parameters] = field(default_factory=dict)


def nic_port(plan: Plan, nic: Nic, driver_names: DriverNames, assume: Assume) -> PortSettings:
    """The settings of a NIC port."""
    qos = nic.qos
    strict: list[int] = []
    weights: dict[int, int] = {}
    for traffic_class in plan.classes.values():
        if not has_nic_class(nic, traffic_class):
            pauses = ", not paused" if traffic_class.lossless else ""
            assume(f"class {traffic_class.name} at {nic.model or 'a NIC'}: a separate queue{pauses} (on switches only)")
        tc = (qos.priority_tc or {}).get(traffic_class.priority)
        discipline = (qos.tc_discipline or {}).get(tc) if tc is not None else None
        share = (qos.tc_share or {}).get(tc) if tc is not None else None
        if discipline is Discipline.STRICT:
            strict.append(int(traffic_class.priority))
        elif share or traffic_class.share:
            weights[int(traffic_class.priority)] = share or traffic_class.share or 1
    settings = PortSettings(
        {
            "pfc": {"lossless_priorities": bits(int(entry) for entry in qos.pfc or ())},
            "scheduler": {"strict_priorities": bits(strict), "weights": shares(weights)},
        }
    )
    slowed = [int(entry) for entry in qos.ecn_priorities or ()]
    if not slowed and qos.roce_priority is not None:
        slowed = [int(qos.roce_priority)]
    if slowed:
        settings.of_priorities[tuple(slowed)] = _build_congestion(plan, nic, driver_names, assume)
    other_priorities = tuple(priority for priority in _PRIORITIES if priority not in slowed)
    settings.of_priorities[other_priorities] = {"congestion": {"algorithm": "line-rate"}}
    return settings


def _build_congestion(plan: Plan, nic: Nic, driver_names: DriverNames, assume: Assume) -> form.Parameters:
    """Congestion control of sender and receiver, for the priorities that use it."""
    model = plan.hardware.nics.get(nic.model or "")
    names = driver_names.get(nic.driver.name or (model.driver if model else None) or "")
    algorithm = _find_algorithm(nic, names, assume)
    congestion: dict[str, object] = {"algorithm": algorithm}
    notification: form.Notification = {}
    if nic.qos.cnp_priority is not None:
        notification["priority"] = int(nic.qos.cnp_priority)
    if algorithm == "dcqcn-d":
        notification["interval_ns"] = 0  # 957608-AN210: in this mode every marked packet has its CNP
    if names is not None and algorithm in names.algorithms.values():
        congestion |= _convert_parameters(algorithm, nic, names, notification, assume)
    parameters: form.Parameters = {"congestion": cast(form.Congestion, congestion)}
    if notification:
        parameters["notification"] = notification
    return parameters


def _find_algorithm(nic: Nic, names: NicNames | None, assume: Assume) -> str:
    if nic.qos.congestion is None or nic.qos.ecn is False:
        return "line-rate"
    simulated_name = names.algorithms.get(nic.qos.congestion) if names else None
    if simulated_name is not None:
        return simulated_name
    name = nic.model or "a NIC"
    assume(f"{nic.qos.congestion} of {name} is DCQCN as published")
    if nic.qos.congestion_parameters:
        assume(f"{_join_names(nic.qos.congestion_parameters)} of {name}: no such parameter in DCQCN as published")
    return "dcqcn"


def _name_algorithm(algorithm: str, nic: Nic) -> str:
    """The algorithm of the simulator, with the one of the plan if its name differs."""
    if nic.qos.congestion is None or nic.qos.congestion == algorithm:
        return algorithm
    return f"{algorithm} (simulates {nic.qos.congestion} of {nic.model or 'a NIC'})"


def _convert_parameters(
    algorithm: str, nic: Nic, names: NicNames, notification: form.Notification, assume: Assume
) -> dict[str, int]:
    """The driver's parameters that the plan sets; those of the receiver are added to ``notification``."""
    configured = dict(nic.qos.congestion_parameters or {})
    if not configured:
        assume(
            f"parameters of {_name_algorithm(algorithm, nic)} are the simulator's defaults: not set in the cluster file"
        )
        return {}
    parameter_names = names.parameters
    if names.cnp_interval is not None and names.cnp_interval in configured:
        notification["interval_ns"] = configured.pop(names.cnp_interval) * 1000
    if missing := [name for name in configured if name not in parameter_names]:
        assume(f"{_join_names(missing)} of {nic.model or 'a NIC'}: {algorithm} of the simulator has no such parameter")
    configured_parameters = {
        parameter_names[name]: value for name, value in configured.items() if name in parameter_names
    }
    accepted = _select_accepted_parameters(algorithm, configured_parameters, names.flags, nic, assume)
    if "init_cp" in accepted:
        assume("init_cp counts 1,024ths: its width is not published")
    assume(
        f"parameters of {algorithm} other than {_join_names(accepted) or 'these'}: simulator defaults, not in the plan"
    )
    return accepted


def _select_accepted_parameters(
    algorithm: str, parameters: Mapping[str, int], flags: frozenset[str], nic: Nic, assume: Assume
) -> dict[str, int]:
    """Parameters that the core accepts at the port's rate; only the core knows the ranges."""
    accepted: dict[str, int] = {
        name: bool(value) if name in flags else value for name, value in sorted(parameters.items())
    }
    gbps = int(nic.link.speed) / 1e9 if nic.link.speed is not None else 100
    while accepted:
        try:
            _core.Scenario(_build_smallest_scenario(gbps, {"algorithm": algorithm, **accepted}), "roce", 1)
        except Refusal as refusal:
            names = {problem.location.rpartition(".")[2]: problem for problem in refusal.problems}
            if not names.keys() & accepted.keys():
                raise
            for name in sorted(names.keys() & accepted.keys()):
                value, expected = accepted.pop(name), names[name].expected
                assume(f"{name} {value:,} of {nic.model or 'a NIC'} is not used: {algorithm} takes {expected}")
        else:
            break
    return accepted


def _build_smallest_scenario(gbps: float, congestion: Mapping[str, object]) -> str:
    """A minimal scenario to check parameters of congestion control: two hosts and a cable."""
    return json.dumps(
        {
            "hosts": 2,
            "switches": 0,
            "links": [{"a": 0, "b": 1, "gbps": gbps, "delay_ns": 0}],
            "flows": [{"src": 0, "dst": 1, "bytes": 1}],
            "parameters": {"congestion": congestion},
        }
    )


def _join_names(names: Mapping[str, object] | list[str]) -> str:
    return ", ".join(sorted(names))


def bits(priorities: Iterable[int]) -> int:
    """A bit for each priority."""
    return sum(1 << priority for priority in set(priorities))


def shares(weights: Mapping[int, int]) -> list[int]:
    """Weights of all priorities; unused ones have the minimum, so that a scheduling round is as short as possible."""
    minimum = min(weights.values(), default=1)
    return [weights.get(priority, minimum) for priority in _PRIORITIES]
