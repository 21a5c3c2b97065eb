"""Boot service that disables ACS

A service disables PCIe Access Control Services (ACS) at every boot.

Impact:
    Firmware and kernel enable ACS again at each boot. Without the service the cluster is fast until the first reboot;
    after it GPU traffic is slow, without any log message.

Fix:
    Install and enable the rendered unit, or disable ACS in the BIOS if it has the option.

Example:
    $ systemctl is-enabled wirespeed-acs.service
    disabled

Source:
    Broadcom 957608-AN210, 2.3 and appendix D
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.acs_service",)
failures = ("PCI-01",)
check = compare(
    "host.acs_service",
    wrong="ACS is enabled again at the next boot",
    fix="enable the service that disables ACS at boot",
    labels={True: "enabled", False: "not enabled"},
)
