"""The rendered files of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from wirespeed.cluster.ranges import format_names
from wirespeed.errors import Problem, Refusal, did_you_mean
from wirespeed.plan import Plan
from wirespeed.platforms import FileTemplate
from wirespeed.platforms.templates import ConfigurationTemplates
from wirespeed.render.problem_groups import DeviceProblem, group_problems
from wirespeed.render.scripts import Step, scripts
from wirespeed.render.stack import stack
from wirespeed.render.support import find_unsupported
from wirespeed.settings import Device, Host, Place, walk


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file of a device. A path with a leading slash is the installation path; apply and rollback scripts have
    none."""

    device: str
    path: str
    text: str
    mode: int

    @property
    def relative(self) -> str:
        """Path of the file in the device's folder."""
        return self.path.lstrip("/")


def select_devices(plan: Plan, requested: Iterable[str] | None) -> tuple[str, ...]:
    """The requested devices in the order of the plan. None: all.

    Raises:
        Refusal: one is not in the plan.
    """
    if requested is None:
        return tuple(plan.devices)
    requested_names = dict.fromkeys(requested)
    plan_names = list(plan.devices)
    problems = [
        Problem(
            plan.name,
            f"no device {name!r}",
            "a device of the cluster file",
            did_you_mean(name, plan_names) or f"the devices are {format_names(plan_names)}",
        )
        for name in requested_names
        if name not in plan.devices
    ]
    if problems:
        raise Refusal(problems)
    return tuple(name for name in plan_names if name in requested_names)


def files(plan: Plan, devices: Sequence[str] | None = None) -> Iterator[RenderedFile]:
    """Every file of the devices, device by device; each host ends with its apply and rollback scripts.

    Raises:
        Refusal: a device is not in the plan, has no platform, or has a setting that its platform cannot configure.
    """
    selected = select_devices(plan, devices)
    _check_devices(plan, selected)
    for device in selected:
        yield from _render_device(plan, device)


def check(plan: Plan) -> None:
    """Raise if a device cannot be rendered.

    Raises:
        Refusal: each reason once, with the lines of the cluster file, the devices and the number of ports.
    """
    _check_devices(plan, plan.devices)


def _check_devices(plan: Plan, devices: Iterable[str]) -> None:
    """Devices of one range of the cluster file are one kind: one of them is rendered to find the problems of all."""
    problems = [
        DeviceProblem(_find_origin(plan, device, problem), device, problem)
        for kind in _group_kinds(plan, devices)
        if any(_find_problems(plan, kind[0]))
        for device in kind
        for problem in _find_problems(plan, device)
    ]
    if problems:
        raise Refusal(group_problems(problems))


def _find_origin(plan: Plan, device: str, problem: Problem) -> str:
    """The line of the device, or of the traffic classes if the problem is theirs."""
    device_origin = plan.origins.get(device, plan.name)
    return plan.classes_origin or device_origin if problem.location == f"{device}: classes" else device_origin


def _group_kinds(plan: Plan, devices: Iterable[str]) -> list[list[str]]:
    """Devices by kind: the line of the cluster file, role, model and system.

    A line may describe several ranges: ``switches: {leaf1: {…}, spine1: {…}}``.
    """
    kinds: dict[tuple[str | None, ...], list[str]] = {}
    for name in devices:
        device = plan.devices[name]
        kind = (plan.origins.get(name, name), plan.roles.get(name), device.kind, device.model, device.os)
        kinds.setdefault(kind, []).append(name)
    return list(kinds.values())


def _find_problems(plan: Plan, device: str) -> Iterator[Problem]:
    try:
        setting_problems = list(find_unsupported(plan, device, stack(plan, device)))
        yield from setting_problems
        if not setting_problems:
            for _ in _render_device(plan, device):
                pass
    except Refusal as refusal:
        yield from refusal.problems


def _render_device(plan: Plan, device: str) -> Iterator[RenderedFile]:
    steps: list[Step] = []
    settings = plan.devices[device]
    for platform in stack(plan, device):
        templates = ConfigurationTemplates(platform, device, settings)
        for file in platform.files:
            for extra in _list_variables(settings, file):
                text = templates.fill(file.template, **extra)
                if not text.strip():
                    continue
                unverified = _describe_unverified(file, settings)
                step = _build_step(templates, file, extra, unverified)
                if unverified:
                    text = _insert_comment(text, f"# No public source confirms: {unverified}.")
                if step.path.startswith("/"):  # the other files are run from the device's folder
                    steps.append(step)
                yield RenderedFile(device, step.path, text, file.mode)
    # Switches run no scripts: their platform renders the commands of apply and rollback among the files.
    for name, text in scripts(device, steps) if device in plan.hosts else ():
        yield RenderedFile(device, name, text, 0o755)


def _list_variables(settings: Device, file: FileTemplate) -> list[dict[str, Any]]:
    """Template variables besides the device: once, or once for each NIC."""
    if not file.per_nic or not isinstance(settings, Host):
        return [{}]
    return [{"interface": interface, "nic": nic} for interface, nic in settings.nics.items()]


def _describe_unverified(file: FileTemplate, device: Device) -> str | None:
    """What no source confirms of a file, and the planned settings that this concerns."""
    planned = {path for _, path, value in walk(device, Place("")) if value is not None} if file.unverified else set()
    paths = [path for path in file.unverified if path in planned]
    return f"{file.doubt} (for {', '.join(paths)})" if paths else None


def _insert_comment(text: str, comment: str) -> str:
    """The text with a comment line at its beginning, after the line that names the interpreter."""
    first, end, remainder = text.partition("\n")
    if first.startswith("#!"):
        return f"{first}{end}{comment}\n{remainder}"
    return f"{comment}\n{text}"


def _build_step(
    templates: ConfigurationTemplates, file: FileTemplate, extra: dict[str, Any], unverified: str | None
) -> Step:
    (path,) = templates.fill_lines(file.path, **extra)
    apply, rollback, stop = (
        tuple(line for text in texts for line in templates.fill_lines(text, **extra))
        for texts in (file.apply, file.apply if file.rollback is None else file.rollback, file.stop)
    )
    return Step(
        path,
        file.mode,
        apply,
        rollback,
        " ".join(templates.fill_lines(file.consequence, **extra)) if file.consequence else None,
        file.interrupts,
        stop,
        file.after_reboot,
        file.rollback_after_reboot,
        file.source,
        unverified,
    )
