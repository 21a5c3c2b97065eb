"""RDMA devices of MPI below collectives

Where hosts differ in the NICs of jobs, a file of each host lists them for the MPI that starts the collectives.

Impact:
    NCCL and RCCL leave the excluded NIC out, and UCX of MPI opens it: a job hangs or ends at its start because of a NIC
    that was taken out of jobs.

Fix:
    Install the rendered /etc/ucx/ucx.conf.

Example:
    UCX_NET_DEVICES=bnxt_re0:1,bnxt_re2:1

Source:
    UCX source, the configuration tables of src/uct/ib: UCX_NET_DEVICES; Broadcom 957608-AN210, 8.7.3.4
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.mpi_devices",)
failures = ("MPI-03",)
check = compare(
    *needs,
    wrong="MPI below the collectives has other RDMA devices than planned",
    fix="install the rendered configuration file of the MPI library",
    by_hand=True,
)
