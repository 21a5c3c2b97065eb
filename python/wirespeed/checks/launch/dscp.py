"""DSCP of a job

The launch environment sets the DSCP of the lossless class.

Impact:
    The DSCP is set per queue pair, not per port. A job that sets none, or another one, runs in the default class of
    every NIC and switch, whatever their configuration.

Fix:
    Set the traffic class of the launch environment: the ToS byte, four times the DSCP.

Example:
    NCCL_IB_TC=0

Source:
    Broadcom 957608-AN210, 2.5; https://github.com/NVIDIA/nccl/issues/426
"""

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.dscp",)
failures = ("QOS-01",)
check = compare(
    *needs,
    wrong="jobs use another DSCP",
    fix="set the traffic class of the launch environment",
    override=ENVIRONMENT_FIX,
)
