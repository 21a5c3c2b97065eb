"""Priority group of lossless traffic

The traffic class of lossless traffic maps to the planned ingress priority group, which has headroom, and the PFC
priority maps to the same group.

Impact:
    The priority group determines when the port sends a pause, and its headroom holds packets that arrive after it.
    Lossless traffic in another group is dropped when that group is full, and no pause is sent. If the PFC priority maps
    to another group, the port pauses another priority than the one that fills the group.

Fix:
    Set the traffic-class-to-priority-group map, or the PFC-priority-to-priority-group map.

Example:
    TC 3 in priority group 7

Source:
    Broadcom 957608-AN210, 2.5; SONiC, TC_TO_PRIORITY_GROUP_MAP and PFC_PRIORITY_TO_PRIORITY_GROUP_MAP
"""

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.checks.queue_mapping import code_points, find_planned_mapping, format_undefined_maps
from wirespeed.settings import Port

subject = Port
needs = ("port.qos.tc_pg", "port.qos.pfc_pg", "port.qos.undefined_maps")
failures = ("QOS-03",)


def check(context: CheckContext) -> Outcome:
    """Of the planned traffic class; qos.roce-queue checks that the traffic reaches it."""
    groups = context.get_intended_value("port.qos.tc_pg")
    mappings: list[str] = []
    for _, dscp in code_points(context, lossless=True):
        planned = find_planned_mapping(context, dscp)
        if planned is None or planned.traffic_class not in groups:
            continue
        intended = groups[planned.traffic_class]
        found = context.get_found_value("port.qos.tc_pg").get(planned.traffic_class)
        expected = f"TC {int(planned.traffic_class)} in priority group {int(intended)}"
        if found != intended:
            found_text = "no priority group" if found is None else f"priority group {int(found)}"
            found_text += format_undefined_maps(context)
            fix = context.build_change(
                "set the traffic-class-to-priority-group map",
                "port.qos.tc_pg",
                {planned.traffic_class: intended},
            )
            return failure("lossless traffic maps to a lossy priority group", expected, found_text, fix)
        mappings.append(expected)
    if not mappings:
        raise NoIntentError("the plan has no lossless class for this port")
    return _judge_pause_groups(context) or success("; ".join(mappings), "; ".join(mappings))


def _judge_pause_groups(context: CheckContext) -> Outcome | None:
    """A failure if a lossless priority maps to another group than planned; None without a planned map."""
    try:
        groups = context.get_intended_value("port.qos.pfc_pg")
    except NoIntentError:
        return None
    found = context.get_found_value("port.qos.pfc_pg")
    for traffic_class, _ in code_points(context, lossless=True):
        priority = traffic_class.priority
        if priority in groups and found.get(priority) != groups[priority]:
            group = found.get(priority)
            found_text = "no priority group" if group is None else f"priority group {int(group)}"
            return failure(
                "the port pauses another priority than the one of the full priority group",
                f"PFC priority {int(priority)} in priority group {int(groups[priority])}",
                found_text + format_undefined_maps(context),
                context.build_change(
                    "set the PFC-priority-to-priority-group map", "port.qos.pfc_pg", {priority: groups[priority]}
                ),
            )
    return None
