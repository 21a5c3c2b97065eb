"""PCIe device lending: whether a device can be lent, and the settings of the bridges between the hosts.

A borrower sees a device through the prefetchable memory of its bridge. Each memory BAR of a device lies there at an
address that is a multiple of its size, a power of two (PCI Express Base Specification 5.0, section 7.5.1.2.1), and all
of them must be smaller together than that memory (Dolphin's SmartIO manual, quoted in Johansen, Fast Multi-GPU
communication over PCI Express, section 3.2.6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import NicModel, NtbAbility, ServerModel
from wirespeed.cluster import Cluster, HostSpec, LoanPart
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.plan.model import ComputedValue
from wirespeed.plan.problems import Problems
from wirespeed.settings import Loan, Ntb, bdf
from wirespeed.units import Size


@dataclass(frozen=True, slots=True)
class LendingHost:
    """A host with a bridge, and its catalogue data."""

    name: str
    spec: HostSpec
    server: ServerModel
    nic: NicModel
    ability: NtbAbility
    node_id: int

    @property
    def numa_node(self) -> int | None:
        """The NUMA node of the bridge."""
        return self.server.nic_numa_node(1)

    @property
    def devices(self) -> Mapping[str, int | None]:
        """The devices that the host can lend, by name, with their NUMA node."""
        return {f"GPU{index}": self.server.gpu_numa_node(index) for index in range(self.server.gpu_count)}


@dataclass(frozen=True, slots=True)
class LendingPlan:
    """The bridges and loans of each host, and the formulas of the sizes."""

    ntbs: Mapping[str, Mapping[str, Ntb]]
    loans: Mapping[str, Mapping[str, Loan]]
    computed: tuple[ComputedValue, ...]


def list_pairs(cluster: Cluster) -> list[tuple[str, str]]:
    """The hosts that cables connect back to back: the first and the second, the third and the fourth."""
    names = list(cluster.hosts)
    return list(zip(names[::2], names[1::2], strict=True))


def compute_packed_size(sizes: Iterable[int]) -> int:
    """The smallest memory for BARs of these sizes, each at a multiple of its size: the largest first, no gaps."""
    end = 0
    for size in sorted(sizes, reverse=True):
        end = -(-end // size) * size + size
    return end


def compute_least_prefetch(sizes: Sequence[int], minimum: int) -> Size:
    """The smallest power of two above the size of the BARs, but not below the smallest that a bridge accepts."""
    need, size = compute_packed_size(sizes), minimum
    while size <= need:
        size *= 2
    return Size(size)


def plan_lending(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> LendingPlan:
    """The bridges and loans of each host."""
    lending_hosts = _find_lending_hosts(cluster, catalogue, problems)
    bars_by_borrower: dict[str, list[Size]] = {}
    loans: dict[str, dict[str, Loan]] = {name: {} for name in cluster.hosts}
    partner_by_host = {end: partner for a, b in list_pairs(cluster) for end, partner in ((a, b), (b, a))}
    index_by_device: dict[tuple[str, str], int] = {}
    for index, part in enumerate(cluster.lending):
        path = ("lending", index)
        lender, borrower = (_find_end(cluster, lending_hosts, path, key, getattr(part, key), problems) for key in _ENDS)
        if lender is None or borrower is None or not _can_be_lent(part, path, lender, borrower, problems):
            continue
        if partner_by_host[part.lender] != part.borrower:
            problems.refuse(
                (*path, "borrower"),
                f"{part.borrower}, which no cable connects with {part.lender}",
                f"{partner_by_host[part.lender]}, the other host of its pair",
                "wirespeed plans no PCIe switch between hosts; see docs/concepts/scope.md",
            )
            continue
        if (part.lender, part.device) in index_by_device:
            problems.refuse((*path, "device"), f"{part.device} of {part.lender} lent twice", "one borrower at a time")
            continue
        index_by_device[part.lender, part.device] = index
        is_gpu = part.device in lender.devices
        bars = _list_bars(part, path, lender, catalogue, problems)
        if not bars:
            continue
        address = bdf(part.pcie)
        number = device_number(lender.node_id, address)
        if number in loans[lender.name]:
            problems.refuse(
                (*path, "pcie"),
                f"{address}, the address of another loan of {part.lender}",
                "one address per device",
            )
            continue
        loans[lender.name][number] = Loan(False, address, borrower.node_id, part.window, True, gpu=is_gpu)
        loans[borrower.name][number] = Loan(True, address, lender.node_id, part.window, True, gpu=is_gpu)
        bars_by_borrower.setdefault(borrower.name, []).extend(bars)
    ntbs, computed_values = _plan_bridges(lending_hosts, partner_by_host, bars_by_borrower, problems)
    return LendingPlan(ntbs, loans, computed_values)


def device_number(node_id: int, address: str) -> str:
    """SmartIO's number of a device: node ID of the host, bus, device and function, in hexadecimal digits.

    As in Johansen, Fast Multi-GPU communication over PCI Express, section 3.2.6: 04:00.0 of host 8 is 80400.
    """
    _, bus, device_function = address.split(":")
    device, _, function = device_function.partition(".")
    return f"{node_id:x}{bus}{int(device, 16) << 3 | int(function):02x}"


_ENDS = ("lender", "borrower")

_OTHER_DEVICE = (
    "for another device, such as an NVMe drive, write its `bars` and `numa_node` as lspci -vv prints them; the BARs "
    "decide the prefetch of the bridge"
)


def _find_lending_hosts(cluster: Cluster, catalogue: Catalogue, problems: Problems) -> dict[str, LendingHost]:
    lending_hosts: dict[str, LendingHost] = {}
    numbers: dict[int, str] = {}
    for name, spec in cluster.hosts.items():
        part, server, nic = spec.part.ntb, catalogue.servers.get(spec.model), catalogue.nics.get(spec.nics.model)
        if part is None or server is None or nic is None:
            continue
        if nic.ntb is None:
            problems.refuse(
                (*spec.path, "ntb"),
                f"{spec.nics.model}, which is no non-transparent bridge",
                "a non-transparent bridge",
            )
            continue
        if part.node_id in numbers:
            problems.refuse(
                (*spec.path, "ntb", "node_id"),
                f"the number {part.node_id}, which {numbers[part.node_id]} has too",
                "a number for each host",
            )
            continue
        numbers[part.node_id] = name
        lending_hosts[name] = LendingHost(name, spec, server, nic, nic.ntb, part.node_id)
    return lending_hosts


def _find_end(
    cluster: Cluster,
    lending_hosts: Mapping[str, LendingHost],
    path: tuple[str | int, ...],
    key: str,
    name: str,
    problems: Problems,
) -> LendingHost | None:
    if name not in cluster.hosts:
        problems.refuse(
            (*path, key), f"the host {name!r}", "a host of this file", did_you_mean(name, list(cluster.hosts))
        )
    elif name not in lending_hosts:
        problems.refuse((*path, key), f"{name}, which has no 'ntb'", "ntb: {node_id: …} and a non-transparent bridge")
    return lending_hosts.get(name)


def _can_be_lent(
    part: LoanPart, path: tuple[str | int, ...], lender: LendingHost, borrower: LendingHost, problems: Problems
) -> bool:
    """Refuse loans that SmartIO does not support; source: Johansen, Fast Multi-GPU communication over PCI Express,
    section 3.1."""
    if lender is borrower:
        problems.refuse((*path, "borrower"), f"{part.lender} on both sides", "two different hosts")
        return False
    described = {"bars": bool(part.bars), "numa_node": part.numa_node is not None}
    if part.device in lender.devices:
        for key in (key for key, is_given in described.items() if is_given):
            problems.refuse(
                (*path, key),
                f"{key} of {part.device} of {part.lender}",
                f"no {key}: the server model and its GPU in the catalogue contain it",
            )
            return False
    elif not all(described.values()):
        devices = list(lender.devices)
        missing = " and ".join(key for key, is_given in described.items() if not is_given)
        problems.refuse(
            (*path, "device"),
            f"the device {part.device!r} of {part.lender} without {missing}",
            f"{format_choices(devices)}, or a device with both" if devices else "bars and numa_node of the device",
            did_you_mean(part.device, devices) or _OTHER_DEVICE,
        )
        return False
    numa_node = lender.devices.get(part.device, part.numa_node)
    if numa_node == lender.numa_node:
        return True
    devices = [name for name, node in lender.devices.items() if node == lender.numa_node]
    problems.refuse(
        (*path, "device"),
        f"{part.device} of {part.lender} on NUMA node {numa_node}, and its bridge on node {lender.numa_node}",
        "a device on the bridge's own NUMA node: SmartIO does not lend across the link between processors",
        f"move one of the two cards{f', or lend {devices[0]}' if devices else ''}",
    )
    return False


def _list_bars(
    part: LoanPart, path: tuple[str | int, ...], lender: LendingHost, catalogue: Catalogue, problems: Problems
) -> list[Size]:
    """The memory BARs of a device, of the catalogue or of the cluster file. Empty if they are refused."""
    if part.device not in lender.devices:
        if all(size and not size & (size - 1) for size in part.bars):
            return list(part.bars)
        texts = ", ".join(map(str, part.bars))
        problems.refuse((*path, "bars"), f"BARs of {texts}", "sizes that are powers of two")
        return []
    gpu = catalogue.gpus.get(lender.server.gpu or "")
    bars = gpu.bars.value if gpu and gpu.bars else []
    if bars and not any(size & (size - 1) for size in bars):
        return [Size(size) for size in bars]
    problems.refuse(
        (*path, "device"),
        f"{part.device} of {part.lender}, a {lender.server.gpu} whose memory BARs are not known",
        "a device whose BARs are in the catalogue, each a power of two",
        "read them with lspci -vv and write them under bars: of a GPU in hardware.gpus",
    )
    return []


def _plan_bridges(
    lending_hosts: Mapping[str, LendingHost],
    partner_by_host: Mapping[str, str],
    bars_by_borrower: Mapping[str, Sequence[Size]],
    problems: Problems,
) -> tuple[dict[str, dict[str, Ntb]], tuple[ComputedValue, ...]]:
    ntbs: dict[str, dict[str, Ntb]] = {}
    computed_values: list[ComputedValue] = []
    for name, host in lending_hosts.items():
        part, sizes = host.spec.part.ntb, bars_by_borrower.get(name, ())
        assert part is not None
        minimum = compute_least_prefetch(sizes, host.ability.minimum.value) if sizes else host.ability.prefetch.value
        path = (*host.spec.path, "ntb", "prefetch")
        prefetch = part.prefetch or max(minimum, host.ability.prefetch.value)
        if prefetch & (prefetch - 1) or not host.ability.minimum.value <= prefetch <= host.ability.maximum.value:
            problems.refuse(
                path,
                f"prefetchable memory of {prefetch}",
                f"a power of two from {host.ability.minimum.value} to {host.ability.maximum.value}",
            )
        elif sizes and prefetch < minimum:
            needed = Size(compute_packed_size(sizes))
            problems.refuse(
                path,
                f"prefetchable memory of {prefetch} for {needed} of BARs: {_format_sum(sizes)}",
                f"at least {minimum}: more than the BARs need, and a power of two",
                f"prefetch: {minimum}; above 256 MiB the BIOS must decode above 4G",
            )
        pair = [member for member in (name, partner_by_host[name]) if member in lending_hosts]
        members = tuple(sorted(pair, key=lambda member: lending_hosts[member].node_id))
        ntbs[name] = {"1": Ntb(part.node_id, prefetch, members)}
        if sizes:
            computed_values.append(
                ComputedValue(
                    f"{name} smallest prefetch",
                    str(minimum),
                    explain_least_prefetch(sizes, minimum, host.ability.minimum.value),
                    "PCI Express Base Specification 5.0, 7.5.1.2.1; Dolphin SmartIO manual",
                )
            )
    return ntbs, tuple(computed_values)


def explain_least_prefetch(sizes: Sequence[Size], prefetch: Size, smallest: Size) -> str:
    """Why this is the smallest size: the BARs need it, or the bridge takes none that is smaller."""
    needed = str(Size(compute_packed_size(sizes)))
    if len(sizes) > 1:
        needed = f"{_format_sum(sizes)} = {needed}, each BAR aligned to its size"
    if prefetch == smallest:
        return f"smallest size of the bridge; BARs: {needed}"
    return f"smallest power of two above {needed}"


def _format_sum(sizes: Sequence[Size]) -> str:
    return " + ".join(str(size) for size in sorted(sizes, reverse=True))
