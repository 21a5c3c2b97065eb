"""Limits of scibench2 and dma_bench: the PCIe slots of the bridges at both ends.

Both programs write in packets of 64 bytes: stores leave a processor as write-combined cache lines (Intel 64 and IA-32
Architectures Software Developer's Manual, volume 3, memory cache control); between two PXH810 the average payload was
64 bytes although they support 256 (Johansen, Fast Multi-GPU communication over PCI Express, section 4.3.4), and
dma_bench between two of them reaches 5.73 GB/s (github.com/multiib/beegfs-thesis), as packets of 64 bytes on gen3 x8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from wirespeed.benchmarks.endpoints.nics import NicPlace, find_ends, list_nics, nic_slot
from wirespeed.benchmarks.judge.limits import Fingerprints, Limit, Limits, RunContext, UnknownLimits
from wirespeed.benchmarks.judge.profile import Profile, Thresholds
from wirespeed.limits import pcie
from wirespeed.limits.bound import in_unit, tightest
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import Bandwidth

_PAYLOAD = 64

_PLATEAU = {"scibench2": 4096, "dma_bench": 1 << 18}
"""Bytes from which each program is within 4 % of its peak between two PXH810 (github.com/multiib/beegfs-thesis)."""


@dataclass(frozen=True, slots=True)
class BridgeLimits:
    """The limits of one run. Its highest bandwidth is judged: smaller sizes wait for the set-up of each transfer."""

    physical: Bound
    reachable: Bound
    peak: Measurement | None
    skip_reason: str | None  # why the peak is not judged
    thresholds: Thresholds
    hosts: tuple[str, ...]
    reasons_above: tuple[str, ...] = ("another slot than the plan's", "packets of more than 64 bytes")
    notes: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    highest_latency: Term | None = None
    fingerprints: Fingerprints | None = None
    link: Bandwidth | None = None

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """None: a store is posted, and its time is that of the processor alone."""
        return None

    def limit(self, measurement: Measurement) -> Limit:
        """Both limits in the unit of the measurement."""
        skip_reason = self.skip_reason if measurement is self.peak else "lower than the peak"
        unit = measurement.unit
        return Limit(in_unit(self.physical, unit), in_unit(self.reachable, unit), skip_reason, bounded=True)

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """The peak is at a large size."""
        return None


def bridge_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a run between two bridges of the plan.

    Raises:
        Refusal: the user names no NIC of the plan.
    """
    assumptions: list[str] = []
    ends = find_ends(plan, context.source, context.target) or _find_bridges(run, plan, assumptions)
    slots = [slot for end in ends if (slot := nic_slot(plan, end, assumptions)) is not None]
    if not slots or len(slots) < len(ends):
        return UnknownLimits(f"no host of {plan.name} has a PCIe bridge whose slot is known", profile)
    physical = min((pcie.one_way(slot, "PCIe slot of the bridge") for slot in slots), key=lambda term: term.value)
    packet_slots = [replace(slot, max_payload=min(slot.max_payload, _PAYLOAD)) for slot in slots]
    reachable = min(
        (pcie.one_way(slot, "PCIe slot of the bridge") for slot in packet_slots), key=lambda term: term.value
    )
    bandwidths = [measurement for measurement in run.measurements if measurement.metric is Metric.BW_AVG]
    peak = max(bandwidths, key=lambda measurement: measurement.value, default=None)
    is_short = peak is not None and (peak.size_bytes or 0) < _PLATEAU[run.tool]
    return BridgeLimits(
        physical=tightest([physical], assumptions),
        reachable=tightest([reachable], [*assumptions, f"packets of {_PAYLOAD} data bytes, as PXH810 sends"]),
        peak=peak,
        skip_reason=f"the sizes end before {_PLATEAU[run.tool]:,} bytes, where the plateau begins"
        if is_short
        else None,
        thresholds=profile.fractions.gpu_peers or profile.fractions.rdma,
        hosts=tuple(dict.fromkeys(end.host for end in ends)),
    )


def _find_bridges(run: Run, plan: Plan, assumptions: list[str]) -> list[NicPlace]:
    """The bridges with the node IDs of the log, else all of the plan."""
    bridges = [nic for nic in list_nics(plan) if (model := plan.hardware.nics.get(nic.nic.model or "")) and model.ntb]
    nodes = {run.parameters.local_node, run.parameters.remote_node} - {None}
    logged = [
        nic for nic in bridges if any(ntb.node_id in nodes for ntb in plan.hosts[nic.host].ntbs.values()) and nodes
    ]
    if logged:
        return logged
    if bridges:
        assumptions.append(f"the bridges are those of {', '.join(nic.host for nic in bridges)}")
    return bridges
