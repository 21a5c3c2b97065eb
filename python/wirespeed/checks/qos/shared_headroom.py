"""Shared headroom

The shared headroom of the lossless priority groups has the planned size.

Impact:
    Packets that arrive after a pause was sent need headroom. If all priority groups use one pool, a pool that is too
    small loses packets of the lossless class only when many ports send pauses at once.

Fix:
    Set the size of the shared headroom.

Example:
    $ sonic-cli -c "show running-configuration | no-more" | grep buffer
    buffer pool ingress_lossless_pool shared-headroom-size 3500000

Source:
    dellemc.enterprise_sonic, module sonic_qos_buffer; SONiC, Shared headroom pool design
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.buffers.shared_headroom",)
failures = ("SW-04",)
check = compare(*needs, wrong="the shared headroom has another size", fix="set the size of the shared headroom")
