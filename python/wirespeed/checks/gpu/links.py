"""Links between GPUs

Every link of the GPU to the other GPUs of its host works.

Impact:
    Traffic between two GPUs without a link uses PCIe, at a fraction of the bandwidth: every collective over the
    GPUs of the host is as slow as that pair.

Fix:
    Search the kernel log for errors of the links, reset the GPUs, or power the host off and on. On a host whose
    NVLink has a switch, check that the fabric manager runs. A link that stays away is a case for the vendor.

Example:
    $ rocm-smi --showtopotype
           GPU0         GPU1         GPU2
    GPU0   0            XGMI         PCIE

Source:
    Broadcom 957608-AN210, 8.5; GPU data sheets in the catalogue
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Gpu

subject = Gpu
needs = ("gpu.links",)
failures = ("GPU-02", "GPU-05")
check = compare(
    *needs,
    wrong="links to other GPUs are missing",
    fix="search the kernel log for errors of the links; reset the GPUs, or power the host off and on",
    by_hand=True,
)
