"""Packages that install a NIC's driver, in order; source: Broadcom 957608-AN210, section 2.2."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.compat import DriverPackage, DriverRelease
from wirespeed.catalogue.model import GpuModel, NicModel
from wirespeed.cluster import HostSpec
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.plan.gpu_memory import NVIDIA_CLIENT, check_client, check_dma_buf
from wirespeed.plan.problems import Problems
from wirespeed.plan.stacks import Chosen, peer_memory_step, select_stack, stack_steps
from wirespeed.settings import Action, InstallStep, Package, find_release


@dataclass(frozen=True, slots=True)
class Drivers:
    """The packages and installation steps of a NIC's driver."""

    packages: dict[str, Package]
    removals: tuple[InstallStep, ...]  # steps before the GPU software
    steps: tuple[InstallStep, ...]
    replaces: bool = True  # whether they replace drivers of the kernel, which needs a boot image and a reboot
    stack: Chosen | None = None
    dma_buf: bool = False  # whether DMA-BUF is the only access to GPU memory: there is no peer-memory API
    modules: tuple[str, ...] = ()  # further modules that must be loaded
    version: str | None = None  # version of the NIC's drivers, or its beginning


def kernel_has_client(spec: HostSpec, catalogue: Catalogue) -> bool | None:
    """Whether the host's kernel has a built-in peer-memory client. None: unknown."""
    software = spec.part.software
    if software.peer_memory is not None:
        return software.peer_memory
    series, _, flavour = (software.kernel or "").partition("-")
    name = f"{spec.os.partition('-')[0]}-{'.'.join(series.split('.')[:2])}-{flavour.rpartition('-')[2]}"
    row = catalogue.kernels.get(name)
    return row.built_in.value if row else None


def plan_drivers(
    spec: HostSpec,
    nic: NicModel,
    gpu: GpuModel | None,
    catalogue: Catalogue,
    problems: Problems,
    qos_program: str | None = None,
) -> Drivers | None:
    """Packages and steps, and the package of the program that sets traffic classes.

    None if the cluster file sets no kernel, packages or firmware, or the release is unknown.
    """
    software, release = spec.part.software, catalogue.drivers.get(nic.driver or "")
    if software.kernel is None and software.nic_packages is None and software.nic_firmware is None:
        return None
    if release is None:
        if software.nic_packages is not None:
            problems.refuse(
                (*spec.path, "software", "nic_packages"),
                f"packages for the driver {nic.driver}",
                f"a NIC whose driver release is known: {', '.join(catalogue.drivers)}",
            )
        if software.nic_firmware is not None:
            problems.refuse(
                (*spec.path, "software", "nic_firmware"),
                f"a firmware for the driver {nic.driver}",
                f"a NIC whose driver release is known: {', '.join(catalogue.drivers)}",
            )
        return None
    if software.nic_firmware is not None and not _firmware_file(spec, nic, release):
        models = [name for name, row in catalogue.drivers.items() if row.firmware]
        models += [name for name, row in catalogue.nics.items() if row.firmware]
        problems.warn(
            (*spec.path, "software", "nic_firmware"),
            f"a firmware for {nic.title}, of which no file name is known: it is checked, but not flashed",
            f"a NIC whose firmware files are known: {', '.join(models)}",
            "flash it with the vendor's tool",
        )
    built_in = kernel_has_client(spec, catalogue)
    stack = select_stack(spec, release, problems) if release.stacks else None
    if gpu and built_in is None and not stack:
        problems.warn(
            (*spec.path, "software", "kernel"),
            f"the kernel {software.kernel or '(not named)'} of {spec.os}, of which it is not known whether it has a "
            "peer-memory client",
            "peer_memory: true or false",
            "true if `grep ib_register_peer_memory_client /proc/kallsyms` prints a line on the host before anything is "
            "installed, else false",
        )
    firmware = tuple(_list_firmware_steps(spec, nic, release))
    if stack:
        return _plan_stack(spec, stack, gpu, firmware, problems)
    if release.inbox:
        return _plan_inbox_driver(spec, release, gpu, built_in, firmware, problems)
    configured = _select_packages(spec, release, catalogue, problems)
    chosen = configured or dict.fromkeys([*release.peer_memory, *release.always], None)
    if qos_program in release.packages:
        chosen.setdefault(qos_program, None)
    _check_packages(spec, release, chosen, gpu is not None, built_in, problems)
    packages = {
        name: Package(installed=True, version=version)
        for name, version in chosen.items()
        if name in release.packages and release.packages[name].dkms
    }
    removal = InstallStep(
        Action.UNINSTALL_STACK,
        " or ".join(release.displaced_by),
        why="it replaces the kernel's RDMA core, and the drivers do not load with it",
    )
    return Drivers(
        packages,
        (removal,) if release.displaced_by else (),
        (*_list_steps(release, chosen), *firmware),
        version=_find_driver_version(nic, release, chosen),
    )


def _find_driver_version(nic: NicModel, release: DriverRelease, chosen: Mapping[str, str | None]) -> str | None:
    """The version of the chosen package that contains the NIC's Ethernet driver."""
    return next(
        (chosen[name] for name, row in release.packages.items() if name in chosen and nic.driver in row.modules), None
    )


def _firmware_file(spec: HostSpec, nic: NicModel, release: DriverRelease) -> str | None:
    """File name pattern of the firmware that the host's file names."""
    pattern = nic.firmware.value if nic.firmware else release.firmware
    return pattern and pattern.format(
        card=spec.nics.model.rpartition("-")[2].upper(),
        release=(spec.part.software.nic_firmware or "").replace(".", "_"),
    )


def _list_firmware_steps(spec: HostSpec, nic: NicModel, release: DriverRelease) -> Iterator[InstallStep]:
    """The last steps before the reboot, because the flash tool may need the driver."""
    version, pattern = spec.part.software.nic_firmware, _firmware_file(spec, nic, release)
    if version is not None and pattern is not None:
        yield InstallStep(Action.FIRMWARE, "of each NIC", version, {"firmware": pattern}, "it acts after a reboot")


def _plan_stack(
    spec: HostSpec, stack: Chosen, gpu: GpuModel | None, firmware: tuple[InstallStep, ...], problems: Problems
) -> Drivers:
    """The vendor's stack, which contains a peer-memory API."""
    clients = _list_clients(spec, gpu, problems)
    peer_memory_steps = (peer_memory_step(),) if clients else ()
    return Drivers(
        {}, tuple(stack_steps(stack, spec, gpu)), (*peer_memory_steps, *firmware), stack=stack, modules=clients
    )


def _list_clients(spec: HostSpec, gpu: GpuModel | None, problems: Problems) -> tuple[str, ...]:
    """The module that registers GPU memory, for a kernel with a peer-memory API. AMD's driver needs none."""
    if gpu is None:
        return ()
    check_client(spec, gpu, problems)
    return (NVIDIA_CLIENT,) if gpu.vendor == "nvidia" else ()


def _plan_inbox_driver(
    spec: HostSpec,
    release: DriverRelease,
    gpu: GpuModel | None,
    built_in: bool | None,
    firmware: tuple[InstallStep, ...],
    problems: Problems,
) -> Drivers:
    """The driver of the kernel: only the RDMA user space is installed.

    Without a peer-memory client in the kernel, access to GPU memory needs DMA-BUF.
    """
    if spec.part.software.nic_packages is not None and not release.stacks:
        problems.refuse(
            (*spec.path, "software", "nic_packages"),
            f"packages beside {release.title}",
            "none: the driver comes with the kernel",
            "another stack is installed by its own installer",
        )
    dma_buf = gpu is not None and built_in is False
    if gpu and dma_buf:
        check_dma_buf(spec, gpu, release, problems)
    prerequisites = replace(_PREREQUISITES, subject="RDMA user space", why=f"the {release.title} is there already")
    clients = _list_clients(spec, gpu, problems) if built_in else ()
    return Drivers({}, (), (prerequisites, *firmware), replaces=False, dma_buf=dma_buf, modules=clients)


def _select_packages(
    spec: HostSpec, release: DriverRelease, catalogue: Catalogue, problems: Problems
) -> dict[str, str | None]:
    packages: dict[str, str | None] = {}
    for name, version in (spec.part.software.nic_packages or {}).items():
        if name in release.displaced_by:
            owner = next(
                (row.title for row in catalogue.drivers.values() if name in row.stacks), "another vendor's NICs"
            )
            problems.refuse(
                (*spec.path, "software", "nic_packages", name),
                f"{name} on a host whose NICs have the {release.title}",
                format_choices(release.packages),
                f"it is made for the {owner}, replaces the kernel's RDMA core, and these drivers do not load with it",
            )
        elif name not in release.packages:
            problems.refuse(
                (*spec.path, "software", "nic_packages", name),
                f"the package {name!r}",
                format_choices(release.packages),
                did_you_mean(name, list(release.packages))
                or "packages of kernel modules have the names that DKMS lists",
            )
        packages[name] = version
    return packages


def _check_packages(
    spec: HostSpec,
    release: DriverRelease,
    chosen: dict[str, str | None],
    gpu: bool,
    built_in: bool | None,
    problems: Problems,
) -> None:
    path = (*spec.path, "software", "nic_packages")
    client = [name for name in release.peer_memory if name in chosen]
    plain = [name for name in release.without_peer_memory if name in chosen]
    archives = [name for name in release.archives if name in chosen]
    remaining, redundant = (archives[:1], [*client, *plain, *archives[1:]]) if archives else (client, plain)
    if remaining and redundant:
        problems.refuse(
            path,
            f"{' and '.join(redundant)} beside {' and '.join(remaining)}, which brings the same modules",
            f"{' and '.join(remaining)} alone",
            f"leave {' and '.join(redundant)} out"
            + ("" if archives[1:] else "; where they are installed, software-install.sh removes them"),
        )
    with_client = _list_packages_with_client(release)
    without_client = [name for name in (*plain, *archives) if name not in with_client]
    if gpu and without_client and with_client.isdisjoint(chosen) and built_in is False:
        problems.refuse(
            path,
            f"{' and '.join(without_client)} on the kernel {spec.part.software.kernel}, "
            "which has no peer-memory client",
            f"{' or '.join(with_client)}, which brings one",
            "without one the NIC does not reach GPU memory",
        )
    releases = {
        find_release(chosen[name] or "") for name in (*client, *plain, *archives, *release.always) if chosen.get(name)
    }
    if len(releases) > 1:
        problems.warn(path, f"packages of different releases: {', '.join(sorted(releases))}", "one release")


def _list_packages_with_client(release: DriverRelease) -> KeysView[str]:
    """The packages that contain a peer-memory client, a module that those without one lack."""
    plain = {module for name in release.without_peer_memory for module in release.packages[name].modules}
    clients = {module for name in release.peer_memory for module in release.packages[name].modules} - plain
    return {name: None for name, package in release.packages.items() if clients & {*package.modules}}.keys()


def _list_steps(release: DriverRelease, chosen: dict[str, str | None]) -> Iterator[InstallStep]:
    """The steps, in order."""
    modules = [
        name for name in (*release.peer_memory, *release.without_peer_memory, *release.archives) if name in chosen
    ]
    archives = [name for name in release.archives if name in chosen]
    for name in (*release.without_peer_memory, *(release.peer_memory if archives else ())):
        if name not in chosen:
            yield InstallStep(Action.REMOVE, name, why=f"{' and '.join(modules)} brings the same module")
    yield _PREREQUISITES
    for name, version in chosen.items():
        package = release.packages.get(name)
        if package is None:
            continue
        yield _build_step(name, version, package, release)
        if package.library:
            yield InstallStep(
                Action.RENAME_INBOX,
                package.library,
                files={"library": package.library},
                why="the distribution's library of this name has another ABI version",
            )


def _build_step(name: str, version: str | None, package: DriverPackage, release: DriverRelease) -> InstallStep:
    if name in release.qos_programs:
        return InstallStep(Action.INSTALL, name, version, {**package.files, "program": name}, package.title)
    if name in release.archives:
        files = {**package.files, "modules": " ".join(package.modules)}
        return InstallStep(Action.BUILD_DRIVERS, name, version, files, package.title)
    action = Action.BUILD if "source" in package.files else Action.INSTALL
    return InstallStep(action, name, version, package.files, package.title)


_PREREQUISITES = InstallStep(
    Action.PREREQUISITES, "compiler, kernel headers, RDMA user space", why="modules are built here"
)

FINAL_STEPS = (
    InstallStep(
        Action.BOOT_IMAGE, "initramfs", why="it holds the kernel's own driver, which would be loaded before the new one"
    ),
    InstallStep(Action.REBOOT, "host", why="loaded drivers are not replaced in a running kernel"),
)
"""The final steps of every driver installation; source: Broadcom 957608-AN210, section 2.2.1.2 and appendix A."""


def number_steps(steps: Sequence[InstallStep]) -> dict[str, InstallStep]:
    """Steps by their number."""
    return {str(number): step for number, step in enumerate(steps, 1)}
