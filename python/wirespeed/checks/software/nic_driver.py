"""Loaded driver of the NIC

The loaded driver of the NIC is that of the planned release, or without a planned release that of the driver package
that is installed for the running kernel: an installed but not loaded driver has no effect.

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

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, UnreadError, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic, Place, find_release, is_of_version

subject = Nic
needs = ("nic.driver.version", "package.version", "package.installed")
failures = ("NIC-04", "OS-12")


def check(context: CheckContext) -> Outcome:
    """The plan may contain the beginning of a version only.

    Broadcom's out-of-box driver has a prefix before its release: 1.10.3-231.0.162.0, as its source archive. The driver
    of the kernel reports the kernel's version.
    """
    try:
        expected = context.get_intended_value("nic.driver.version")
        found, summary = context.get_found_value("nic.driver.version"), "another driver of the NIC is loaded"
    except NoIntentError:
        versions = _find_installed_and_loaded(context)
        if versions is None:
            raise
        (expected, found), summary = versions, "the installed driver of the NIC is not loaded"
    if is_of_version(found, expected) or is_of_version(find_release(found), find_release(expected)):
        return success(expected, found)
    fix = Fix("run the rendered software-install.sh, then rebuild the boot image", consequence="reboot")
    return failure(summary, expected, found, fix)


def _find_installed_and_loaded(context: CheckContext) -> tuple[str, str] | None:
    """The versions of the planned package with the NIC's driver, if it is installed, and of the loaded driver.

    None where one of them was not read: neither is planned.
    """
    host, driver = Place(context.place.device), context.entity.driver.name
    releases = context.plan.hardware.drivers.values()
    for name in context.plan.hosts[host.device].packages:
        place = host.child("package", name)
        packages = [release.packages[name] for release in releases if name in release.packages]
        if not any(driver in package.modules for package in packages):
            continue
        try:
            if context.get_found_value("package.installed", place):
                version = context.get_found_value("package.version", place)
                return version, context.get_found_value("nic.driver.version")
        except UnreadError:
            continue
    return None
