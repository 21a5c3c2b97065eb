"""Red Hat Enterprise Linux and its rebuilds among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution
from wirespeed.platforms.host.linux.packages import Tools, rpm
from wirespeed.settings import Action, InstallStep


def _command_line(parameters: Sequence[str]) -> tuple[str, ...]:
    return (f"grubby --update-kernel=ALL --args={shlex.quote(' '.join(parameters))}",)


def _format_gpu(step: InstallStep) -> tuple[str, ...]:
    """Sources: NVIDIA CUDA installation guide for Linux; ROCm 7.1.0 quick start installation guide; NVIDIA NCCL
    installation guide, RHEL: libnccl-2.18.3-1+cuda12.2, libnccl-devel."""
    match step.action:
        case Action.CUDA:
            return (f"cuda-toolkit-{'-'.join((step.version or '').split('.')[:2])}",)
        case Action.NCCL:
            return ("libnccl-devel", "libnccl")
        case Action.ROCM:
            return ("amdgpu-dkms", "rocm")
        case _:
            return ()


_SOURCES = ("gcc", "gcc-c++", "make", "git", "autoconf", "automake", "libtool")
_BUILD = ("bison", "flex")  # of the group Development Tools, which Arista and Broadcom install
_TOOLS = Tools(  # Broadcom 957608-AN210, appendix A.2
    rdma=("rdma-core", "libibverbs-utils", "librdmacm-utils", "infiniband-diags", "perftest", "strace"),
    # DOCA 3 Installation/Upgrade on RHEL 9, where dkms is that of EPEL, 3.2 or newer.
    modules=('"kernel-devel-uname-r == $(uname -r)"', "dkms", "elfutils-libelf-devel", "gcc", "make"),
    rocm=("python3-setuptools", "python3-wheel"),  # ROCm, quick start installation guide, as are EPEL and CRB
    dkms_repository="EPEL: install epel-release of dl.fedoraproject.org/pub/epel, then run crb enable",
    libraries=(
        "gcc",
        "make",
        "gperf",
        "autoconf",
        "automake",
        "libtool",
        *_BUILD,
        "libibverbs-devel",
        "rdma-core-devel",
    ),
    programs={  # perftest.spec, ucx.spec.in; Open MPI, prerequisites
        "perftest": (*_SOURCES, "rdma-core-devel", "pciutils-devel"),
        "ucx": (*_SOURCES, "rdma-core-devel"),
        "openmpi": (*_SOURCES, "flex", "perl", "python3"),
        "rccl_tests": ("git", "make", "gcc-c++"),
        "osu": ("gcc-c++", "make"),
    },
)
RHEL = Distribution(
    renderers=lambda _: ("networkmanager",),
    command_line=_command_line,
    firewall_off="systemctl disable --now firewalld",
    packages=rpm(
        "dnf install -y",
        "dnf remove -y",
        "dnf makecache",
        "dnf autoremove -y",
        "dnf --quiet repoquery --latest-limit=1 --queryformat '%{version}\\n' \"$1\" 2>/dev/null",
        _TOOLS,
        'dracut -f "/boot/initramfs-$(uname -r).img" "$(uname -r)"',  # dracut(8)
        _format_gpu,
        rocm=("rocm", "rocm-core", "amdgpu-core", "amdgpu-dkms"),
    ),
)
view = RHEL.view
