"""Equal-cost multipath (ECMP)

A route uses as many equal-cost paths as the switch has cables, also if the paths go through different autonomous
systems.

Impact:
    Most systems use one path by default: all traffic of a leaf leaves through one uplink and the others are idle. Paths
    through different neighbouring AS are equal only if multipath relax is on.

Fix:
    Raise the maximum number of paths, and switch multipath relax on.

Example:
    $ show running-config section bgp
    maximum-paths 1

Source:
    RFC 7938, sections 6.1 and 6.3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.bgp.maximum_paths", "switch.bgp.multipath_relax")
failures = ("RT-07",)
check = compare(
    *needs,
    wrong="the switch may use fewer equal-cost paths than it has uplinks",
    fix="use all equal-cost paths",
)
