"""Priority group of lossless traffic

On arrival the traffic class of lossless traffic is accounted to the planned ingress priority group, the one with
headroom.

Why it hurts:
    The priority group decides when the port sends a pause, and holds what still arrives after it. Lossless traffic
    in another group is dropped when that one is full, and no pause is ever sent.

How to fix:
    Set the map of traffic classes to priority groups.

Example:
    TC 3 in priority group 7

Source:
    Broadcom 957608-AN210, 2.5; SONiC, TC_TO_PRIORITY_GROUP_MAP
"""

from wirespeed.checks.chain import code_points, planned_way
from wirespeed.checks.model import Here, NoIntentError, Outcome, failed, passed
from wirespeed.settings import Port

over = Port
needs = ("port.qos.tc_pg",)
failures = ("QOS-03",)


def check(here: Here) -> Outcome:
    """Of the planned traffic class; that the traffic reaches it is qos.roce-queue's to say."""
    groups = here.intended("port.qos.tc_pg")
    ways: list[str] = []
    for _, dscp in code_points(here, lossless=True):
        planned = planned_way(here, dscp)
        if planned is None or planned.traffic_class not in groups:
            continue
        intended = groups[planned.traffic_class]
        found = here.found("port.qos.tc_pg").get(planned.traffic_class)
        expected = f"TC {int(planned.traffic_class)} in priority group {int(intended)}"
        if found != intended:
            said = "no priority group" if found is None else f"priority group {int(found)}"
            fix = here.change(
                "set the map of traffic classes to priority groups",
                "port.qos.tc_pg",
                {planned.traffic_class: intended},
            )
            return failed("lossless traffic is accounted to a lossy priority group", expected, said, fix)
        ways.append(expected)
    if not ways:
        raise NoIntentError("the plan has no lossless class for this port")
    return passed("; ".join(ways), "; ".join(ways))
