"""Service that switches ACS off at every boot

The host switches PCIe Access Control Services off each time it boots.

Why it hurts:
    Firmware and kernel switch ACS on again at each boot. Without the service the cluster is fast until the first
    reboot, and then GPU traffic is slow with nothing said anywhere.

How to fix:
    Install and enable the rendered unit, or switch ACS off in the BIOS where it has the option.

Example:
    $ systemctl is-enabled wirespeed-acs.service
    disabled

Source:
    Broadcom 957608-AN210, 2.3 and appendix D
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.acs_service",)
failures = ("PCI-01",)
check = compare(
    "host.acs_service",
    wrong="ACS comes back at the next boot",
    fix="enable the service that switches ACS off at boot",
    says={True: "enabled", False: "not enabled"},
)
