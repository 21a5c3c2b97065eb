"""Inject faults into a lab and remove them. A fault is recorded before it is injected, so that it can be removed."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from wirespeed.errors import Problem, Refusal, refuse
from wirespeed.lab import readiness, state
from wirespeed.lab.faults import kind
from wirespeed.lab.faults.place import FaultPlace
from wirespeed.lab.lab import Lab, find
from wirespeed.plan import Plan
from wirespeed.reach import Status
from wirespeed.results.lab import LabFault

_LIMIT_S = 60
_SETTLED_WITHIN_S = 60
_LOOK_S = 0.1


def make(name: str, plan: Plan, kind_name: str, device: str | None = None, port: str | None = None) -> LabFault:
    """Inject a fault into the lab of this name.

    Raises:
        Refusal: the kind or place does not exist, the fault is active already, or it could not be injected; then
        nothing
            is changed.
    """
    chosen = kind(kind_name)
    with state.hold_lock(name):
        lab = find(name)
        fault = chosen.make(FaultPlace(lab, plan, device, port))
        equal_faults = [
            active for active in lab.state.faults if (active.kind, active.place) == (fault.kind, fault.place)
        ]
        if equal_faults:
            hint = f"remove it with `wirespeed lab fault --undo {fault.kind}`"
            raise refuse(f"lab {name}", f"the fault {equal_faults[0].title}", "no such fault", hint)
        state.save(replace(lab.state, faults=(*lab.state.faults, fault)))
        problems = _run_commands(lab, ((act.device, act.do) for act in fault.acts), stop=True)
        if problems:
            _run_commands(lab, ((act.device, act.undo) for act in reversed(fault.acts)))
            state.save(lab.state)
            raise Refusal(problems)
        deadline = time.monotonic() + _SETTLED_WITHIN_S
        while not chosen.has_settled(lab, fault) and time.monotonic() < deadline:
            time.sleep(_LOOK_S)
    return fault


def undo(name: str, kinds: Iterable[str] | None = None) -> tuple[LabFault, ...]:
    """Remove faults, the last one first: those of some kinds, or all.

    Raises:
        Refusal: part of a fault could not be removed; it stays recorded. The others are removed.
    """
    with state.hold_lock(name):
        lab = find(name)
        kind_names = None if kinds is None else {kind(kind_name).name for kind_name in kinds}
        removed_faults, problems = [], []
        remaining = list(lab.state.faults)
        for fault in reversed(lab.state.faults):
            if kind_names is not None and fault.kind not in kind_names:
                continue
            fault_problems = _run_commands(lab, ((act.device, act.undo) for act in reversed(fault.acts)))
            problems += fault_problems
            if not fault_problems:
                remaining.remove(fault)
                removed_faults.append(fault)
                state.save(replace(lab.state, faults=tuple(remaining)))
        if problems:
            raise Refusal(problems)
        if removed_faults and not remaining:
            _wait_for_recovery(lab)
    return tuple(removed_faults)


def _wait_for_recovery(lab: Lab) -> None:
    """Wait until the daemons of the devices have restored all routes and addresses."""
    devices = [device for device in lab.state.devices if device.expects]
    expectations = {device.name: (device.namespace, lab.folder(device.name), device.expects) for device in devices}
    readiness.wait(expectations, _SETTLED_WITHIN_S, lambda _: None)


def mitigate(name: str, kind_name: str) -> LabFault:
    """Apply the planned settings against a fault, without removing the fault.

    Raises:
        Refusal: the fault is not active, the plan has no settings against it, or they could not be applied.
    """
    with state.hold_lock(name):
        lab = find(name)
        fault = next((active for active in lab.state.faults if active.kind == kind(kind_name).name), None)
        if fault is None:
            raise refuse(f"lab {name}", f"no fault {kind_name}", "an active fault")
        if not fault.mitigation:
            hint = "remove it with `wirespeed lab fault --undo`"
            raise refuse(f"lab {name}", f"the fault {fault.title} still to be removed", hint=hint)
        problems = _run_commands(lab, ((act.device, act.do) for act in fault.mitigation))
        if problems:
            raise Refusal(problems)
        mitigated_fault = replace(fault, mitigated=True)
        state.save(
            replace(
                lab.state, faults=tuple(mitigated_fault if active is fault else active for active in lab.state.faults)
            )
        )
    return mitigated_fault


def _run_commands(lab: Lab, commands: Iterable[tuple[str, tuple[str, ...]]], stop: bool = False) -> list[Problem]:
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
