"""Headroom that lossless groups share

The lossless priority groups of the switch share as much headroom as planned.

Why it hurts:
    What arrives after a pause was sent needs headroom. Where all groups take it from one pool, a pool that is too small
    loses packets of the lossless class when many ports pause at once, and only then.

How to fix:
    Set the size of the shared headroom.

Example:
    $ sonic-cli -c "show running-configuration | no-more" | grep buffer
    buffer pool ingress_lossless_pool shared-headroom-size 3500000

Source:
    dellemc.enterprise_sonic, module sonic_qos_buffer; SONiC, Shared headroom pool design
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.buffers.shared_headroom",)
failures = ("SW-04",)
check = compare(*needs, wrong="the shared headroom has another size", fix="set the size of the shared headroom")
