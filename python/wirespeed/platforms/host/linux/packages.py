"""Package commands and names of a distribution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from wirespeed.settings import Action, Host, InstallStep


@dataclass(frozen=True, slots=True)
class Repository:
    """A vendor's repository of signed packages."""

    key: str  # address of the key that signs it
    keyring: str  # file that trusts the key for this repository
    list_file: str
    line: str  # of the list file


@dataclass(frozen=True, slots=True)
class Tools:
    """Package names by what they are for: only what the steps of a host need is installed."""

    rdma: tuple[str, ...]  # RDMA user space and its tools
    modules: tuple[str, ...]  # what kernel modules are built with
    libraries: tuple[str, ...]  # what the NIC's library is built with
    programs: Mapping[str, tuple[str, ...]]  # what each program of job-programs.sh is built with, by its setting
    unverified: str | None = None  # names that no public source confirms
    rocm: tuple[str, ...] = ()  # what ROCm and its driver need beside ``modules``
    hpc_sdk: Repository | None = None
    dkms_repository: str | None = None  # how to add the repository of dkms, where the system's own ones lack it


@dataclass(frozen=True, slots=True)
class PackageManager:
    """A distribution's package commands, for a POSIX shell; ``FILE`` is replaced by a package file."""

    format: str  # deb or rpm: which files of a vendor's release it takes
    install: str  # the command that installs packages by name
    install_file: str  # the command that installs a package file
    import_key: str | None  # the command that trusts the key in a file or at an address, where package files need it
    remove: str  # the command that removes packages by name
    remove_needed: str  # the command that removes a package with those that only it needs, if the manager has one
    rocm: tuple[str, ...]  # packages of ROCm and its driver, in the order of their removal
    is_installed: str  # succeeds when the very package in $1 is installed
    has: str  # succeeds when a package of the name in $1 is installed
    offered: str  # prints the version of the package named in $1 that the repositories have
    name_of: str  # prints the name of the package in $1
    tools: Tools
    pinned: str  # the package $name in the version $version, as install takes it
    version_of: str  # prints the installed version of the package named in $1
    listed: str  # prints the names of all installed packages
    add_repository: str  # the command that installs a package file which adds a repository
    refresh: str  # the command that reads the lists of repositories again
    clean: str | None  # the command that removes what nothing needs any more
    boot_image: str  # the command that makes the image for the running kernel again
    gpu: Callable[[InstallStep], tuple[str, ...]]  # packages of a step that installs GPU software; (): it has none


# Removal of ROCm: AMD, ROCm installation on Linux, quick start, "Uninstalling" and "Uninstall kernel driver".
Gpu = Callable[[InstallStep], tuple[str, ...]]


def deb(tools: Tools, gpu: Gpu) -> PackageManager:
    """Debian's package manager."""
    name = 'dpkg-deb -f "$1" Package'
    return PackageManager(
        format="deb",
        install="apt-get install -y",
        install_file="apt-get install -y",
        import_key=None,
        remove="apt-get purge -y",
        remove_needed="apt-get autoremove -y",
        rocm=("rocm", "rocm-core", "amdgpu-dkms"),
        is_installed="[ \"$(dpkg-query -W -f='${db:Status-Abbrev}${Version}' "
        f'"$({name})" 2>/dev/null)" = "ii $(dpkg-deb -f "$1" Version)" ]',
        has='[ "$(dpkg-query -W -f=\'${db:Status-Abbrev}\' "$1" 2>/dev/null)" = "ii " ]',
        offered="apt-cache policy \"$1\" 2>/dev/null | sed -n 's/^ *Candidate: *//p'",
        name_of=name,
        tools=tools,
        pinned="$name=$version",
        version_of="dpkg-query -W -f='${Version}' \"$1\" 2>/dev/null",
        listed="dpkg-query -W -f='${Package}\\n'",
        add_repository="dpkg -i",
        refresh="apt-get update",
        clean="apt-get autoremove -y",
        boot_image='update-initramfs -u -k "$(uname -r)"',  # Broadcom 957608-AN210, appendix A.1
        gpu=gpu,
    )


_HAS_CAPABILITY = (
    'case $1 in *" "*) rpm -q --provides --whatprovides "${1%% *}" 2>/dev/null | grep -qxF "${1%% *} = ${1##* }" ;; '
    '*) rpm -q --whatprovides "$1" >/dev/null 2>&1 ;; esac'
)
"""rpm's query finds capabilities by name only: with a version (``kernel-devel-uname-r == 5.14.0-427.el9.x86_64``, as
dnf takes it) rpm 4.18 answers that no package provides it. The list of what a package provides has the versions."""


def rpm(
    install: str,
    remove: str,
    refresh: str,
    clean: str | None,
    offered: str,
    tools: Tools,
    boot_image: str,
    gpu: Gpu,
    rocm: tuple[str, ...],
    install_file: str | None = None,
    import_key: str | None = None,
) -> PackageManager:
    """RPM with the distribution's front end; without ``install_file``, ``install`` takes package files, too."""
    return PackageManager(
        format="rpm",
        install=install,
        install_file=install_file or install,
        import_key=import_key,
        remove=remove,
        remove_needed=remove,
        rocm=rocm,
        is_installed='rpm -q "$(rpm -qp --qf \'%{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}\' "$1")" >/dev/null 2>&1',
        has=_HAS_CAPABILITY,
        offered=offered,
        name_of="rpm -qp --qf '%{NAME}' \"$1\"",
        tools=tools,
        pinned="$name-$version",
        version_of="rpm -q --qf '%{VERSION}-%{RELEASE}' \"$1\" 2>/dev/null",
        listed="rpm -qa --qf '%{NAME}\\n'",
        add_repository="rpm -Uvh",
        refresh=refresh,
        clean=clean,
        boot_image=boot_image,
        gpu=gpu,
    )


GPU_ACTIONS = (Action.GPU_DRIVER, Action.CUDA, Action.HPC_SDK, Action.ROCM, Action.NCCL)


def steps(host: Host, manager: PackageManager) -> Iterator[tuple[str, InstallStep, tuple[str, ...]]]:
    """Every step of the installation with its number and the packages that it names."""
    for number, step in host.steps.items():
        if step.action is Action.PREREQUISITES:
            yield number, step, _list_prerequisites(host, manager.tools)
        elif step.action is Action.BUILD_TOOLS:
            yield number, step, manager.tools.modules
        elif step.action is Action.PROGRAM_TOOLS:
            yield number, step, _list_program_tools(host, manager.tools)
        else:
            yield number, step, manager.gpu(step) if step.action in GPU_ACTIONS else ()


def _list_prerequisites(host: Host, tools: Tools) -> tuple[str, ...]:
    """The RDMA user space, and the tools for modules and libraries if the steps build any; without a program that is
    built from source, and without dkms where only source archives are compiled."""
    planned = host.steps.values()
    names = [name for name in tools.rdma if name != "perftest" or host.software.perftest is None]
    if any(step.subject in host.packages for step in planned):
        names = [*tools.modules, *names]
    elif any(step.action is Action.BUILD_DRIVERS for step in planned):
        names = [*(name for name in tools.modules if name != "dkms"), *names]
    if any(step.action is Action.BUILD for step in planned):
        names = [*names, *tools.libraries]
    return tuple(dict.fromkeys(names))


def _list_program_tools(host: Host, tools: Tools) -> tuple[str, ...]:
    """The tools of the planned programs."""
    planned = [name for name in tools.programs if getattr(host.software, name) is not None]
    return tuple(dict.fromkeys(name for program in planned for name in tools.programs[program]))
