"""The fixed point of DCQCN's fluid model.

Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015, section 5: with marking probability p,
N equal flows of R = C/N packets per second, the estimate alpha settles at 1 - (1 - p)^(tau' R).
"""

from __future__ import annotations

import math

from wirespeed.units import Bandwidth

PACKET = 1000  # bytes; the packet of the paper's model
INCREASE_TIMER = 55e-6  # seconds; T of table 14 of the paper
_CNP_INTERVAL = 50e-6  # seconds; tau
_ALPHA_TIMER = 55e-6  # seconds; tau'
_BYTE_COUNTER = 10_000  # packets: 10 MB
_FAST_RECOVERY = 5  # steps
_ADDITIVE = 40e6 / 8 / PACKET  # packets/s; 40 Mb/s


def alpha(speed: Bandwidth, flows: int) -> float:
    """The rate reduction factor at the fixed point of flows that share a link.

    Args:
        speed: speed of the link.
        flows: number of flows on the link, at least two.
    """
    rate = speed / 8 / PACKET / flows
    low, high = math.log(1e-9), math.log(0.05)
    for _ in range(100):  # halves the interval of log p each time
        middle = (low + high) / 2
        if _compute_excess(math.exp(middle), rate) < 0:
            low = middle
        else:
            high = middle
    return -math.expm1(math.log1p(-math.exp(low)) * _ALPHA_TIMER * rate)


def _compute_excess(p: float, rate: float) -> float:
    """Negative below the fixed point: the model's a^2 alpha - tau^2 R_AI R (b + d)(c + e)."""
    stay = math.log1p(-p)
    a = -math.expm1(stay * _CNP_INTERVAL * rate)
    estimate = -math.expm1(stay * _ALPHA_TIMER * rate)
    b = p / math.expm1(-stay * _BYTE_COUNTER)
    c = b * math.exp(stay * _FAST_RECOVERY * _BYTE_COUNTER)
    d = p / math.expm1(-stay * INCREASE_TIMER * rate)
    e = d * math.exp(stay * _FAST_RECOVERY * INCREASE_TIMER * rate)
    return a * a * estimate - _CNP_INTERVAL**2 * _ADDITIVE * rate * (b + d) * (c + e)
