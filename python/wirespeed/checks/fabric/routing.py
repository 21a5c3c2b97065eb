"""IP routing of the switch

IP routing is on.

Impact:
    With one subnet per link or per rail, all traffic between hosts or rails is routed. Without IP routing the switch
    answers for its own addresses and forwards nothing.

Fix:
    Enable IP routing; it is off by default on some systems.

Example:
    $ show running-config | include routing
    no ip routing

Source:
    Broadcom 957608-AN210, 2.4
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.routing",)
failures = ("RT-10",)
check = compare(*needs, wrong="IP routing is off", fix="enable IP routing")
