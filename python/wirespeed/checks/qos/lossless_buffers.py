"""Lossless buffers of a switch

The switch uses the buffers that lossless traffic needs.

Why it hurts:
    A pause takes time to act, and what arrives meanwhile needs headroom. Some systems make headroom only once their
    lossless buffer set is put into use. Until then PFC looks configured, and the lossless class loses packets.

How to fix:
    Put the lossless buffer set into use. The switch may have to reboot for it.

Example:
    $ sonic-cli -c "show running-configuration | no-more" | grep buffer
    buffer init lossless

Source:
    dellemc.enterprise_sonic, module sonic_qos_buffer; IEEE 802.1Q-2022, annex N
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.buffers.lossless",)
failures = ("SW-04",)
check = compare(
    *needs,
    wrong="the lossless buffers are not in use",
    fix="put the lossless buffer set into use",
    says={True: "in use", False: "not in use"},
)
