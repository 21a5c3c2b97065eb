"""Firmware of the NIC

The NIC runs the firmware release of the cluster file.

Impact:
    Driver and firmware of different releases are not tested together. Options and congestion control differ between
    releases, and one host with another release slows the whole job.

Fix:
    Flash the planned firmware and reboot.

Example:
    $ ethtool -i ens10f0np0 | grep firmware-version
    firmware-version: 236.1.173.0/pkg 236.1.173.0

Source:
    Broadcom 957608-AN210, 2.2.1.2 and 2.2.3.2
"""

import re

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.results.findings import Fix
from wirespeed.settings import Nic
from wirespeed.settings.software import Action

subject = Nic
needs = ("nic.driver.firmware",)
failures = ("NIC-04",)


def check(context: CheckContext) -> Outcome:
    """Drivers print further versions too, such as that of the firmware package."""
    intended: str = context.get_intended_value("nic.driver.firmware")
    found: str = context.get_found_value("nic.driver.firmware")
    if intended in re.split(r"[ /]+", found):
        return success(intended, found)
    return failure(
        "the NIC runs another firmware",
        intended,
        found,
        _build_fix(context, intended),
    )


def _build_fix(context: CheckContext, version: str) -> Fix:
    """The rendered installation flashes only firmware whose file name is known."""
    steps = context.plan.hosts[context.place.device].steps.values()
    if any(step.action is Action.FIRMWARE for step in steps):
        return Fix("run the rendered software-install.sh, which flashes it", consequence="reboot")
    return Fix(f"flash firmware {version} with the vendor's tool; no rendered script does it", consequence="reboot")
