"""Lossless buffers of the switch

The lossless buffer configuration of the switch is in use.

Impact:
    A pause takes time to take effect, and packets that arrive until then need headroom. Some systems allocate headroom
    only after their lossless buffer set is initialised. Until then PFC is configured, but the lossless class loses
    packets.

Fix:
    Initialise the lossless buffer set. This may need a reboot of the switch.

Example:
    $ sonic-cli -c "show running-configuration | no-more" | grep buffer
    buffer init lossless

Source:
    dellemc.enterprise_sonic, module sonic_qos_buffer; IEEE 802.1Q-2022, annex N
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.buffers.lossless",)
failures = ("SW-04",)
check = compare(
    *needs,
    wrong="the lossless buffers are not in use",
    fix="initialise the lossless buffer set",
    labels={True: "in use", False: "not in use"},
)
