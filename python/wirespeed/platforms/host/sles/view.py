"""SUSE Linux Enterprise Server among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution
from wirespeed.platforms.host.linux.packages import Tools, rpm
from wirespeed.settings import Action, InstallStep


def _command_line(parameters: Sequence[str]) -> tuple[str, ...]:
    return (*(f"pbl --add-option {shlex.quote(word)}" for word in parameters), "pbl --config")


def _format_renderers(system: str) -> tuple[str, ...]:
    """SLES 15 comes with wicked and can have NetworkManager; SLES 16 has NetworkManager alone.

    Sources: SUSE Linux Enterprise Server 15 Administration Guide, "Basic networking"; SUSE Linux Enterprise Server 16.0
    release notes, "wicked".
    """
    version = system.partition("-")[2].partition(".")[0]
    return ("networkmanager",) if version.isdecimal() and int(version) > 15 else ("wicked", "networkmanager")


def _format_gpu(step: InstallStep) -> tuple[str, ...]:
    """Sources: NVIDIA CUDA installation guide for Linux; ROCm 7.1.0 quick start installation guide; NVIDIA NCCL
    installation guide, other distributions: an archive, nccl_2.18.3-1+cuda12.2_x86_64.txz."""
    match step.action:
        case Action.CUDA:
            return (f"cuda-toolkit-{'-'.join((step.version or '').split('.')[:2])}",)
        case Action.NCCL:
            return (f"nccl_{step.version}_x86_64.txz",)
        case Action.ROCM:
            return ("amdgpu-dkms", "rocm")
        case _:
            return ()


_SOURCES = ("gcc", "gcc-c++", "make", "git-core", "autoconf", "automake", "libtool")
_TOOLS = Tools(
    rdma=("rdma-core", "libibverbs-utils", "librdmacm-utils", "infiniband-diags", "perftest", "strace"),
    modules=("kernel-default-devel", "dkms", "libelf-devel", "make", "gcc"),
    rocm=("python3-setuptools", "python3-wheel"),  # ROCm, quick start installation guide, as is PackageHub
    dkms_repository="PackageHub: SUSEConnect -p PackageHub/VERSION/x86_64",
    libraries=("gcc", "make", "autoconf", "automake", "libtool", "rdma-core-devel"),
    programs={
        "perftest": (*_SOURCES, "rdma-core-devel", "pciutils-devel"),
        "ucx": (*_SOURCES, "rdma-core-devel"),
        "openmpi": (*_SOURCES, "flex", "perl", "python3"),
        "rccl_tests": ("git-core", "make", "gcc-c++"),
        "osu": ("gcc-c++", "make"),
    },
    unverified="kernel-default-devel, dkms, libelf-devel, perftest",
)
"""As those of RHEL in Broadcom 957608-AN210, appendix A.2; names of RDMA packages: rdma-core, suse/rdma-core.spec."""
_PACKAGES = rpm(
    "zypper --non-interactive install",
    "zypper --non-interactive remove",
    "zypper --non-interactive refresh",
    None,
    "zypper --quiet --non-interactive info \"$1\" 2>/dev/null | sed -n 's/^Version *: *//p'",
    _TOOLS,
    'dracut --force --kver "$(uname -r)"',  # dracut(8): into the file the system boots from, /boot/initrd-... on SUSE
    _format_gpu,
    rocm=("rocm", "rocm-core", "amdgpu-core", "amdgpu-dkms", "amdgpu-dkms-firmware"),
    install_file="zypper --non-interactive install --allow-unsigned-rpm",
    import_key="rpm --import",
)
"""zypper refuses a package file without a signature, and files and repositories whose key it does not trust; where it
needs an answer, ``--non-interactive`` aborts (measured with zypper 1.14.42). ``install_file`` is for packages of
NIC vendors, which may have no signature; amdgpu-install, which adds repositories, is signed and installed with
``install``. The key of ROCm: AMD, ROCm installation on Linux, SUSE Linux Enterprise native installation; it signs all
packages: github.com/ROCm/ROCm issue 807.
"""
SLES = Distribution(
    renderers=_format_renderers,
    command_line=_command_line,
    firewall_off="systemctl disable --now firewalld",
    packages=_PACKAGES,
)
view = SLES.view
