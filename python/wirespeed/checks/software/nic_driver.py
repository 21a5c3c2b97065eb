"""Loaded driver of the NIC

The loaded driver of the NIC is that of the planned release; an installed but not loaded driver has no effect.

Impact:
    After an installation the old driver runs until the reboot, and also after it if the boot image still contains it.
    If modules were not compiled for a new kernel, or not signed although Secure Boot requires it, the driver of the
    kernel is loaded instead.

Fix:
    Rebuild the boot image and reboot. Then check that dkms compiled the modules for the running kernel.

Example:
    $ ethtool -i ens10f0np0 | head -2
    driver: mlx5_core
    version: 6.8.0-111-generic

Source:
    NVIDIA DOCA, DOCA-Host Installation and DKMS Management Guide 3.3; Broadcom 957608-AN210, appendix A
"""

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, find_release, is_of_version

subject = Nic
needs = ("nic.driver.version",)
failures = ("NIC-04", "OS-12")


def check(context: CheckContext) -> Outcome:
    """The plan may contain the beginning of a version only.

    Broadcom's out-of-box driver has a prefix before its release: 1.10.3-231.0.162.0, as its source archive. The driver
    of the kernel reports the kernel's version.
    """
    intended, found = context.get_intended_value("nic.driver.version"), context.get_found_value("nic.driver.version")
    if is_of_version(found, intended) or is_of_version(find_release(found), find_release(intended)):
        return success(intended, found)
    fix = Fix("run the rendered software-install.sh, then rebuild the boot image", consequence="reboot")
    return failure("another driver of the NIC is loaded", intended, found, fix)
