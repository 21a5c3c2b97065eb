"""RDMA devices of a job

The launch environment names the planned RDMA devices, in rail order.

Why it hurts:
    Rails that are not named carry nothing: with one of eight a job runs at an eighth. A management NIC in the list
    takes the job with it.

How to fix:
    Set the list of the launch environment.

Example:
    NCCL_IB_HCA=bnxt_re0:1,bnxt_re1:1

Source:
    Broadcom 957608-AN210, 8.7
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.launch.rdma_devices",)
failures = ("NCCL-02",)
check = compare(
    *needs,
    wrong="jobs use other RDMA devices",
    fix="set the list of RDMA devices in the launch environment",
)
