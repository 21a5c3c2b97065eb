"""Ubuntu among Linux hosts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from wirespeed.platforms.host.linux.distribution import Distribution
from wirespeed.platforms.host.linux.packages import Repository, Tools, deb
from wirespeed.settings import Action, InstallStep


def _command_line(parameters: Sequence[str]) -> tuple[str, ...]:
    parameters_text = shlex.quote(" ".join(parameters))
    line = f'GRUB_CMDLINE_LINUX="${{GRUB_CMDLINE_LINUX:+$GRUB_CMDLINE_LINUX }}"{parameters_text}'
    return (f"echo {shlex.quote(line)} > /etc/default/grub.d/90-wirespeed.cfg", "update-grub")


def _format_gpu(step: InstallStep) -> tuple[str, ...]:
    """Sources: Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.2, for driver and HPC SDK; NVIDIA
    CUDA installation guide for Linux, and its repository, for NCCL: libnccl2_2.1.4-1+cuda9.1_amd64.deb; ROCm 7.1.0
    quick start installation guide."""
    version = (step.version or "").split(".")
    match step.action:
        case Action.GPU_DRIVER:
            kind = "-open" if "modules" in (step.files or {}) else ""  # nvidia-headless-580-server-open
            return (f"nvidia-headless-{version[0]}-server{kind}", f"nvidia-utils-{version[0]}-server")
        case Action.HPC_SDK:
            toolkits = "-cuda-multi" if "toolkits" in (step.files or {}) else ""  # nvhpc-22-9-cuda-multi
            return ("environment-modules", f"nvhpc-{'-'.join(version[:2])}{toolkits}")
        case Action.CUDA:
            return (f"cuda-toolkit-{'-'.join(version[:2])}",)
        case Action.NCCL:
            return ("libnccl-dev", "libnccl2")
        case Action.ROCM:
            return ("amdgpu-dkms", "rocm")
        case _:
            return ()


# Broadcom 957608-AN210, appendix A.1; autogen.sh of the library calls automake, which libtool does not install here
# (Arista and Broadcom, Lossless Network for AI/ML/Storage/HPC with RDMA, lists it, and bc, bison and flex).
_SOURCES = ("gcc", "g++", "make", "git", "autoconf", "automake", "libtool")
_HPC_SDK_KEYRING = "/usr/share/keyrings/nvidia-hpcsdk-archive-keyring.gpg"
_HPC_SDK_ADDRESS = "https://developer.download.nvidia.com/hpc-sdk/ubuntu"
_BUILD = ("bc", "bison", "flex")
_TOOLS = Tools(
    hpc_sdk=Repository(  # Johansen, Fast Multi-GPU communication over PCI Express, appendix A.3.8
        key=f"{_HPC_SDK_ADDRESS}/DEB-GPG-KEY-NVIDIA-HPC-SDK",
        keyring=_HPC_SDK_KEYRING,
        list_file="/etc/apt/sources.list.d/nvhpc.list",
        line=f"deb [signed-by={_HPC_SDK_KEYRING}] {_HPC_SDK_ADDRESS}/amd64 /",
    ),
    rdma=("rdma-core", "ibverbs-utils", "rdmacm-utils", "infiniband-diags", "perftest", "strace", "ethtool"),
    modules=('"linux-headers-$(uname -r)"', "dkms", "gcc", "make"),  # NVIDIA DOCA, DKMS Management Guide 3.3
    rocm=('"linux-modules-extra-$(uname -r)"', "python3-setuptools", "python3-wheel"),  # ROCm, quick start installation
    libraries=("gcc", "make", "libtool", "autoconf", "automake", *_BUILD, "librdmacm-dev", "libibverbs-dev"),
    programs={  # Broadcom 957608-AN210, 2.7, 8.3 and 8.4; UCX and Open MPI: their lists of prerequisites
        "perftest": (*_SOURCES, "libibumad-dev", "pciutils", "libpci-dev", "libibverbs-dev", "librdmacm-dev"),
        "ucx": (*_SOURCES, "libibverbs-dev", "librdmacm-dev"),
        "openmpi": (*_SOURCES, "flex", "perl", "python3"),
        "rccl_tests": ("git", "make", "libstdc++-12-dev"),
        "osu": ("g++", "make"),
    },
)
UBUNTU = Distribution(
    renderers=lambda _: ("netplan", "networkd"),
    command_line=_command_line,
    firewall_off="ufw disable",
    packages=deb(_TOOLS, _format_gpu),
)
view = UBUNTU.view
