"""The driver's congestion control and parameters in the simulator's names."""

from __future__ import annotations

from wirespeed.platforms.model import SimulatorMapping
from wirespeed.settings import Congestion

_SAME_NAMES = (
    *("g", "l64B_per_rtt", "init_cp", "init_cr", "init_tr", "fr_num_rtts", "ai_rate_incr"),
    *("ai_rtt_th1", "ai_rtt_th2", "cr_min_th", "red_div"),
)

SIMULATOR_MAPPING = SimulatorMapping(
    algorithms={Congestion.DCQCN_P: "dcqcn-p", Congestion.DCQCN_D: "dcqcn-d"},
    parameters={
        **{name: name for name in _SAME_NAMES},
        "rtt": "rtt_us",  # bnxt_re, configfs.c: usec, as the next
        "inact_th": "inact_th_us",
    },
    cnp_interval="min_time_bet_cnp",  # of the receiver; bnxt_re, configfs.c: usec
)
