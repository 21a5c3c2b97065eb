"""Template values of a ConnectX port: NVIDIA's tools and sysfs (mlnx_qos, rdma_cm, ecn), and NVRAM options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.errors import Problem, did_you_mean
from wirespeed.platforms.nic.commands import Line, default_priority, join_arguments, pause_off, rdma_cm, tos, write
from wirespeed.platforms.nic.dcb_output import ALGORITHM_NAMES
from wirespeed.platforms.nic.mlx5 import nvm
from wirespeed.settings import Congestion, Device, Dscp, Host, Nic, NicQos, Priority

DRIVER = "mlx5_core"

_NAMES = """
clamp_tgt_rate clamp_tgt_rate_after_time_inc rpg_time_reset rpg_byte_reset rpg_threshold rpg_max_rate rpg_ai_rate
rpg_hai_rate rpg_gd rpg_min_dec_fac rpg_min_rate rate_to_set_on_first_cnp dce_tcp_g dce_tcp_rtt
rate_reduce_monitor_period initial_alpha_value
"""
PARAMETERS = _NAMES.split()
"""Files of the reaction point in sysfs; mlxconfig has the same names in capitals, with the port behind."""

_METRE = 1000  # millimetres


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates, and settings that NVIDIA's NICs do not support."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    return {
        "ports": lambda: [(interface, list(lines(interface, nic))) for interface, nic in select_nics(device).items()],
        "by_rdma_cm": lambda: any(list(rdma_cm(nic)) for nic in select_nics(device).values()),
        "cards": lambda: [
            (interface, options)
            for interface, nic in select_nics(device).items()
            if (options := list(nvm.options(nic)))
        ],
        "nics": lambda: select_nics(device),
        "port": nvm.port,
        "metres": lambda length: -(-int(length) // _METRE),
        "parameters": PARAMETERS,
        "problems": list(problems(name, device)),
    }


def select_nics(host: Host) -> dict[str, Nic]:
    """The NICs of this platform."""
    return {interface: nic for interface, nic in host.nics.items() if nic.driver.name == DRIVER}


def problems(name: str, host: Host) -> Iterator[Problem]:
    """Planned settings that the NICs do not support, each once: NICs with equal settings share it."""
    checked_settings: list[NicQos] = []
    for interface, nic in select_nics(host).items():
        if nic.qos in checked_settings:
            continue
        checked_settings.append(nic.qos)
        location = f"{name} nic {interface}"
        if nic.qos.congestion is Congestion.DCQCN_D:
            yield Problem(
                location,
                "nic.qos.congestion = dcqcn-d",
                "dcqcn-p, the only DCQCN of NVIDIA ConnectX",
                "write congestion: dcqcn-p, and let switches mark on a slope; deterministic DCQCN is Broadcom's",
            )
        for parameter in nic.qos.congestion_parameters or {}:
            if parameter not in PARAMETERS:
                yield Problem(
                    location,
                    f"the congestion parameter {parameter!r}",
                    "a file of sysfs ecn/roce_rp",
                    did_you_mean(parameter, PARAMETERS),
                )


def lines(interface: str, nic: Nic) -> Iterator[Line]:
    """Every command of a port, in order."""
    yield from pause_off(interface, nic)
    if nic.qos.priority_tc:
        yield from _mlnx_qos(interface, nic)
    yield from rdma_cm(nic)
    yield from _build_marks(nic)
    yield from _build_congestion(interface, nic.qos)


def _mlnx_qos(interface: str, nic: Nic) -> Iterator[Line]:
    qos = nic.qos

    def line(paths: tuple[str, ...], *arguments: object) -> Line:
        return Line(join_arguments("mlnx_qos", "-i", interface, *arguments), paths)

    if qos.willing is not None:
        yield line(("nic.qos.willing",), "-d", "fw" if qos.willing else "os")
    if qos.trust is not None:
        yield line(("nic.qos.trust",), "--trust", {"dot1p": "pcp"}.get(qos.trust, qos.trust))
    if qos.pfc is not None:
        # In one command: with the length only, mlnx_qos disables PFC on every priority.
        cable = () if nic.cable_length is None else ("--cable_len", -(-int(nic.cable_length) // _METRE))
        pfc_bits = ",".join("1" if value in qos.pfc else "0" for value in range(8))
        yield line(("nic.qos.pfc", "nic.cable_length"), "--pfc", pfc_bits, *cable)
    tcs = {int(priority): int(tc) for priority, tc in (qos.priority_tc or {}).items()}
    queue_settings = {int(tc): ALGORITHM_NAMES[discipline] for tc, discipline in (qos.tc_discipline or {}).items()}
    shares = {int(tc): share for tc, share in (qos.tc_share or {}).items()}
    yield line(
        ("nic.qos.priority_tc", "nic.qos.tc_discipline", "nic.qos.tc_share"),
        *("--prio_tc", _list(tcs)),
        *("--tsa", ",".join(queue_settings.get(tc, "ets") for tc in range(8))),
        *("--tcbw", _list(shares)),
    )
    priority_map = [word for dscp, priority in _build_dscps(qos) for word in ("--dscp2prio", f"set,{dscp},{priority}")]
    if priority_map:
        yield line(("nic.qos.dscp_priority",), *priority_map)
    buffers: list[str] = []
    if qos.priority_buffer:
        buffers += ["--prio2buffer", _list({int(priority): number for priority, number in qos.priority_buffer.items()})]
    if qos.buffer_size:
        buffers += ["--buffer_size", _list({number: int(size) for number, size in qos.buffer_size.items()})]
    if buffers:
        yield line(("nic.qos.priority_buffer", "nic.qos.buffer_size"), *buffers)


def _list(numbers: Mapping[int, int]) -> str:
    return ",".join(str(numbers.get(index, 0)) for index in range(8))


def _build_dscps(qos: NicQos) -> list[tuple[Dscp, Priority]]:
    """The planned code points, and the others whose default priority is a planned one: they get the default's priority.

    By default the upper three bits of a DSCP are its priority."""
    planned = dict(qos.dscp_priority or {})
    used_values = set(planned.values()) | (qos.pfc or frozenset())
    other_entry = default_priority(qos)
    for value in range(Dscp.last + 1):
        if Priority(value >> 3) in used_values:
            planned.setdefault(Dscp(value), other_entry)
    return sorted(planned.items())


def _build_marks(nic: Nic) -> Iterator[Line]:
    """The ToS byte of all RoCE data, regardless of the program."""
    if nic.rdma_device is not None and nic.qos.roce_dscp is not None:
        path = f"/sys/class/infiniband/{nic.rdma_device}/tc/1/traffic_class"
        yield Line(write(tos(nic.qos), path), ("nic.qos.roce_dscp", "nic.qos.ect"))


def _build_congestion(interface: str, qos: NicQos) -> Iterator[Line]:
    """Both ends of DCQCN, priority by priority, and the marks of CNPs, whose factory priority is 6."""
    folder = f"/sys/class/net/{interface}/ecn"
    if qos.ecn is not None:
        options = (qos.ecn_priorities or frozenset()) if qos.ecn else frozenset()
        for end in ("roce_np", "roce_rp"):
            for value in range(8):
                text = write(int(value in options), f"{folder}/{end}/enable/{value}")
                yield Line(text, ("nic.qos.ecn", "nic.qos.ecn_priorities"))
    if qos.cnp_dscp is not None:
        yield Line(write(int(qos.cnp_dscp), f"{folder}/roce_np/cnp_dscp"), ("nic.qos.cnp_dscp",))
    if qos.cnp_priority is not None:
        yield Line(write(int(qos.cnp_priority), f"{folder}/roce_np/cnp_802p_prio"), ("nic.qos.cnp_priority",))
    for name, value in sorted((qos.congestion_parameters or {}).items()):
        yield Line(write(value, f"{folder}/roce_rp/{name}"), ("nic.qos.congestion_parameters",))
