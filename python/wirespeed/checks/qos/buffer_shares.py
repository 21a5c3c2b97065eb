"""Shares of the switch's packet buffer

Lossless traffic and its headroom have at least the planned shares of the packet buffer, and the other partitions and
the dynamic threshold are as planned.

Impact:
    Packets that arrive after a pause was sent need headroom. With a smaller headroom, or a smaller lossless partition,
    packets of the lossless class are dropped although PFC is on. Another division of the rest changes how early queues
    are marked, paused or dropped.

Fix:
    Set the buffer partitions of the switch.

Example:
    shared-buffer ingress buffer-partition lossless-headroom percent 2

Source:
    Broadcom 957608-AN210, 2.5.3; Juniper documentation, shared-buffer and buffer-partition
"""

from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.results.findings import Status
from wirespeed.settings import Switch, get

subject = Switch
_LOSSLESS = (
    "switch.buffers.lossless_share",
    "switch.buffers.headroom_share",
    "switch.buffers.egress_lossless_share",
)
needs = (
    *_LOSSLESS,
    "switch.buffers.lossy_share",
    "switch.buffers.egress_lossy_share",
    "switch.buffers.dedicated_ingress",
    "switch.buffers.dedicated_egress",
    "switch.buffers.dynamic_threshold",
)
failures = ("SW-04",)
_compare = compare(
    *needs, wrong="the packet buffer is divided otherwise than planned", fix="set the buffer partitions of the switch"
)


_NO_SMALLER = "no share of lossless traffic is smaller"
_DEFAULT = "the cluster file does not set the division; published configurations of this switch OS divide differently"


def check(context: CheckContext) -> Outcome:
    """A smaller share of lossless traffic than the cluster file sets fails; every other difference warns."""
    outcome = _compare(context)
    if outcome.status is not Status.FAIL:
        return outcome
    smaller = [
        path
        for _, path, reading in context.used
        if path in outcome.differences and path in _LOSSLESS and reading.value < get(context.entity, path)
    ]
    if any(not _is_default(context, path) for path in smaller):
        return outcome
    return replace(outcome, status=Status.WARN, warning_reasons=(_DEFAULT if smaller else _NO_SMALLER,))


def _is_default(context: CheckContext, path: str) -> bool:
    """Whether the planned share is that of the data of the switch OS."""
    system = context.plan.hardware.switch_systems.get(context.entity.os or "")
    default = getattr(system.buffers, path.rpartition(".")[2]) if system is not None and system.buffers else None
    return default is not None and default.value == get(context.entity, path)
