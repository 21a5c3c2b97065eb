"""Versions of GPU software

The GPU driver, ROCm, the CUDA toolkits and NCCL are those the plan found to work together.

Why it hurts:
    A newer driver or toolkit may have dropped the GPU, and an older one does not run what was built for it. Hosts of
    different versions make collectives fail or be slow on some of them.

How to fix:
    Install the planned version, and hold it, so that an update of the system does not replace it.

Example:
    $ nvidia-smi --query-gpu=driver_version --format=csv,noheader
    470.182.03

Source:
    Broadcom 957608-AN210, table 3; Johansen, Fast Multi-GPU communication over PCI Express, section 3.2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.software.gpu_driver", "host.software.rocm", "host.software.cuda", "host.software.nccl")
failures = ("NIC-04",)
check = compare(
    "host.software.gpu_driver",
    "host.software.rocm",
    "host.software.cuda",
    "host.software.nccl",
    wrong="GPU software is of another version",
    fix="run software-install.sh",
    hand=True,
)
