"""RDMA devices of a job

The launch environment lists the planned RDMA devices in rail order.

Impact:
    Rails that are not listed carry no traffic: with one of eight rails a job has an eighth of the bandwidth. A
    management NIC in the list slows the whole job or makes it fail.

Fix:
    Set the list of the launch environment.

Example:
    NCCL_IB_HCA=bnxt_re0:1,bnxt_re1:1

Source:
    Broadcom 957608-AN210, 8.7
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.rdma_devices",)
failures = ("NCCL-02",)
check = compare(
    *needs,
    wrong="the RDMA devices of jobs are not as planned",
    fix="set the list of RDMA devices in the launch environment",
    override=ENVIRONMENT_FIX,
)
