"""What NIC ports of a plan are set to: PFC, scheduling, and the congestion control that their driver runs.

A driver's parameters go to the simulator's under the same names, with the unit behind them. One that the simulator has
not, or not with that value, is configured.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from wirespeed import _core
from wirespeed.errors import Refusal
from wirespeed.plan import Plan
from wirespeed.settings import Congestion, Discipline, Nic
from wirespeed.simulation import scenario_types as form

Assume = Callable[[str], None]
"""Told what is not in the plan, or in the simulator."""
_PRIORITIES = range(8)


class NicNames(Protocol):
    """The congestion control of a NIC's driver, and the driver's names for parameters of the simulator."""

    @property
    def algorithms(self) -> Mapping[Congestion, str]:
        """What it runs, by the simulator's name; any other runs DCQCN as published, and that is configured."""

    @property
    def parameters(self) -> Mapping[str, str]:
        """The driver's name of a parameter of these to the simulator's."""

    @property
    def flags(self) -> frozenset[str]:
        """Parameters of the simulator that are true or false."""

    @property
    def cnp_interval(self) -> str | None:
        """The driver's name of the least time between two CNPs, microseconds, where it is a parameter."""


DriverNames = Mapping[str, NicNames]
"""By kernel driver."""


@dataclass(slots=True)
class PortSettings:
    """What a port is set to, and some of its priorities."""

    parameters: form.Parameters
    of_priorities: dict[tuple[int, ...], form.Parameters] = field(default_factory=dict)


def nic_port(plan: Plan, nic: Nic, words: DriverNames, assume: Assume) -> PortSettings:
    """The settings of a NIC port."""
    qos = nic.qos
    strict: list[int] = []
    weights: dict[int, int] = {}
    for traffic_class in plan.classes.values():
        tc = (qos.priority_tc or {}).get(traffic_class.priority)
        discipline = (qos.tc_discipline or {}).get(tc) if tc is not None else None
        share = (qos.tc_share or {}).get(tc) if tc is not None else None
        if discipline is Discipline.STRICT:
            strict.append(int(traffic_class.priority))
        elif share or traffic_class.share:
            weights[int(traffic_class.priority)] = share or traffic_class.share or 1
    made = PortSettings(
        {
            "pfc": {"lossless_priorities": bits(int(entry) for entry in qos.pfc or ())},
            "scheduler": {"strict_priorities": bits(strict), "weights": shares(weights)},
        }
    )
    slowed = [int(entry) for entry in qos.ecn_priorities or ()]
    if not slowed and qos.roce_priority is not None:
        slowed = [int(qos.roce_priority)]
    if slowed:
        made.of_priorities[tuple(slowed)] = _congestion(plan, nic, words, assume)
    others = tuple(priority for priority in _PRIORITIES if priority not in slowed)
    made.of_priorities[others] = {"congestion": {"algorithm": "line-rate"}}
    return made


def _congestion(plan: Plan, nic: Nic, words: DriverNames, assume: Assume) -> form.Parameters:
    """Both ends of congestion control, of the priorities that it slows."""
    model = plan.hardware.nics.get(nic.model or "")
    known = words.get(nic.driver.name or (model.driver if model else None) or "")
    algorithm = _algorithm(nic, known, assume)
    congestion: dict[str, object] = {"algorithm": algorithm}
    notification: form.Notification = {}
    if nic.qos.cnp_priority is not None:
        notification["priority"] = int(nic.qos.cnp_priority)
    if algorithm == "dcqcn-d":
        notification["interval_ns"] = 0  # 957608-AN210: in this mode every marked packet has its CNP
    if known is not None and algorithm in known.algorithms.values():
        congestion |= _parameters(algorithm, nic, known, notification, assume)
    parameters: form.Parameters = {"congestion": cast(form.Congestion, congestion)}
    if notification:
        parameters["notification"] = notification
    return parameters


def _algorithm(nic: Nic, words: NicNames | None, assume: Assume) -> str:
    if nic.qos.congestion is None or nic.qos.ecn is False:
        return "line-rate"
    known = words.algorithms.get(nic.qos.congestion) if words else None
    if known is not None:
        return known
    name = nic.model or "a NIC"
    assume(f"{nic.qos.congestion} of {name} is DCQCN as published")
    if nic.qos.congestion_parameters:
        assume(f"{_join_names(nic.qos.congestion_parameters)} of {name}: no such parameter in DCQCN as published")
    return "dcqcn"


def _parameters(
    algorithm: str, nic: Nic, words: NicNames, notification: form.Notification, assume: Assume
) -> dict[str, int]:
    """The driver's parameters that the plan sets; what the receiver has of them goes into ``notification``."""
    configured = dict(nic.qos.congestion_parameters or {})
    if not configured:
        assume(f"parameters of {algorithm} are the simulator's defaults: not set in the cluster file")
        return {}
    known = words.parameters
    if words.cnp_interval is not None and words.cnp_interval in configured:
        notification["interval_ns"] = configured.pop(words.cnp_interval) * 1000
    if missing := [name for name in configured if name not in known]:
        assume(f"{_join_names(missing)} of {nic.model or 'a NIC'}: {algorithm} of the simulator has no such parameter")
    configured_parameters = {known[name]: value for name, value in configured.items() if name in known}
    taken = _accepted_parameters(algorithm, configured_parameters, words.flags, nic, assume)
    if "init_cp" in taken:
        assume("init_cp counts 1,024ths: its width is not published")
    assume(f"parameters of {algorithm} other than {_join_names(taken) or 'these'}: simulator defaults, not in the plan")
    return taken


def _accepted_parameters(
    algorithm: str, parameters: Mapping[str, int], flags: frozenset[str], nic: Nic, assume: Assume
) -> dict[str, int]:
    """Those that the core accepts at the port's rate; only the core knows the ranges."""
    found: dict[str, int] = {
        name: bool(value) if name in flags else value for name, value in sorted(parameters.items())
    }
    gbps = int(nic.link.speed) / 1e9 if nic.link.speed is not None else 100
    while found:
        try:
            _core.Scenario(_smallest(gbps, {"algorithm": algorithm, **found}), "roce", 1)
        except Refusal as refusal:
            names = {problem.place.rpartition(".")[2]: problem for problem in refusal.problems}
            if not names.keys() & found.keys():
                raise
            for name in sorted(names.keys() & found.keys()):
                value, expected = found.pop(name), names[name].expected
                assume(f"{name} {value:,} of {nic.model or 'a NIC'} is not used: {algorithm} takes {expected}")
        else:
            break
    return found


def _smallest(gbps: float, congestion: Mapping[str, object]) -> str:
    """A scenario to hold parameters of congestion control: two hosts and a cable."""
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
    """Weights of all priorities; those that nobody uses have the least, so that a turn is no longer than it must be."""
    minimum = min(weights.values(), default=1)
    return [weights.get(priority, minimum) for priority in _PRIORITIES]
