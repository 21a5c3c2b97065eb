"""Program that sets the traffic classes of the NIC

The program that the NIC's RoCE configuration package calls to set PFC, ETS and DSCP is installed.

Impact:
    bnxt_setupcc.sh ends without setting anything if the program that bnxt_re.conf names is missing: RDMA runs in the
    default class, without PFC.

Fix:
    Install iproute2 5.11 or later, which contains dcb, or niccli of the NIC's driver release.

Example:
    $ bnxt_setupcc.sh -d bnxt_re0 -i ens1f0np0 -m 3 -s 26 -p 48 -r 3 -c 7 -u 4
    dcb is not installed.  Aborting.

Source:
    Broadcom, bnxt_setupcc.sh 236.1.155.0, option -u
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.qos_tools",)
failures = ("NIC-01", "QOS-01")
check = compare(
    *needs,
    wrong="the program that sets the traffic classes of the NIC is missing",
    fix="install the expected program: dcb is in iproute2 from 5.11 on, niccli comes with the NIC's driver",
    by_hand=True,
)
