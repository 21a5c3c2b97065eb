"""Rate limit of the NIC's traffic classes

No traffic class of the NIC is limited to less than the line rate.

Impact:
    A limited class never sends faster than its limit, even on an idle port: with 50 % for the class of RDMA, every
    transfer reaches half of the bandwidth.

Fix:
    Remove the limit of the class with the tool that set it.

Example:
    $ niccli --dev 1 qos --ets --show
    TC Rate Limit: 100% 50% 100% 0% 0% 0% 0% 0%

Source:
    Broadcom 957608-AN210, 2.2.1.3 and 2.6 item 2
"""

from collections.abc import Mapping
from typing import Any

from wirespeed.checks.compare import compare
from wirespeed.checks.wording import format_numbers
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qos.tc_rate_limit",)
failures = ("QOS-10",)


def _format_rates(rates: Mapping[Any, int]) -> str:
    """``traffic class 1 -> 100 %`` of the line rate."""
    return f"{format_numbers(rates, 'percent')} of the line rate" if rates else "none"


check = compare(
    *needs,
    wrong="a traffic class of the NIC is limited to less than the line rate",
    fix="remove the rate limit of the traffic class, with the tool that set it",
    by_hand=True,
    labels=_format_rates,
)
