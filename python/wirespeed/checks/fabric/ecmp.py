"""Equal paths

A route may have as many equal paths as the switch is cabled for, whatever autonomous system they lead through.

Why it hurts:
    Most systems use one path until told otherwise, so that all traffic of a leaf leaves by one uplink while the
    others idle. Paths through different neighbouring systems count as equal only where that is allowed.

How to fix:
    Raise the number of paths, and relax the comparison of AS paths.

Example:
    $ show running-config section bgp
    maximum-paths 1

Source:
    RFC 7938, sections 6.1 and 6.3
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.bgp.maximum_paths", "switch.bgp.multipath_relax")
failures = ("RT-07",)
check = compare(*needs, wrong="fewer paths than cables are used", fix="use all equal paths")
