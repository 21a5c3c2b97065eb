"""Limits of copies inside a host, by nvbandwidth, bandwidthTest, p2pBandwidthLatencyTest and AMD's tools.

Between a GPU and its host lies the GPU's PCIe slot; between two GPUs their links, or where they have none or may not
use them, the slots of both. A copy within one GPU is limited by its memory, which the catalogue does not contain.
TransferBench copies with as few compute units as its user chooses: its pairs reach less than copy engines do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import permutations

from wirespeed.benchmarks.endpoints.nics import find_ends
from wirespeed.benchmarks.judge.borrowed_gpus import (
    NAMED_BY_BUNDLE,
    NAMED_BY_COPIES,
    BorrowedGpus,
    SlotLimit,
    find_borrowed_gpus,
)
from wirespeed.benchmarks.judge.collective_names import count_gpus, foreign_gpus, has_logged_gpus
from wirespeed.benchmarks.judge.limits import (
    REFUTED,
    Alternative,
    Fingerprints,
    Limit,
    Limits,
    RunContext,
    UnknownLimits,
)
from wirespeed.benchmarks.judge.profile import Profile, Thresholds
from wirespeed.errors import format_first
from wirespeed.limits import pcie
from wirespeed.limits.bound import GIGABYTES, in_unit, number, tightest
from wirespeed.limits.device_lending import list_lent_slots
from wirespeed.limits.gpus import find_gpu_links
from wirespeed.limits.group import Links
from wirespeed.limits.host import socket_term
from wirespeed.limits.impact import gpu_function
from wirespeed.limits.nic import build_slot
from wirespeed.limits.peer_access import STAGED
from wirespeed.plan import Plan
from wirespeed.results.benchmarks import PAIR_ARROW, Measurement, Metric, Run
from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import Bandwidth, format_unit

_MANY_GPU_TESTS = (
    "one_to_all",
    "all_to_one",
    "all_to_host",
    "host_to_all",
    "multinode",
    "bisect",
    "multicast",
    "latency",
)


@dataclass(frozen=True, slots=True)
class GpuLimits:
    """The limits of one run on a host of the plan."""

    slot: Bound | None  # of the host's own GPUs: GB/s, one direction, or both added
    borrowed: BorrowedGpus
    links: tuple[Bound, Bound | None] | None  # between two GPUs: at their peak, and as usable
    p2p: bool
    without_access: frozenset[str]  # pairs of GPUs, as labels, that cannot access each other's memory over PCIe
    socket_terms: Mapping[tuple[str, str], Term]  # links between CPU sockets, by the names of two GPUs
    peer_thresholds: Thresholds  # of peer access over PCIe
    whole: str | None  # why a test that uses many GPUs at once is not judged
    thresholds: Thresholds
    hosts: tuple[str, ...]
    copies_at_once: int = 0  # pairs with a link each that copy at the same time; 0: one after the other
    pair_thresholds: Thresholds | None = None  # of one of these pairs; None: those of the run
    slot_thresholds: Thresholds | None = None  # of copies from and to the host; None: those of the run
    pageable: bool = False  # host memory that the driver copies to a pinned buffer first
    link: Bandwidth | None = None
    reasons_above: tuple[str, ...] = ("another GPU, or another number of links, than the plan's",)
    notes: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    highest_latency: Term | None = None
    fingerprints: Fingerprints | None = None

    def minimum_latency(self, measurement: Measurement) -> Bound | None:
        """None: the latency of GPU links is not known."""
        return None

    def limit(self, measurement: Measurement) -> Limit:
        """The limit by the ends of the copy: host and GPU, or two GPUs."""
        source, arrow, target = (measurement.label or "").partition(PAIR_ARROW)
        if self.copies_at_once and measurement.label == "SUM" and self.links is not None:
            return self._limit_sum(measurement.unit, self.links)
        if self.whole is not None or not arrow:
            return Limit(skip_reason=self.whole or "one value for many copies; the parts are judged")
        if target.endswith(_ONE_WAY):
            return Limit(skip_reason="one direction of two; both directions added are judged")
        if source.startswith("CPU") and target.startswith("CPU"):
            return Limit(skip_reason="a copy between CPUs: no GPU takes part")
        if any(_DEVICE.fullmatch(end) is None for end in (source, target)):
            return Limit(skip_reason=f"the log does not identify {source} and {target}")
        if source == target:
            return Limit(skip_reason="a copy within one GPU: the catalogue does not contain its memory bandwidth")
        unit = measurement.unit
        if "CPU" in (source[:3], target[:3]):
            if self.pageable:
                return Limit(skip_reason=_PAGEABLE)
            gpus = [end for end in (source, target) if end.startswith("GPU")]
            slots = self.borrowed.find_slots(self.slot, gpus)
            if slots is None:
                return Limit(unknown="the PCIe slot of the GPU is in neither cluster file nor catalogue")
            is_borrowed = not self.borrowed.slots.keys().isdisjoint(gpus)
            thresholds = self.peer_thresholds if is_borrowed else self.slot_thresholds  # a bridge is a PCIe peer
            alternatives = self._list_alternatives(measurement, slots)
            return Limit(in_unit(slots.fastest, unit), thresholds=thresholds, alternatives=alternatives)
        if not self.p2p:
            return self._limit_staged_pair(measurement, source, target, _ACCESS_OFF)
        pair_labels = {f"{source}{PAIR_ARROW}{target}", f"{target}{PAIR_ARROW}{source}"}
        if self.links is None and pair_labels & self.without_access:
            return self._limit_staged_pair(measurement, source, target, _NO_ACCESS)
        return self._limit_pair(measurement, source, target)

    def _list_alternatives(self, measurement: Measurement, slots: SlotLimit) -> tuple[Alternative, ...]:
        """The limits of a copy if a GPU of it is in a slower slot of its lender, or a borrowed one."""
        unit = measurement.unit
        slower = [] if slots.slowest is None else [(" or ".join(slots.devices), slots.slowest, NAMED_BY_COPIES)]
        possible = [(device, bound, NAMED_BY_BUNDLE) for device, bound in self.borrowed.list_possible_slots()]
        return tuple(
            Alternative(in_unit(bound, unit), f"a GPU of the copy is {device}", action, self.peer_thresholds)
            for device, bound, action in (*slower, *possible)
            if measurement.value <= REFUTED * in_unit(bound, unit).value
        )

    def _limit_pair(self, measurement: Measurement, source: str, target: str) -> Limit:
        """Peer access between two GPUs: over their links, else over both slots and the link between CPU sockets."""
        unit = measurement.unit
        if self.links is None:
            return self._limit_pair_over_slots(measurement, source, target)
        peak, usable = self.links
        thresholds = self.pair_thresholds if self.copies_at_once else None
        return Limit(in_unit(peak, unit), in_unit(usable, unit) if usable else None, thresholds=thresholds)

    def _limit_pair_over_slots(self, measurement: Measurement, source: str, target: str) -> Limit:
        """Two GPUs peer to peer over PCIe."""
        slots = self.borrowed.find_slots(self.slot, (source, target))
        if slots is None:
            return Limit(unknown="neither links nor PCIe slots of these GPUs are known")
        is_borrowed = not self.borrowed.slots.keys().isdisjoint((source, target))
        socket = None if is_borrowed else self.socket_terms.get((source, target))
        terms = [*slots.fastest.terms, *([socket] if socket else [])]
        bound = in_unit(tightest(terms, slots.fastest.assumptions), measurement.unit)
        alternatives = self._list_alternatives(measurement, slots)
        return Limit(bound, thresholds=self.peer_thresholds, alternatives=alternatives)

    def _limit_staged_pair(self, measurement: Measurement, source: str, target: str, reason: str) -> Limit:
        """Two GPUs through host memory: the same slots, but no fraction of them that healthy hosts reach is known."""
        bound = self._limit_pair_over_slots(measurement, source, target).physical
        limit = (
            f" (at most {number(bound.value)} {format_unit(bound.unit)}, {bound.bottleneck})"
            if bound is not None
            else ""
        )
        text = f"{reason}: the copy is {STAGED}{limit}; no rate that healthy hosts reach is known for this path"
        if bound is None or measurement.value <= bound.value:
            return Limit(skip_reason=text)  # for information: the run is complete without a verdict on it
        return Limit(bound, skip_reason=text, bounded=True)

    def _limit_sum(self, unit: str, links: tuple[Bound, Bound | None]) -> Limit:
        """The rate of a link for each copy that runs at the same time."""
        peak, usable = (_multiply(bound, self.copies_at_once, unit) if bound else None for bound in links)
        return Limit(peak, usable)

    def bandwidth_bound(self, measurement: Measurement, limit: Limit) -> str | None:
        """These tools copy tens of megabytes; smaller copies that a user chooses are not judged."""
        if measurement.size_bytes is not None and measurement.size_bytes < _LARGE:
            return "small copies are limited by launch overhead"
        return None


def _multiply(bound: Bound, count: int, unit: str) -> Bound:
    """A limit of one copy for several that share nothing."""
    terms = [
        replace(term, name=f"{term.name} × {count} copies", value=term.value * count)
        for term in in_unit(bound, unit).terms
    ]
    return tightest(terms, bound.assumptions)


_DEVICE = re.compile(r"CPU\d*|GPU\d+")
_ONE_WAY = (" forward", " backward")

_ACCESS_OFF = "peer access is off"
_NO_ACCESS = "these GPUs cannot access each other's memory"
"""p2pBandwidthLatencyTest.cu: "In case a device doesn't have P2P access to other one, it falls back to normal memcopy
procedure", in the matrices with P2P=Enabled too."""

_PAGEABLE = "pageable host memory: the driver copies through a pinned buffer, which has no known limit"

_LISTED_PAIRS = 4
_LISTED_HOSTS = 3

_LARGE = 2**24
"""Bytes from which a copy of some microseconds' launch is bandwidth-bound at 64 GB/s; nvbandwidth's own default is 512
MiB (NVIDIA nvbandwidth, README)."""


def gpu_limits(run: Run, plan: Plan, profile: Profile, context: RunContext) -> Limits:
    """The limits of a run on the host that the user names with --from or --to: the tools name none.

    Without a name the limits of all hosts with the log's GPUs must be equal; then it is any one of them.

    Raises:
        Refusal: the user names no NIC of the plan.
    """
    mismatch = foreign_gpus(run, plan)
    if mismatch is not None:
        return UnknownLimits(
            f"{mismatch}: give the cluster file of the measured hosts; docs/guides/cluster-file.md describes it",
            profile,
        )
    named = [nic.host for nic in find_ends(plan, context.source, context.target)]
    by_address = find_gpu_host(run, plan) or context.host
    borrower = _find_borrower(run, plan, context)
    stated_hosts = named or [host for host in (by_address or borrower,) if host is not None]
    host_groups = [] if stated_hosts else _group_hosts_by_limits(run, plan)
    candidates = stated_hosts or (host_groups[0] if host_groups else [])
    name = next((name for name in candidates if plan.hosts[name].gpus), None)
    if name is None:
        return UnknownLimits(f"{' and '.join(named) or plan.name} has no GPUs", profile)
    if len(host_groups) > 1:
        hosts = format_first([names[0] for names in host_groups], _LISTED_HOSTS)
        return UnknownLimits(
            f"the GPUs of {hosts} differ in model, slot or socket, and the log names no host: name it with"
            " --from HOST:NIC",
            profile,
        )
    stated = (
        "named by --from or --to"
        if named
        else "by the PCIe addresses of the log"
        if by_address
        else "the only borrower with a bundle, and the log lists a GPU that no host owns"
        if borrower
        else "the log names no host; name it with --from HOST:NIC"
    )
    assumptions = [f"GPUs as those of {name}: {stated}"]
    bidirectional = _adds_both_directions(run)
    test = run.test or ""
    without_access = _list_pairs_without_access(run)
    gpu_links = find_gpu_links(plan, name)
    links = _find_link_limits(gpu_links, bidirectional, assumptions)
    own_gpus = context.own_gpus.get(name, {})
    borrowed = find_borrowed_gpus(
        plan, name, run, _list_addresses(run), own_gpus, assumptions, bidirectional=bidirectional
    )
    return GpuLimits(
        slot=_find_slot_limit(plan, name, bidirectional, assumptions),
        borrowed=borrowed,
        links=links,
        p2p=run.parameters.p2p_enabled is not False,
        without_access=frozenset(without_access),
        socket_terms=_list_socket_terms(plan, name, bidirectional),
        peer_thresholds=profile.fractions.gpu_peers or profile.fractions.rdma,
        copies_at_once=_count_copies_at_once(run) if gpu_links is not None and gpu_links.full_mesh else 0,
        pair_thresholds=profile.fractions.kernel_copies_at_once,
        slot_thresholds=_find_slot_thresholds(run, profile),
        whole="many GPUs copy at once: shown for information"
        if any(word in test for word in _MANY_GPU_TESTS)
        else None,
        thresholds=_find_thresholds(run, profile),
        hosts=(name,),
        pageable=run.parameters.host_memory == "pageable",
        notes=_note_pairs_without_access(run, without_access, has_links=links is not None),
    )


def _count_copies_at_once(run: Run) -> int:
    """The pairs of TransferBench's all-to-all, which all copy at the same time; 0 for tools that copy one by one."""
    if run.tool != "TransferBench" or run.test != "all_to_all":
        return 0
    return sum(PAIR_ARROW in (row.label or "") for row in run.measurements if row.metric is Metric.BW_AVG)


def _adds_both_directions(run: Run) -> bool:
    """Whether the values of a run are the sum of both directions.

    nvbandwidth reports one direction of two between host and GPU, as Read1, Read2, Write1 and Write2 of two GPUs, and
    between two GPUs by copy engines in releases 0.1 to 0.5; the sum, as Total, and by kernels in these releases
    (NVIDIA/nvbandwidth, testcase.h, testcases_ce.cpp and testcases_sm.cpp, releases 0.1 to 0.10).
    """
    bidirectional = bool(run.parameters.bidirectional)
    if run.tool != "nvbandwidth" or not bidirectional:
        return bidirectional
    if run.parameters.transfer_part is not None:
        return run.parameters.transfer_part == "total"
    return run.parameters.copy_engine == "SM" and not _copies_from_or_to_host(run)


def _find_slot_thresholds(run: Run, profile: Profile) -> Thresholds | None:
    """The thresholds of copies between host and GPU; None for those of the tool.

    Copies in both directions are one class for all tools that add them, whether by the time of both
    (rocm-bandwidth-test, ComputeCopyTime) or as the sum of two rates (TransferBench, Presets/PeerToPeer.hpp).
    """
    fractions = profile.fractions
    if run.parameters.bidirectional:
        return fractions.host_copies_both if _adds_both_directions(run) else fractions.host_copies_bidirectional
    if run.tool == "TransferBench":
        return None
    is_read_by_kernel = run.parameters.copy_engine == "SM" and (run.test or "").startswith("host_to_device")
    return (fractions.host_copies_kernel if is_read_by_kernel else None) or fractions.host_copies


def _copies_from_or_to_host(run: Run) -> bool:
    return any("CPU" in (measurement.label or "") for measurement in run.measurements)


def _list_pairs_without_access(run: Run) -> tuple[str, ...]:
    """The pairs of GPUs, as labels, that the log lists as without peer access."""
    pairs = run.parameters.without_p2p_access
    return tuple(pairs.split(", ")) if pairs and PAIR_ARROW in pairs else ()


def _note_pairs_without_access(run: Run, pairs: tuple[str, ...], *, has_links: bool) -> tuple[str, ...]:
    """Pairs of a matrix with peer access that do not have it: a fault of GPUs with links, over PCIe usual."""
    if not pairs or run.parameters.p2p_enabled is not True:
        return ()
    consequence = "although their GPUs have links" if has_links else "so staged in host memory and not judged"
    return (f"without peer access, {consequence}: {format_first(pairs, _LISTED_PAIRS)}",)


def _find_thresholds(run: Run, profile: Profile) -> Thresholds:
    fractions = profile.fractions
    of_engines = fractions.gpu_links or fractions.rdma
    return fractions.kernel_copies or of_engines if run.tool == "TransferBench" else of_engines


def find_gpu_host(run: Run, plan: Plan) -> str | None:
    """The only host whose GPUs have the PCIe addresses of the log; None where several may have them."""
    logged = set(_list_addresses(run))
    hosts = [name for name, host in plan.hosts.items() if logged and logged <= {gpu.pcie for gpu in host.gpus.values()}]
    return hosts[0] if len(hosts) == 1 else None


def _find_borrower(run: Run, plan: Plan, context: RunContext) -> str | None:
    """The only host with a bundle that borrows GPUs, if some of the log are of no host of the plan."""
    known_addresses = {gpu.pcie for host in plan.hosts.values() for gpu in host.gpus.values()}
    known_addresses |= {address for owners in context.own_gpus.values() for address, is_own in owners.items() if is_own}
    is_borrower = len(context.own_gpus) == 1 and not known_addresses.issuperset(_list_addresses(run))
    return next(iter(context.own_gpus)) if is_borrower else None


def _group_hosts_by_limits(run: Run, plan: Plan) -> list[list[str]]:
    """The hosts with GPUs, in lists of equal limits of copies; only those with the log's model and number, if any."""
    hosts = [name for name, host in plan.hosts.items() if host.gpus]
    of_model = [name for name in hosts if has_logged_gpus(run, plan, name)] or hosts
    count = count_gpus(run)
    of_number = [name for name in of_model if len(plan.hosts[name].gpus) + len(list_lent_slots(plan, name)) >= count]
    has_peers = run.parameters.p2p_enabled is not False and any(
        re.match(rf"GPU\d+{PAIR_ARROW}GPU", row.label or "") for row in run.measurements
    )
    groups: dict[object, list[str]] = {}
    for name in of_number or of_model:
        gpus = plan.hosts[name].gpus
        slots = tuple((gpu.model, build_slot(gpu_function(plan, name, index), [])) for index, gpu in gpus.items())
        sockets = tuple(_list_socket_terms(plan, name, bidirectional=False).items()) if has_peers else ()
        groups.setdefault((slots, sockets), []).append(name)
    return list(groups.values())


def _list_addresses(run: Run) -> list[str]:
    return [_complete_address(address) for address in (run.parameters.gpu_addresses or "").split(", ") if address]


def _complete_address(address: str) -> str:
    """``0000:1b:00.0`` for ``1b:0.0``, as rocm-bandwidth-test prints it."""
    *domain, bus, function = address.split(":")
    device, _, number = function.partition(".")
    return f"{domain[0] if domain else '0000'}:{bus}:{device.zfill(2)}.{number}"


def _list_socket_terms(plan: Plan, host: str, bidirectional: bool) -> dict[tuple[str, str], Term]:
    """The link between CPU sockets for each two GPUs at different ones, in GB/s, where the catalogue contains it."""
    terms = {}
    for (source, first), (target, second) in permutations(plan.hosts[host].gpus.items(), 2):
        term = socket_term(plan, host, first.pcie, second.pcie, bidirectional=bidirectional)
        if term is not None:
            terms[source, target] = in_unit(tightest([term]), GIGABYTES).terms[0]
    return terms


def _find_slot_limit(plan: Plan, host: str, bidirectional: bool, assumptions: list[str]) -> Bound | None:
    """The narrowest PCIe slot of the host's GPUs: the tools number GPUs as the driver does."""
    slots = [build_slot(gpu_function(plan, host, gpu), assumptions) for gpu in plan.hosts[host].gpus]
    slots_with_data = [slot for slot in slots if slot is not None]
    if not slots_with_data or len(slots_with_data) < len(slots):
        return None
    pcie_limit = pcie.two_way if bidirectional else pcie.one_way
    terms = [
        in_unit(tightest([pcie_limit(slot, "PCIe slot of the GPU")]), GIGABYTES).terms[0] for slot in slots_with_data
    ]
    return tightest([min(terms, key=lambda term: term.value)], assumptions)


def _find_link_limits(
    links: Links | None, bidirectional: bool, assumptions: list[str]
) -> tuple[Bound, Bound | None] | None:
    if links is None:
        return None
    count, directions = links.count_links(2), 2 if bidirectional else 1
    times = f"{'2 × ' if bidirectional else ''}{count} × "

    def bound(rate: float, label: str) -> Bound:
        formula = f"{times}{number(rate)} GB/s {label} {links.name}"
        return tightest(
            [Term(f"{links.name} links", directions * count * rate, GIGABYTES, formula, links.source)], assumptions
        )

    return bound(links.peak, "peak"), bound(links.usable, "usable") if links.usable is not None else None
