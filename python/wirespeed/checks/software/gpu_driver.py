"""GPU driver

The kernel driver of the GPUs is loaded.

Impact:
    Without the driver there are no GPUs, and no GPU memory for GPUDirect RDMA.

Fix:
    Load the driver (amdgpu or nvidia). If it is missing, install the GPU software for the running kernel.

Example:
    $ lsmod | grep amdgpu
    (nothing)

Source:
    Broadcom 957608-AN210, 2.6 item 3
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.modules import drives_gpu
from wirespeed.settings import Module

subject = Module
needs = ("module.loaded", "host.modules")
failures = ("OS-10",)
presence = True
check = compare(
    "module.loaded",
    wrong="the GPU driver is not loaded",
    fix="load the GPU driver, now and at every boot",
    labels={True: "loaded", False: "not loaded"},
    applies=drives_gpu,
)
