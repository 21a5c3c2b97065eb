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

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.launch import ENVIRONMENT_FIX
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.checks.wording import format_list
from wirespeed.results.findings import Status
from wirespeed.settings import Host

subject = Host
needs = ("host.launch.rdma_devices",)
failures = ("NCCL-02",)
_compare = compare(
    *needs,
    wrong="the RDMA devices of jobs are not as planned",
    fix="set the list of RDMA devices in the launch environment",
    override=ENVIRONMENT_FIX,
)


def check(context: CheckContext) -> Outcome:
    """A planned NIC that jobs must leave out is named."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL:
        return outcome
    devices = context.get_found_value(needs[0])
    surplus = set(devices) - set(context.get_intended_value(needs[0]))
    left_out = sorted(surplus & {nic.rdma_device for nic in context.entity.nics.values()})
    if not left_out:
        return outcome
    return replace(outcome, summary=f"jobs use {format_list(left_out)}, which the plan leaves out of jobs")
