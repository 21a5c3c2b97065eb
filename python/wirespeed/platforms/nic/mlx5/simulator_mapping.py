"""The driver's congestion control and parameters in the simulator's names."""

from __future__ import annotations

from wirespeed.platforms.model import SimulatorMapping
from wirespeed.settings import Congestion

_FLAGS = ("clamp_tgt_rate", "clamp_tgt_rate_after_time_inc")

SIMULATOR_MAPPING = SimulatorMapping(
    algorithms={Congestion.DCQCN_P: "dcqcn-nvidia"},
    parameters={  # units: DOCA documentation, DCQCN CC Parameters
        **{name: name for name in ("dce_tcp_g", "initial_alpha_value", "rpg_gd", "rpg_threshold", *_FLAGS)},
        **{name: f"{name}_us" for name in ("dce_tcp_rtt", "rate_reduce_monitor_period", "rpg_time_reset")},
        **{f"rpg_{name}_rate": f"rpg_{name}_rate_mbps" for name in ("ai", "hai", "min")},
        "rate_to_set_on_first_cnp": "rate_to_set_on_first_cnp_mbps",
        "rpg_byte_reset": "rpg_byte_reset_bytes",
        "rpg_min_dec_fac": "rpg_min_dec_fac_percent",
    },
    flags=frozenset(_FLAGS),
)
