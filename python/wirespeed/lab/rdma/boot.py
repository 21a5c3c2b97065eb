"""Starting the machines of a lab, and waiting until they are ready."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wirespeed.errors import refuse
from wirespeed.lab import kernel as namespaces
from wirespeed.lab import networkd, state
from wirespeed.lab.host import File, HostFiles
from wirespeed.lab.rdma import access, initrd
from wirespeed.lab.rdma.design import address, management
from wirespeed.lab.rdma.kernel import CACHE, Kernel
from wirespeed.lab.rdma.kernel_image import unpack_kernel
from wirespeed.lab.rdma.local_command import run_command
from wirespeed.lab.rdma.machine import CONSOLE, Machine
from wirespeed.reach import Status
from wirespeed.results.lab import LabState

_START_S = 120
_READY_WITHIN_S = 600  # ten seconds on a machine that does nothing else; an emulated processor may have to wait for one
_LOOK_S = 0.05
_READY, _FAILURE = "wirespeed: ready", "wirespeed: failed"
_PANIC = "Kernel panic"


def boot(
    lab: LabState,
    machines: Sequence[Machine],
    files: Sequence[File],
    networks: Mapping[str, HostFiles],
    kernel: Kernel,
    keep: Path | None,
    lock: int,
) -> None:
    """Start the machines of a lab whose namespaces are there.

    Raises:
        Refusal: a machine does not start; with its last log line.
    """
    folder = state.folder(lab.name)
    namespace_by_host = {device.name: device.namespace for device in lab.devices if device.machine}
    addresses = {machine.name: address(number) for number, machine in enumerate(machines)}
    access.keys(folder, namespace_by_host[machines[0].name], addresses, initrd.static_busybox(), lock)
    _connect_management(lab, list(namespace_by_host.values()), lock)
    image = unpack_kernel(kernel.image, CACHE)

    def start(machine: Machine) -> None:
        host_folder = state.device_folder(lab.name, machine.name)
        machine.write_configuration(host_folder / "machine", kernel.root, addresses, keep)
        _write_files(host_folder, machine.name, files, networks[machine.name], lock)
        access.write_access_files(folder, host_folder / "machine", addresses[machine.name], addresses)
        initrd_file = initrd.write(host_folder, kernel, lock)
        command = (
            "ip",
            "netns",
            "exec",
            namespace_by_host[machine.name],
            *machine.command(image, initrd_file, host_folder, keep),
        )
        run_command(command, _START_S, machine.name, "apt-get install qemu-system-x86", lock)

    with ThreadPoolExecutor() as pool:
        list(pool.map(start, machines))
        _wait_for_machines(
            {machine.name: state.device_folder(lab.name, machine.name) / CONSOLE for machine in machines}
        )
        list(pool.map(lambda machine: access.connect(folder, machine.name, lock), machines))


def _connect_management(lab: LabState, namespaces_of_hosts: Sequence[str], lock: int) -> None:
    """Create the network that ssh uses."""
    path = state.folder(lab.name) / "management"
    for namespace, lines in management(namespaces_of_hosts):
        path.write_text("".join(f"{line}\n" for line in lines))
        ran = namespaces.batch(path, lock, "-n", namespace)
        if ran.status is not Status.OK:
            raise refuse(f"lab {lab.name}", f"ip -batch {path}: {ran.detail}", "a network for ssh")


def _write_files(folder: Path, host: str, files: Sequence[File], network: HostFiles, lock: int) -> None:
    """Write the rendered files of the host, and the files that netplan generates from them."""
    machine = folder / "machine"
    for file in files:
        if file.device == host:
            path = machine / "files" / file.relative
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file.text, encoding="utf-8")
            path.chmod(file.mode)
    network.write(folder)
    if network.netplan:
        networkd.generate(host, folder, lock)
    networkd.prepare(folder)
    (folder / "run" / "systemd" / "network").rename(machine / "network")


def _wait_for_machines(consoles: Mapping[str, Path]) -> None:
    """Wait until every machine reports that it is ready.

    Raises:
        Refusal: one reports a failure, or nothing in time.
    """
    deadline = time.monotonic() + _READY_WITHIN_S
    pending_consoles = dict(consoles)
    while pending_consoles:
        for host, console in list(pending_consoles.items()):
            lines = console.read_text("utf-8", "replace").splitlines() if console.exists() else []
            wrong = next((line for line in lines if line.startswith(_FAILURE) or _PANIC in line), None)
            late = time.monotonic() > deadline
            if wrong is None and late:
                wrong = f"nothing for {_READY_WITHIN_S} s" + (f", but {lines[-1]!r}" if lines else "")
            if wrong is not None:
                raise refuse(host, wrong, "a virtual machine that is ready")
            if any(line.startswith(_READY) for line in lines):
                del pending_consoles[host]
        time.sleep(_LOOK_S)
