"""Driver packages

The planned driver packages are built for the running kernel and installed, in the planned version.

Impact:
    Without them the kernel loads its in-tree driver, which is older and may support neither the NIC nor GPU memory.

Fix:
    Run software-install.sh; after a kernel update, check that the modules were built for the new kernel.

Example:
    $ dkms status
    netxtreme-peer-mem/234.0.154.0, 5.15.0-102-generic, x86_64: installed

Source:
    Broadcom 957608-AN210, 2.2.2
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Package

subject = Package
needs = ("package.installed", "package.version", "host.packages")
failures = ("NIC-04", "OS-12")
presence = True
check = compare(
    "package.installed",
    "package.version",
    wrong="the driver package is not as planned",
    labels={True: "for the running kernel", False: "not for the running kernel"},
    fix="run software-install.sh",
    consequence="reboot",
    by_hand=True,
)
