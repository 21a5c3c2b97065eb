"""RDMA devices, their ports, GID tables and libraries."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping

from wirespeed.facts import COMPLETE, Observation
from wirespeed.platforms.model import Output, Outputs
from wirespeed.platforms.output_values import number_lines, observe, parse_json_objects, parse_whole
from wirespeed.settings import Place

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}")
_MTU = re.compile(r"\s*active_mtu:\s*([0-9]{1,6}) \([0-9]+\)\s*")
_LINK_LAYER = re.compile(r"\s*link_layer:\s*(\S+)\s*")
_PORT = re.compile(r"\s*port:\s*([0-9]{1,3})\s*")
_STATE = re.compile(r"\s*state:\s*PORT_([A-Z_]+) \([0-9]\)\s*")
_GUID = re.compile(r"\s*node_guid:\s*([0-9a-f]{4}(?::[0-9a-f]{4}){3})\s*")
_QUEUE_PAIRS = re.compile(r"\s*max_qp:\s*([0-9]{1,9})\s*")
_HCA = re.compile(r"hca_id:\s*(\S+)\s*")
_GID = re.compile(r"/sys/class/infiniband/[^/]+/ports/1/(gids|gid_attrs/types|gid_attrs/ndevs)/([0-9]{1,6}):(.*)")
_TYPES = {"RoCE v2": "RoCE v2", "IB/RoCE v1": "RoCE v1", "RoCE v1": "RoCE v1"}
_ABI_WARNING = re.compile(r"libibverbs: Warning: .*does not support the kernel ABI.*")

# rdma-core, libibverbs/examples/devinfo.c: exit code and message of ibv_devinfo.
_FAILED = 255
_NO_DEVICE = "No IB devices found"


def parse(outputs: Outputs) -> Iterator[Observation]:
    """RDMA settings of the host and of every port."""
    host = Place(outputs.device)
    ports: dict[str, str] = {}
    if output := outputs.get("rdma-devices"):
        yield from _read_devices(host, output, _read_interfaces(outputs))
    if output := outputs.get("rdma-link"):
        ports = _read_ports(output)
        states = _read_states(outputs.get("ibv-devinfo"))
        yield from _read_links(host, output, _read_interfaces(outputs), states)
    if output := outputs.get("rdma-statistic"):
        yield from _read_counters(host, output, ports)
    if output := outputs.get("ibv-devinfo"):
        yield from _read_verbs(host, output, ports, outputs.get("rdma-devices"))
    for interface, output in outputs.per_nic("gid-table"):
        yield from _read_gids(host.child("nic", interface), interface, output)


def _read_devices(host: Place, output: Output, interfaces: tuple[str, ...]) -> Iterator[Observation]:
    """One name on each line. A line without a name is a message, which makes the whole list unknown."""
    names = [text.strip() for _, text in number_lines(output) if text.strip()]
    if not all(_NAME.fullmatch(name) for name in names):
        return
    yield observe(host, "host.rdma_devices", tuple(sorted(names, key=_make_sort_key)), output, 1)
    for interface in () if names else interfaces:
        yield observe(host.child("nic", interface), "nic.rdma_device", "", output)


def _make_sort_key(name: str) -> tuple[str, int, str]:
    head = name.rstrip("0123456789")
    return head, parse_whole(name[len(head) :]) or 0, name


def _read_ports(output: Output) -> dict[str, str]:
    """Interface of each RDMA device."""
    return {
        _format_device(link["ifname"]): link["netdev"]
        for _, link in parse_json_objects(output) or ()
        if isinstance(link.get("ifname"), str) and isinstance(link.get("netdev"), str) and link["netdev"]
    }


def _format_device(name: str) -> str:
    """Older tools print the port with the device: ``bnxt_re0/1``."""
    return name.partition("/")[0]


def _read_interfaces(outputs: Outputs) -> tuple[str, ...]:
    """Every interface that per-NIC commands show: they print nothing of one that does not exist."""
    names = (key.partition("@")[2] for key, output in outputs.outputs.items() if output.text.strip())
    return tuple(dict.fromkeys(name for name in names if name))


def _read_states(output: Output | None) -> dict[tuple[str, int], str]:
    """The state of each port of each RDMA device as ibv_devinfo prints it, such as ``ACTIVE``."""
    states: dict[tuple[str, int], str] = {}
    device, port = "", 0
    for _, text in number_lines(output) if output is not None else ():
        if match := _HCA.fullmatch(text):
            device, port = match[1], 0
        elif match := _PORT.fullmatch(text):
            port = int(match[1])
        elif match := _STATE.fullmatch(text):
            states[device, port] = match[1]
    return states


def _format_state(link: Mapping[str, object], state: str, states: Mapping[tuple[str, int], str]) -> str:
    """The state of a port; that of both outputs where the other one contradicts it."""
    name, _, suffix = str(link["ifname"]).partition("/")
    port = link.get("port") or parse_whole(suffix) or 1
    by_verbs = states.get((name, port)) if isinstance(port, int) else None
    if by_verbs is None or by_verbs == state:
        return state
    return f"{state} by rdma link, {by_verbs} by ibv_devinfo"


def _read_links(
    host: Place, output: Output, interfaces: tuple[str, ...], states: Mapping[tuple[str, int], str]
) -> Iterator[Observation]:
    """Devices and states by `rdma link`; ``states``: those of ibv_devinfo, by device and port."""
    objects = parse_json_objects(output)
    if objects is None:
        return
    interface_names: set[str] = set()
    whole_list = True
    for line, link in objects:
        interface, name = link.get("netdev"), link.get("ifname")
        if not isinstance(interface, str) or not interface or not isinstance(name, str):
            whole_list = False  # a device whose interface is not shown may be of any
            continue
        if interface in interface_names:
            continue
        interface_names.add(interface)
        place = host.child("nic", interface)
        yield observe(place, "nic.rdma_device", _format_device(name), output, line)
        if isinstance(state := link.get("state"), str):
            yield observe(place, "nic.rdma_state", _format_state(link, state, states), output, line)
    for interface in interfaces if whole_list else ():
        if interface not in interface_names:
            yield observe(host.child("nic", interface), "nic.rdma_device", "", output)


def _read_verbs(
    host: Place, output: Output, ports: Mapping[str, str], kernel_devices: Output | None
) -> Iterator[Observation]:
    """Devices that have a user-space library. Without any, the libraries are known only if the kernel has a device."""
    device = ""
    link_layers: dict[str, str] = {}
    for number, text in number_lines(output):
        if match := _HCA.fullmatch(text):
            device = match[1]
        elif match := _LINK_LAYER.fullmatch(text):
            link_layers[device] = match[1]
        elif device in ports:
            nic = host.child("nic", ports[device])
            if match := _MTU.fullmatch(text):
                yield observe(nic, "nic.rdma_mtu", int(match[1]), output, number)
            elif match := _GUID.fullmatch(text):
                yield observe(nic, "nic.node_guid", match[1], output, number)
            elif match := _QUEUE_PAIRS.fullmatch(text):
                yield observe(nic, "nic.queue_pairs", int(match[1]), output, number)
    if link_layers:
        infiniband_devices = tuple(name for name, link_layer in link_layers.items() if link_layer == "InfiniBand")
        yield observe(host, "host.infiniband_devices", infiniband_devices, output)
    warning = _ABI_WARNING.search(output.errors) or _ABI_WARNING.search(output.text)
    if warning is None and _NO_DEVICE in (output.errors + output.text).splitlines():
        if kernel_devices is not None and kernel_devices.text.strip():
            yield observe(host, "host.rdma_libraries", _NO_DEVICE, output)
    elif warning is not None or output.exit_code != _FAILED:
        yield observe(host, "host.rdma_libraries", warning[0] if warning else "ok", output)


# Linux drivers/infiniband: sw/rxe/rxe_hw_counters.c; hw/mlx5/counters.c; hw/bnxt_re/hw_counters.c. A driver that counts
# packets missing at this end and those that the other end reports has two counters.
COUNTERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "nic.counters.sent": {"rxe": ("sent_pkts",), "bnxt_re": ("tx_pkts",)},
    "nic.counters.retries": {
        "rxe": ("completer_retry_err",),
        "mlx5": ("local_ack_timeout_err",),
        "bnxt_re": ("to_retransmits",),
    },
    "nic.counters.sequence_errors": {
        "rxe": ("rcvd_seq_err", "out_of_seq_request"),
        "mlx5": ("packet_seq_err", "out_of_sequence"),
        "bnxt_re": ("seq_err_naks_rcvd", "oos_drop_count"),
    },
}
"""Names of the counters by setting and driver; several are added."""


def _read_counters(host: Place, output: Output, ports: Mapping[str, str]) -> Iterator[Observation]:
    for line, link in parse_json_objects(output) or ():
        device = link.get("ifname")
        if not isinstance(device, str) or _format_device(device) not in ports:
            continue
        place = host.child("nic", ports[_format_device(device)])
        for path, drivers in COUNTERS.items():
            read = ([parse_whole(link.get(name)) for name in names] for names in drivers.values())
            counts = next((counts for counts in read if None not in counts), None)
            if counts is not None:
                yield observe(place, path, sum(count for count in counts if count is not None), output, line)


def _read_gids(place: Place, interface: str, output: Output) -> Iterator[Observation]:
    """Rows of the GID table that belong to this interface; a device may also serve a VLAN's."""
    rows: dict[int, dict[str, tuple[str, int]]] = {}
    for number, text in number_lines(output):
        if match := _GID.fullmatch(text):
            attribute = match[1].rpartition("/")[2]
            rows.setdefault(int(match[2]), {})[attribute] = (match[3].strip(), number)
    if not rows:
        return
    for index, row in sorted(rows.items()):
        address = _parse_address(row["gids"][0]) if "gids" in row else None
        if address is None or row.get("ndevs", ("", 0))[0] != interface:
            continue
        gid = place.child("gid", str(index))
        yield observe(gid, "gid.address", address, output, row["gids"][1])
        kind, line = row.get("types", ("", 0))
        if kind in _TYPES:
            yield observe(gid, "gid.type", _TYPES[kind], output, line)
    yield observe(place, "nic.gids", COMPLETE, output)


def _parse_address(gid: str) -> str | None:
    """The IP address in a GID: ``::ffff:10.1.0.1`` is 10.1.0.1; None for an empty row."""
    try:
        address = ipaddress.IPv6Address(gid)
    except ValueError:
        return None
    if not int(address):
        return None
    return str(address.ipv4_mapped or address)
