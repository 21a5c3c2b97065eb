"""IOMMU mode of the host

The default DMA domain of the running kernel is passthrough, or the IOMMU is off.

Impact:
    A translating IOMMU walks page tables for each DMA of NIC and GPU, and redirects peer-to-peer traffic to the root
    complex. RCCL warns of hangs in this mode.

Fix:
    Add iommu=pt to the kernel command line (on Intel with intel_iommu=on) and reboot, or disable the IOMMU in the BIOS.

Example:
    $ dmesg | grep -i iommu
    iommu: Default domain type: Translated
    The expected line ends with: Passthrough (set via kernel command line)

Source:
    Broadcom 957608-AN210, 2.3 and 2.6 item 5
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.settings import Host

subject = Host
needs = ("host.kernel.iommu",)
failures = ("PCI-02",)

causes = ("host.kernel-parameters",)


def check(context: CheckContext) -> Outcome:
    """Off is accepted like passthrough: neither translates."""
    context.get_intended_value("host.kernel.iommu")
    found = context.get_found_value("host.kernel.iommu")
    if found in ("passthrough", "off"):
        return success("passthrough or off", found)
    fix = context.build_change(
        "set the IOMMU to pass-through", "host.kernel.iommu", "passthrough", consequence="reboot"
    )
    return failure("the IOMMU translates the DMA of NICs and GPUs", "passthrough or off", found, fix)
