"""Red Hat Enterprise Linux and its rebuilds among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution
from wirespeed.platforms.host.linux.packages import rpm
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


_PREREQUISITES = (  # Broadcom 957608-AN210, appendix A.2
    '"kernel-devel-uname-r == $(uname -r)"',
    *("dkms", "elfutils-libelf-devel", "libibverbs-devel", "gperf", "perftest", "infiniband-diags", "make", "gcc"),
    *("autoconf", "automake", "libtool", "libibverbs-utils", "rdma-core-devel", "librdmacm-utils", "strace"),
)
# DOCA 3 Installation/Upgrade on RHEL 9, where dkms is that of EPEL, 3.2 or newer.
_BUILD_TOOLS = ('"kernel-devel-uname-r == $(uname -r)"', "dkms", "elfutils-libelf-devel", "gcc", "make")
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
        _PREREQUISITES,
        _BUILD_TOOLS,
        'dracut -f "/boot/initramfs-$(uname -r).img" "$(uname -r)"',  # dracut(8)
        _format_gpu,
    ),
)
view = RHEL.view
