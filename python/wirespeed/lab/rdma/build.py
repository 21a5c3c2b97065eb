"""Build a lab whose hosts are virtual machines."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from wirespeed.errors import Problem, Refusal, refuse
from wirespeed.lab.build import ReportProgress
from wirespeed.lab.build import up as namespaces_up
from wirespeed.lab.design import Design, design
from wirespeed.lab.host import File, sort_files
from wirespeed.lab.lab import Lab
from wirespeed.lab.machine import check_user, find_program
from wirespeed.lab.rdma import kernel as kernels
from wirespeed.lab.rdma.boot import boot
from wirespeed.lab.rdma.design import MAX_MACHINES, list_machines, use_machines
from wirespeed.lab.rdma.machine import EMULATOR
from wirespeed.plan import Plan
from wirespeed.results.lab import LabState
from wirespeed.settings import Switch

_TUN = Path("/dev/net/tun")
_PACKAGES = {  # program: package of Debian and Ubuntu
    EMULATOR: "qemu-system-x86",
    "busybox": "busybox-static",
    "modprobe": "kmod",
    "depmod": "kmod",
    "rdma": "iproute2",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "sshd": "openssh-server",
}

_UNSUPPORTED = (
    "services and scripts: all (their files exist, but systemd does not run)",
    "NICs and GPUs: drivers, firmware, PCIe and queues (a NIC is a virtio-net device with soft-RoCE)",
)


def check() -> None:
    """Check that this machine can run virtual machines.

    Raises:
        Refusal: a program is missing; with its package.
    """
    check_user()
    problems = []
    if platform.machine() != "x86_64":
        problems.append(Problem("lab rdma", f"a processor of {platform.machine()}", "x86_64, for which the kernel is"))
    if not _can_open(_TUN):
        hint = "modprobe tun; in a container, start it with --device /dev/net/tun"
        problems.append(Problem("lab rdma", f"no {_TUN} that opens", "it: the machines' NICs are tap devices", hint))
    for name, package in _PACKAGES.items():
        if find_program(name) is None:
            problems.append(Problem("lab rdma", f"no {name}", f"{name} on this machine", f"apt-get install {package}"))
    if problems:
        raise Refusal(problems)


def _can_open(device: Path) -> bool:
    try:
        with device.open("rb"):
            return True
    except OSError:
        return False


def up(
    plan: Plan,
    name: str,
    hosts: tuple[str, ...],
    files: Iterable[File],
    speaker: Callable[[str, Switch], Mapping[str, str]],
    cluster: Path,
    report_progress: ReportProgress,
    kernel: Path | None = None,
    keep: Path | None = None,
) -> Lab:
    """Build a lab of machines. After a failure or interruption all of it is removed.

    Args:
        plan: plan of the cluster.
        name: name of the lab.
        hosts: hosts that become machines; their switches are added.
        files: the rendered files of the hosts.
        speaker: see `design`.
        cluster: the cluster file.
        report_progress: called with the next step.
        kernel: a folder or a package; without it, Debian's, downloaded once.
        keep: the one folder that the machines may write to.

    Raises:
        Refusal: a program is missing, the lab exists already, or it could not be built.
    """
    check()
    if len(hosts) > MAX_MACHINES:
        raise refuse("--hosts", f"{len(hosts)} machines", f"at most {MAX_MACHINES}, of one GiB each")
    rendered_files = list(files)
    of_namespaces: Design = design(plan, name, hosts, rendered_files, speaker)
    chosen = kernels.kernel(kernel, report_progress)
    report_progress(f"{len(hosts)} virtual machines with Linux {chosen.release}")
    machines = list_machines(plan, of_namespaces)
    networks = sort_files(rendered_files)

    def start(lab: LabState, lock: int) -> tuple[str, ...]:
        report_progress("waiting for the virtual machines")
        boot(lab, machines, rendered_files, networks, chosen, keep, lock)
        return _UNSUPPORTED

    return namespaces_up(use_machines(plan, of_namespaces), cluster, report_progress, start)
