"""Building a lab."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from wirespeed.errors import refuse
from wirespeed.lab import configured, host, inside, kernel, networkd, state, switch
from wirespeed.lab.design import devices_of, links_of
from wirespeed.lab.down import clear
from wirespeed.lab.host import File, HostFiles
from wirespeed.lab.lab import Lab
from wirespeed.lab.machine import check_programs, check_user
from wirespeed.plan import Plan
from wirespeed.reach import Status, run
from wirespeed.results.lab import LabDevice, LabLink, LabState, Phase, Role

_AT_ONCE = 8
_LIMIT_S = 120
_CONFIGURED_WITHIN_S = 60

_NO_SWITCH = "of switches: traffic classes, PFC, ECN marking, buffers and speeds, of which a veth pair has none"

Tell = Callable[[str], None]


def up(
    plan: Plan,
    name: str,
    cluster: Path,
    hosts: Sequence[str],
    switches: Sequence[str],
    files: Iterable[File],
    tell: Tell,
) -> Lab:
    """Build a lab; where that fails or is interrupted, all of it is removed again.

    Args:
        plan: of the cluster.
        name: of the lab.
        cluster: the cluster file, for who asks later.
        hosts: its hosts, and the switches that they need.
        switches: see `design.switches_of`.
        files: what was rendered for the hosts, device by device.
        tell: called with what is done next.

    Raises:
        Refused: there is such a lab, or it could not be built.
    """
    check_user()
    sorted_files = host.hosts(files)
    netplan = ("netplan",) if any(own.netplan for own in sorted_files.values()) else ()
    check_programs(("ip", "mount", "unshare", "networkd", *netplan))
    with state.locked(name) as lock:
        _check_new(name)
        try:
            return _build(plan, name, cluster, hosts, switches, sorted_files, tell, lock)
        except BaseException:
            clear(name)
            raise


def _check_new(name: str) -> None:
    kept = state.load(name)
    if kept is not None and kept.phase is Phase.UP:
        raise refuse(f"lab {name}", f"a lab that is up, since {kept.started}", "none", f"wirespeed lab down {name}")
    if kept is not None or name in state.names():
        raise refuse(f"lab {name}", "what is left of a lab", "none", f"wirespeed lab down {name}")


def _build(
    plan: Plan,
    name: str,
    cluster: Path,
    hosts: Sequence[str],
    switches: Sequence[str],
    files: Mapping[str, HostFiles],
    tell: Tell,
    lock: int,
) -> Lab:
    links = links_of(plan, [*hosts, *switches])
    devices = devices_of(plan, name, hosts, switches, links)
    started = datetime.now(UTC).isoformat(timespec="seconds")
    begun = LabState(name, plan.name, str(cluster.resolve()), started, Phase.BUILDING, devices, links)
    state.save(begun)
    setups = _setups(plan, devices, links, files)
    tell(f"{len(devices)} namespaces, {len(links)} cables")
    for device in devices:
        _write(begun, device, files.get(device.name), setups[device.name])
    _cables(begun, lock)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        refused = dict(
            zip(
                (one.name for one in devices),
                pool.map(lambda one: _start(begun, one, files.get(one.name), lock), devices),
                strict=True,
            )
        )
    tell("systemd-networkd configures the hosts")
    folders = {one.name: state.device_folder(name, one.name) for one in devices}
    configured.wait(
        {one.name: (one.namespace, folders[one.name], one.expects) for one in devices if one.expects},
        _CONFIGURED_WITHIN_S,
        lambda one: networkd.last_words(folders[one]) if one in files else None,
    )
    whole = LabState(name, plan.name, begun.file, started, Phase.UP, devices, links, _left_out(files, refused))
    state.save(whole)
    return Lab(whole)


def _setups(
    plan: Plan, devices: Sequence[LabDevice], links: Sequence[LabLink], files: Mapping[str, HostFiles]
) -> dict[str, kernel.Setup]:
    found = {}
    ports: dict[str, dict[str, str]] = {device.name: {} for device in devices}
    for link in links:
        for end in (link.a, link.b):
            ports[end.device][end.port] = end.interface
    for device in devices:
        own = ports[device.name]
        if device.role is Role.HOST:
            found[device.name] = files[device.name].setup(list(own.values()))
        else:
            found[device.name] = switch.setup(plan.name, device.name, plan.switches[device.name], own)
    return found


def _write(lab: LabState, device: LabDevice, files: HostFiles | None, setup: kernel.Setup) -> None:
    folder = state.device_folder(lab.name, device.name)
    (folder / "run").mkdir(parents=True)
    setup.write(folder)
    if files is not None:
        files.write(folder)


def _cables(lab: LabState, lock: int) -> None:
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
    ran = run(("ip", "-batch", str(path)), _LIMIT_S, stdin=lock)
    if ran.status is not Status.OK:
        raise refuse(
            f"lab {lab.name}", f"ip -batch {path}: {_said(ran.stderr, ran.detail)}", "namespaces and cables made"
        )


def _start(lab: LabState, device: LabDevice, files: HostFiles | None, lock: int) -> tuple[str, ...]:
    """Set a device up and start its daemons; the kernel parameters that it could not have."""
    folder = state.device_folder(lab.name, device.name)
    if files is not None:
        if files.netplan:
            networkd.generate(device.name, folder, lock)
        networkd.prepare(folder)
    ran = kernel.apply(device.namespace, folder, lock)
    if ran.status is not Status.OK:
        raise refuse(device.name, f"ip -batch: {_said(ran.stderr, ran.detail)}", "a namespace set up")
    if files is not None:
        networkd.start(inside.words(device.namespace, device.name, folder), folder, lock)
    return tuple(ran.stdout.decode().split())


def _left_out(files: Mapping[str, HostFiles], refused: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What was rendered and cannot be in a lab, in sentences; the same for most hosts."""
    parameters: dict[str, None] = {}
    left: dict[str, None] = {}
    for name, own in files.items():
        planned = {key for key, _ in own.parameters}
        parameters |= dict.fromkeys([*own.left_parameters, *(key for key in refused[name] if key in planned)])
        left |= dict.fromkeys(own.left_files)
    said = (
        [f"of kernel parameters, {', '.join(key.replace('/', '.') for key in parameters)}: the whole machine's"]
        if parameters
        else []
    )
    if left:
        said.append(f"of files, {', '.join(left)}: nothing in a network namespace reads them")
    return (*said, _NO_SWITCH)


def _said(stderr: bytes, detail: str | None) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else detail or "it failed"
