"""The RDMA stack of a NIC's vendor, which replaces the kernel's driver: its release and the supported kernels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from wirespeed.catalogue.compat import DriverRelease, Stack, StackBuild, StackRelease
from wirespeed.catalogue.model import GpuModel
from wirespeed.cluster import HostSpec
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.plan.combination import parse_version
from wirespeed.plan.problems import Problems
from wirespeed.settings import Action, InstallStep

_RELEASE_NUMBER = re.compile(r"[0-9]+(?:[.-][0-9]+)+")
_BY_HAND = "leave `nic_packages` out and install it by hand; then it is neither planned nor checked"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A release of a stack for one host."""

    name: str
    version: str
    stack: Stack
    release: StackRelease | None  # None: not listed in the catalogue
    build: StackBuild

    @property
    def drivers(self) -> str | None:
        """The version of its drivers, or its beginning. None if the release is not listed."""
        return self.release.drivers if self.release else None

    @property
    def reported_version(self) -> str | None:
        """The version that the stack reports, or its beginning. None if that contains unknown numbers."""
        if self.drivers is None and "{drivers}" in self.stack.version_text:
            return None
        return self.stack.version_text.format(version=self.version, drivers=self.drivers)


def select_stack(spec: HostSpec, release: DriverRelease, problems: Problems) -> Chosen | None:
    """The stack of the cluster file. None if it sets none, or an impossible one."""
    packages = spec.part.software.nic_packages or {}
    path = (*spec.path, "software", "nic_packages")
    if not packages:
        return None
    if len(packages) > 1:
        problems.refuse(path, " beside ".join(packages), "one of them: each replaces what the other installs")
        return None
    ((name, number),) = packages.items()
    stack = release.stacks.get(name)
    if stack is None:
        problems.refuse(
            (*path, name),
            f"the package {name!r} for a NIC with the {release.title}",
            f"{format_choices(release.stacks)}; without `nic_packages` the driver of the kernel is used",
            did_you_mean(name, list(release.stacks)),
        )
        return None
    stack_release = stack.releases.get(number)
    if stack_release is None:
        return _select_unlisted(spec, name, number, stack, problems)
    build = next((candidate for candidate in stack_release.builds if _is_for(candidate, spec.os)), None)
    if build is None:
        alternatives = _list_releases(spec.os, release)
        problems.refuse(
            (*path, name),
            f"{stack.title} {number} on {spec.os}",
            "a system that this release is known to support: "
            + ", ".join(system for row in stack_release.builds for system in row.systems),
            f"write nic_packages: {' or '.join(f'{{{text}}}' for text in alternatives)}, known to support {spec.os}"
            if alternatives
            else _BY_HAND,
        )
        return None
    chosen = Chosen(name, number, stack, stack_release, build)
    _check_kernel(spec, chosen, problems)
    return chosen


def _select_unlisted(spec: HostSpec, name: str, number: str, stack: Stack, problems: Problems) -> Chosen | None:
    """A release that the catalogue lacks, newer, older or in between: only its systems and kernels are unknown."""
    path = (*spec.path, "software", "nic_packages", name)
    file = stack.unlisted_files.get(spec.os.partition("-")[0])
    listed_releases = ", ".join(stack.releases)
    if file is None or not _RELEASE_NUMBER.fullmatch(number):
        problems.refuse(path, f"{stack.title} {number}", f"a release of the catalogue: {listed_releases}", _BY_HAND)
        return None
    problems.warn(
        path,
        f"{stack.title} {number}, an unknown release: its systems and kernels are not checked",
        f"a release of the catalogue: {listed_releases}",
    )
    build = StackBuild.model_construct(
        systems=[spec.os], file=file.replace("{release}", number), kernels=[], compiled=True, source=stack.source
    )
    return Chosen(name, number, stack, None, build)


def stack_steps(chosen: Chosen, spec: HostSpec, gpu: GpuModel | None) -> Iterator[InstallStep]:
    """The steps in order, all before the GPU software: the NVIDIA driver compiles its peer-memory module against the
    stack.

    Source: NVIDIA open GPU kernel modules, kernel-open/conftest.sh, check_for_ib_peer_memory_symbols.
    """
    yield InstallStep(
        Action.UNINSTALL_STACK, "any other release", why=f"before {chosen.name} {chosen.version} is installed"
    )
    if chosen.build.compiled:
        yield InstallStep(Action.BUILD_TOOLS, "compiler, kernel headers", why="modules are compiled on this host")
    yield InstallStep(
        Action.STACK,
        chosen.name,
        chosen.version,
        {"repository" if chosen.stack.package else "installer": _format_file_name(chosen.build, spec.os)},
        "its drivers and libraries replace those of the system"
        + ("" if chosen.stack.package else ", for the running kernel alone")
        + ("; it brings the peer-memory API for GPUs" if gpu else ""),
    )


def peer_memory_step() -> InstallStep:
    """The step that compiles the module of a GPU driver that was installed before the stack."""
    return InstallStep(
        Action.PEER_MEMORY, "nvidia-peermem", why="compiled before the stack came, it is empty and does not load"
    )


def is_of_series(kernel: str, series: str) -> bool:
    """Whether a kernel release is of a series: 5.15.0-102-generic of 5.15, not 5.150.0."""
    return kernel.startswith(series) and not kernel[len(series) :][:1].isdigit()


def _check_kernel(spec: HostSpec, chosen: Chosen, problems: Problems) -> None:
    """Whether the modules of a listed release work with the host's kernel."""
    if chosen.release is None:
        return
    kernel, path = spec.part.software.kernel, (*spec.path, "software", "kernel")
    stack = f"{chosen.stack.title} {chosen.version}"
    kernels = ", ".join(chosen.build.kernels)
    if kernel is None:
        if not chosen.build.compiled:
            problems.warn(
                (*spec.path, "software", "nic_packages", chosen.name),
                f"{stack}, whose modules are made for kernels {kernels}, and no kernel named",
                "kernel: the release that uname -r prints",
            )
        return
    broken = chosen.release.breaks_on
    if broken is not None and parse_version(_parse_kernel_number(kernel)) >= parse_version(broken.value):
        problems.refuse(
            path,
            f"the kernel {kernel} under {stack}, whose modules do not compile for {broken.value} and newer ones",
            f"a kernel it is known to work with: {kernels}",
            f"or a newer release; {broken.source}",
        )
        return
    if any(is_of_series(kernel, series) for series in chosen.build.kernels):
        return
    if chosen.build.compiled:
        problems.warn(
            path, f"the kernel {kernel} under {stack}, of which it is not known whether it compiles for it", kernels
        )
        return
    problems.refuse(
        path,
        f"the kernel {kernel} under {stack}, whose modules are made for others",
        f"a kernel of {kernels}",
        "or a release whose modules are compiled on the host",
    )


def _list_releases(os: str, release: DriverRelease) -> list[str]:
    """Stacks and their releases for a system."""
    return [
        f"{name}: {number}"
        for name, stack in release.stacks.items()
        for number, stack_release in stack.releases.items()
        if any(_is_for(build, os) for build in stack_release.builds)
    ]


def _is_for(build: StackBuild, os: str) -> bool:
    return any(fnmatchcase(os, system) for system in build.systems)


def _format_file_name(build: StackBuild, os: str) -> str:
    number = os.partition("-")[2]
    return build.file.format(version=number, digits=number.replace(".", ""))


def _parse_kernel_number(kernel: str) -> str:
    """The version number of a kernel release: 6.8.0 of 6.8.0-111-generic."""
    return kernel.partition("-")[0]
