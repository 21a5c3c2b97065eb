"""Build a lab."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from wirespeed.errors import format_first, refuse
from wirespeed.lab import frr, kernel, namespace_command, networkd, readiness, state
from wirespeed.lab.design import Design
from wirespeed.lab.lab import Lab
from wirespeed.lab.machine import check_programs, check_user, check_watches
from wirespeed.lab.teardown import clear
from wirespeed.reach import Status, has_ended
from wirespeed.results.lab import LabDevice, LabState, Phase, Role

_AT_ONCE = 8
_CONFIGURED_WITHIN_S, _EACH_WITHIN_S = 60, 3

_NO_SWITCH = "switches: traffic classes, PFC, ECN marking, buffers and speeds (a veth pair has none)"

_MAX_NAMES = 4  # files in a message; the others are counted

ReportProgress = Callable[[str], None]
Boot = Callable[[LabState, int], tuple[str, ...]]


def up(design: Design, cluster: Path, report_progress: ReportProgress, boot: Boot | None = None) -> Lab:
    """Build a lab. After a failure or interruption all of it is removed.

    Args:
        design: devices, cables and settings of the lab.
        cluster: the cluster file, for later commands.
        report_progress: called with the next step.
        boot: starts its machines, given the lab and the descriptor of its lock; returns unsupported settings, as
        sentences.

    Raises:
        Refusal: the lab exists already, or it could not be built.
    """
    check_user()
    check_programs(_list_programs(design))
    check_watches(len(design.files))
    with state.hold_lock(design.name) as lock:
        _check_new(design.name)
        try:
            return _build_lab(design, cluster, report_progress, boot, lock)
        except BaseException:
            clear(design.name, lock)
            raise


def _list_programs(design: Design) -> Iterator[str]:
    yield from ("ip", "mount", "unshare")
    if design.files:
        yield "networkd"
    if any(files.netplan for files in design.files.values()):
        yield "netplan"
    yield from dict.fromkeys(
        daemon for device in design.devices if device.role is Role.SWITCH for daemon in device.daemons
    )


def _check_new(name: str) -> None:
    stored = state.load(name)
    if stored is not None and stored.phase is Phase.UP:
        raise refuse(
            f"lab {name}",
            f"already running since {stored.started}",
            "no lab of this name",
            f"remove it with `wirespeed lab down {name}`",
        )
    if state.exists(name):
        raise refuse(
            f"lab {name}", "remains of a lab", "no lab of this name", f"remove it with `wirespeed lab down {name}`"
        )


def _build_lab(design: Design, cluster: Path, report_progress: ReportProgress, boot: Boot | None, lock: int) -> Lab:
    start_time = datetime.now(UTC).isoformat(timespec="seconds")
    lab = LabState(
        design.name, design.cluster, str(cluster.resolve()), start_time, Phase.BUILDING, design.devices, design.links
    )
    state.save(lab)
    report_progress(f"{len(lab.devices)} namespaces, {len(lab.links)} cables")
    for device in lab.devices:
        _write_device(lab, device, design)
    _create_cables(lab, lock)
    names = [device.name for device in lab.devices]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        starts = dict(
            zip(names, pool.map(lambda device: _start_device(lab, device, design, lock), lab.devices), strict=True)
        )
    report_progress("waiting for addresses, rules and routes")
    readiness.wait(
        {
            device.name: (device.namespace, state.device_folder(lab.name, device.name), device.expects)
            for device in lab.devices
        },
        _CONFIGURED_WITHIN_S + _EACH_WITHIN_S * len(lab.devices),
        lambda device: _read_last_messages(lab, device),
        lambda device: next((name for name, process in starts[device].daemons.items() if has_ended(process)), None),
    )
    ignored_settings = _describe_ignored_settings(
        design, {name: device.refused_parameters for name, device in starts.items()}
    )
    boot_notes = boot(lab, lock) if boot is not None else ()
    whole = replace(lab, phase=Phase.UP, left_out=(*boot_notes, *ignored_settings))
    state.save(whole)
    return Lab(whole)


def _write_device(lab: LabState, device: LabDevice, design: Design) -> None:
    folder = state.device_folder(lab.name, device.name)
    (folder / "run").mkdir(parents=True)
    (folder / "hosts").write_text(design.names, encoding="utf-8")
    design.setups[device.name].write(folder)
    if device.name in design.files:
        design.files[device.name].write(folder)


def _create_cables(lab: LabState, lock: int) -> None:
    """All namespaces and cables, by one process."""
    lines = [f"netns add {device.namespace}" for device in lab.devices]
    names = {device.name: device.namespace for device in lab.devices}
    for link in lab.links:
        a, b = link.a, link.b
        lines.append(
            f"link add name {a.interface} netns {names[a.device]} address {a.mac} type veth "
            f"peer name {b.interface} netns {names[b.device]} address {b.mac}"
        )
    path = state.folder(lab.name) / "cables"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ran = kernel.batch(path, lock)
    if ran.status is not Status.OK:
        raise refuse(
            f"lab {lab.name}",
            f"ip -batch {path}: {_first_message(ran.stderr, ran.detail)}",
            "namespaces and cables made",
        )


@dataclass(frozen=True, slots=True)
class _DeviceStart:
    """A started device: kernel parameters that its namespace refused, and processes of its daemons."""

    refused_parameters: tuple[str, ...]
    daemons: Mapping[str, int]


def _start_device(lab: LabState, device: LabDevice, design: Design, lock: int) -> _DeviceStart:
    """Set a device up and start its daemons."""
    folder = state.device_folder(lab.name, device.name)
    files = design.files.get(device.name)
    if files is not None:
        if files.netplan:
            networkd.generate(device.name, folder, lock)
        networkd.prepare(folder)
    speakers = design.speakers.get(device.name, {})
    if speakers:
        frr.prepare(folder, speakers)
    ran = kernel.apply(device.namespace, folder, lock)
    if ran.status is not Status.OK:
        raise refuse(device.name, f"ip -batch: {_first_message(ran.stderr, ran.detail)}", "a namespace set up")
    prefix = namespace_command.prefix(device.namespace, device.name, folder)
    daemons = {networkd.DAEMON: networkd.start(prefix, folder, lock)} if files is not None else {}
    daemons |= frr.start(prefix, folder, speakers, lock)
    return _DeviceStart(tuple(ran.stdout.decode().split()), daemons)


def _read_last_messages(lab: LabState, name: str) -> str | None:
    """The last line of each log of a device."""
    messages = []
    for log in sorted(state.device_folder(lab.name, name).glob("*.log")):
        lines = log.read_text("utf-8", "replace").strip().splitlines()
        messages += [f"last log line of {log.stem}: {lines[-1]}"] if lines else []
    return "; ".join(messages) or None


def _describe_ignored_settings(design: Design, refused_parameters: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Rendered settings that a lab cannot apply, as sentences; the same for most hosts."""
    parameters: dict[str, None] = {}
    ignored_files: dict[str, None] = {}
    for name, files in design.files.items():
        planned_keys = {key for key, _ in files.parameters}
        refused_keys = [key for key in refused_parameters[name] if key in planned_keys]
        parameters |= dict.fromkeys([*files.left_parameters, *refused_keys])
        ignored_files |= dict.fromkeys(files.left_files)
    messages = []
    if parameters:
        names = ", ".join(key.replace("/", ".") for key in parameters)
        messages.append(f"sysctl settings: {names} (they apply to the whole machine)")
    if ignored_files:
        messages.append(f"files without effect in a network namespace: {format_first(list(ignored_files), _MAX_NAMES)}")
    return (*messages, _NO_SWITCH)


def _first_message(stderr: bytes, detail: str | None) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else detail or "it failed"
