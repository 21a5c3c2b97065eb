"""Inject faults into a lab and remove them. A fault is recorded before it is injected, so that it can be removed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from wirespeed.errors import Problem, Refusal, refuse
from wirespeed.lab import readiness, state
from wirespeed.lab.faults import kind
from wirespeed.lab.faults.location import FaultLocation
from wirespeed.lab.lab import Lab, find
from wirespeed.plan import Plan
from wirespeed.reach import Status
from wirespeed.results.lab import LabFault

_LIMIT_S = 60
_SETTLED_WITHIN_S = 60
_LOOK_S = 0.1


def make(name: str, plan: Plan, kind_name: str, device: str | None = None, port: str | None = None) -> LabFault:
    """Make a fault in the lab of this name.

    Raises:
        Refusal: there is no such kind or place, the fault is there already, or it could not be made; then nothing is.
    """
    chosen = kind(kind_name)
    with state.hold_lock(name):
        lab = find(name)
        fault = chosen.make(FaultLocation(lab, plan, device, port))
        same = [active for active in lab.state.faults if (active.kind, active.place) == (fault.kind, fault.place)]
        if same:
            hint = f"remove it with `wirespeed lab fault --undo {fault.kind}`"
            raise refuse(f"lab {name}", f"the fault {same[0].title}", "no such fault", hint)
        state.save(replace(lab.state, faults=(*lab.state.faults, fault)))
        problems = _do(lab, ((act.device, act.do) for act in fault.acts), stop=True)
        if problems:
            _do(lab, ((act.device, act.undo) for act in reversed(fault.acts)))
            state.save(lab.state)
            raise Refusal(problems)
        deadline = time.monotonic() + _SETTLED_WITHIN_S
        while not chosen.has_settled(lab, fault) and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
    return fault


def undo(name: str, kinds: Iterable[str] | None = None) -> tuple[LabFault, ...]:
    """Take faults back, the last one first: those of some kinds, or all.

    Raises:
        Refusal: part of a fault could not be removed; it stays on record. The others are removed.
    """
    with state.hold_lock(name):
        lab = find(name)
        wanted = None if kinds is None else {kind(kind_name).name for kind_name in kinds}
        gone, problems = [], []
        left = list(lab.state.faults)
        for fault in reversed(lab.state.faults):
            if wanted is not None and fault.kind not in wanted:
                continue
            found = _do(lab, ((act.device, act.undo) for act in reversed(fault.acts)))
            problems += found
            if not found:
                left.remove(fault)
                gone.append(fault)
                state.save(replace(lab.state, faults=tuple(left)))
        if problems:
            raise Refusal(problems)
        if gone and not left:
            _settle(lab)
    return tuple(gone)


def _settle(lab: Lab) -> None:
    """Wait until the devices have all routes and addresses again: their daemons restore what was lost with a link."""
    devices = [device for device in lab.state.devices if device.expects]
    known = {device.name: (device.namespace, lab.folder(device.name), device.expects) for device in devices}
    readiness.wait(known, _SETTLED_WITHIN_S, lambda _: None)


def mitigate(name: str, kind_name: str) -> LabFault:
    """Set what the plan holds against a fault, and leave the fault.

    Raises:
        Refusal: there is no such fault, the plan holds nothing against it but its opposite, or it could not be set.
    """
    with state.hold_lock(name):
        lab = find(name)
        fault = next((active for active in lab.state.faults if active.kind == kind(kind_name).name), None)
        if fault is None:
            raise refuse(f"lab {name}", f"no fault {kind_name}", "an active fault")
        if not fault.mitigation:
            hint = "remove it with `wirespeed lab fault --undo`"
            raise refuse(f"lab {name}", f"the fault {fault.title} still to be removed", hint=hint)
        problems = _do(lab, ((act.device, act.do) for act in fault.mitigation))
        if problems:
            raise Refusal(problems)
        mitigated = replace(fault, mitigated=True)
        state.save(
            replace(lab.state, faults=tuple(mitigated if active is fault else active for active in lab.state.faults))
        )
    return mitigated


def _do(lab: Lab, commands: Iterable[tuple[str, tuple[str, ...]]], stop: bool = False) -> list[Problem]:
    """Run commands in order and return the problems; with ``stop`` end at the first one."""
    problems: list[Problem] = []
    for device, arguments in commands:
        if not arguments:
            continue
        ran = lab.run(device, *arguments, timeout_s=_LIMIT_S)
        if ran.status is not Status.OK:
            problems.append(Problem(device, f"{' '.join(arguments)}: {ran.detail}", "success"))
            if stop:
                break
    return problems
