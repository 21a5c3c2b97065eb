"""Versions of GPU software

GPU driver, ROCm, CUDA toolkits, NCCL and RCCL have the planned versions, which work together.

Impact:
    A newer driver or toolkit may not support the GPU any more, and an older one does not run newer binaries. With
    different versions on different hosts collectives fail or are slow on some of them.

Fix:
    Run software-install.sh, which `wirespeed render` writes if the cluster file has `software`, or install the planned
    version; then exclude it from system updates (apt-mark hold, dnf versionlock), so that none replaces it.

Example:
    $ nvidia-smi --query-gpu=driver_version --format=csv,noheader
    470.182.03

Source:
    Broadcom 957608-AN210, table 3; Johansen, Fast Multi-GPU communication over PCI Express, section 3.2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = (
    "host.software.gpu_driver",
    "host.software.rocm",
    "host.software.cuda_toolkits",
    "host.software.nccl",
    "host.software.rccl",
)
failures = ("NIC-04",)
check = compare(
    "host.software.gpu_driver",
    "host.software.rocm",
    "host.software.cuda_toolkits",
    "host.software.nccl",
    "host.software.rccl",
    wrong="GPU software has another version",
    fix="run the rendered software-install.sh",
    by_hand=True,
)
