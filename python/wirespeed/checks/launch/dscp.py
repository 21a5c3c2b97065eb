"""DSCP of a job

The launch environment asks for the DSCP of the lossless class.

Why it hurts:
    The DSCP comes from the queue pair, not from the port: a job that asks for none, or another, runs in the default
    class of every NIC and switch, whatever they are configured for.

How to fix:
    Set the traffic class of the launch environment: the ToS byte, four times the DSCP.

Example:
    NCCL_IB_TC=0

Source:
    Broadcom 957608-AN210, 2.5; https://github.com/NVIDIA/nccl/issues/426
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

over = Host
needs = ("host.launch.dscp",)
failures = ("QOS-01",)
check = compare(
    *needs,
    wrong="jobs ask for another DSCP",
    fix="set the traffic class of the launch environment",
)
