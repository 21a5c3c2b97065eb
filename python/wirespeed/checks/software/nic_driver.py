"""Driver of the NIC in effect

The loaded driver of the NIC is the one of the planned release, not only installed.

Why it hurts:
    After an installation the old driver runs until the reboot; where the boot image still holds it, it runs after that
    too. Modules that were not compiled for a new kernel, or not signed where Secure Boot asks for it, leave the
    kernel's own driver.

How to fix:
    Make the boot image again and reboot; then see whether dkms compiled the modules for the running kernel.

Example:
    $ ethtool -i ens10f0np0 | head -2
    driver: mlx5_core
    version: 6.8.0-111-generic

Source:
    NVIDIA DOCA, DOCA-Host Installation and DKMS Management Guide 3.3; Broadcom 957608-AN210, appendix A
"""

from wirespeed.checks.model import Here, Outcome, failed, passed
from wirespeed.checks.words import is_of_version
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic

over = Nic
needs = ("nic.driver.version",)
failures = ("NIC-04", "OS-12")


def check(here: Here) -> Outcome:
    """The plan may name the beginning of a version."""
    intended, found = here.intended("nic.driver.version"), here.found("nic.driver.version")
    if is_of_version(found, intended):
        return passed(intended, found)
    fix = Fix("run software-install.sh, make the boot image again, and reboot", consequence="reboot")
    return failed("another driver of the NIC is loaded", intended, found, fix)
