"""Congestion control of the RDMA driver: its parameters, and the attributes that it prints.

Names, ranges and forms are those of the out-of-box driver (bnxt_re, configfs.c) and of the kernel's own (debugfs.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.facts import Observation
from wirespeed.platforms.model import Output
from wirespeed.platforms.output_values import number_lines, observe
from wirespeed.settings import Congestion, Dscp, Ect, Place, Priority

_OF_UNKNOWN_RANGE = """
cnp_ecn rtt_jitter_en lbytes_per_usec cr_width min_quota max_quota abs_max_quota l64B_per_rtt fr_num_rtts ai_rate_incr
red_rel_rtts_th act_rel_cr_th cr_min_th bw_avg_weight act_cr_factor max_cp_cr_th cp_bias_en cp_bias reset_cc_cr_th tr_lb
cr_prob_fac tr_prob_fac fair_cr_th red_div cnp_ratio_th exp_ai_rtts exp_crcp_ratio rt_en cp_exp_update_th ai_rtt_th1
ai_rtt_th2 cf_rtt_th sc_cr_th1 sc_cr_th2 cc_ack_bytes reduce_cf_rtt_th rnd_no_red_en act_cr_sh_cor_en
"""

PARAMETERS: Mapping[str, tuple[int, int]] = {
    "g": (0, 0xFF),
    "inact_th": (0, 0x3FFFFF),  # microseconds
    "init_cr": (0, 0xFFFF),
    "init_tr": (0, 0xFFFF),
    "rtt": (0, 0xFFFF),  # microseconds
    "nph_per_state": (0, 0xFF),
    "time_pph": (1, 0xF),
    "pkts_pph": (1, 0xFF),
    "tcp_cp": (0, 0xFFFF),
    "min_time_bet_cnp": (0, 0xFFFF),
    "init_cp": (0, 0xFFFF),
    "tr_update_mode": (0, 0xFF),
    "tr_update_cyls": (0, 0xFF),
    **dict.fromkeys(_OF_UNKNOWN_RANGE.split(), (0, 0xFFFFFFFF)),
}
"""Attributes of the cc folder with their smallest and largest value; the driver truncates larger values."""

LINE_FORMATS = {
    "g": ("\t\t\t\t", "running avg. weight", "\t\t\t", ""),
    "inact_th": ("\t\t\t", "inactivity threshold", "\t\t\t", " usec"),
    "init_cr": ("\t\t\t", "initial current rate", "\t\t\t", ""),
    "init_tr": ("\t\t\t", "initial target rate", "\t\t\t", ""),
    "rtt": ("\t\t\t", "round trip time", "\t\t\t", " usec"),
}
"""Parameters as the attribute ``apply`` lists them: tabs, description, tabs, unit."""

MODES = {0: Congestion.DCQCN_D, 1: Congestion.DCQCN_P}
MARKS = {0: Ect.NOT_ECT, 1: Ect.ECT1, 2: Ect.ECT0}

_NEW = re.compile(r"(\w+)=(0[xX][0-9a-fA-F]{1,8}|0)\b.*")
_OLD = re.compile(r"(?!slave )[^(:]*\((\w+)\)\s*:\s*(\S+)(?: .*)?")  # "initial target rate (init_tr)  : 0xc8"
_KEYWORDS = {
    "Enabled": 1,
    "Disabled": 0,
    "Not-ECT": 0,
    "ECT(1)": 1,
    "ECT(0)": 2,
    "DCQCN-D": 0,
    "DCQCN-P": 1,
}
_DEBUGFS = re.compile(r".*/cc_config/(\w+):([0-9]{1,10})\s*")  # the folder is named after the PCIe address
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,8}|[0-9]{1,9}")
_INBOX = {  # the kernel's own names
    "enable_cc": "ecn_enable",
    "run_avg_weight_g": "g",
    "num_phase_per_state": "nph_per_state",
    "tos_ecn": "ecn_marking",
    "tos_dscp": "roce_dscp",
    "alt_vlan_pcp": "cnp_prio",
    "alt_vlan_dscp": "cnp_dscp",
    "inactivity_cp": "inact_th",
}
INBOX_ATTRIBUTES = frozenset((*_INBOX.values(), "init_cr", "init_tr", "rtt", "cc_mode", "tcp_cp"))
"""What the kernel's own driver reads and writes: Linux, drivers/infiniband/hw/bnxt_re/debugfs.c, bnxt_re_cc_gen0_name
without tx_queue, which it refuses."""


def configfs(place: Place, output: Output) -> Iterator[Observation]:
    """``grep -r`` over the cc folder. ``apply`` reads the firmware; the others may be cached by the driver."""
    applied_names: dict[str, tuple[int, int]] = {}
    stored_values: dict[str, tuple[int, int]] = {}
    for number, text in number_lines(output):
        path, colon, content = text.partition(":")
        name = path.rpartition("/")[2]
        if not colon or not path.startswith("/sys/kernel/config/bnxt_re/"):
            continue
        if name == "apply":
            if match := _NEW.fullmatch(content) or _OLD.fullmatch(content):
                value = _parse_value(match[2])
                if value is not None:
                    applied_names[match[1]] = (value, number)
        elif (value := _parse_value(content.strip())) is not None:
            stored_values[name] = (value, number)
    yield from _observe_parameters(place, {**stored_values, **applied_names}, output)


def debugfs(place: Place, output: Output) -> Iterator[Observation]:
    """``grep -r`` over the cc_config folder of the kernel's own driver: decimal numbers under other names."""
    read_values: dict[str, tuple[int, int]] = {}
    for number, text in number_lines(output):
        if match := _DEBUGFS.fullmatch(text):
            read_values[_INBOX.get(match[1], match[1])] = (int(match[2]), number)
    yield from _observe_parameters(place, read_values, output)


def inbox_name(name: str) -> str:
    """The kernel's name of an attribute."""
    return next((inbox for inbox, attribute in _INBOX.items() if attribute == name), name)


def _parse_value(text: str) -> int | None:
    if text in _KEYWORDS:
        return _KEYWORDS[text]
    return int(text, 0 if text[:2] in ("0x", "0X") else 10) if _NUMBER.fullmatch(text) else None


def _observe_parameters(
    place: Place, read_values: Mapping[str, tuple[int, int]], output: Output
) -> Iterator[Observation]:
    for name, (value, line) in read_values.items():
        setting = _build_setting(name, value)
        if setting is not None:
            yield observe(place, *setting, output, line)
    parameters = {name: value for name, (value, _) in read_values.items() if name in PARAMETERS}
    if parameters:
        first = min(line for name, (_, line) in read_values.items() if name in PARAMETERS)
        yield observe(place, "nic.qos.congestion_parameters", parameters, output, first)


def _build_setting(name: str, value: int) -> tuple[str, Any] | None:
    if name == "ecn_enable":
        return "nic.qos.ecn", bool(value)
    if name == "ecn_marking" and value in MARKS:
        return "nic.qos.ect", MARKS[value]
    if name == "cc_mode" and value in MODES:
        return "nic.qos.congestion", MODES[value]
    if name in ("roce_dscp", "cnp_dscp") and value <= Dscp.last:
        return f"nic.qos.{name}", Dscp(value)
    if name in ("roce_prio", "cnp_prio") and value <= Priority.last:
        return f"nic.qos.{name}rity", Priority(value)
    return None
