"""Priority group of lossless traffic

The traffic class of lossless traffic maps to the planned ingress priority group, which has headroom, and the PFC
priority maps to the same group. No other traffic class maps to that group.

Impact:
    The priority group determines when the port sends a pause, and its headroom holds packets that arrive after it.
    Lossless traffic in another group is dropped when that group is full, and no pause is sent. If the PFC priority maps
    to another group, the port pauses another priority than the one that fills the group. Other traffic in the group
    uses the headroom, and causes pauses of RDMA.

Fix:
    Set the traffic-class-to-priority-group map, or the PFC-priority-to-priority-group map.

Example:
    TC 3 in priority group 7

Source:
    Broadcom 957608-AN210, 2.5; SONiC, TC_TO_PRIORITY_GROUP_MAP and PFC_PRIORITY_TO_PRIORITY_GROUP_MAP
"""

from wirespeed.checks.model import CheckContext, NoIntentError, Outcome, failure, success
from wirespeed.checks.queue_mapping import code_points, find_planned_mapping, format_undefined_maps
from wirespeed.number_ranges import format_ranges
from wirespeed.results.findings import Status
from wirespeed.settings import Port, PriorityGroup, SwitchTrafficClass

subject = Port
needs = ("port.qos.tc_pg", "port.qos.pfc_pg", "port.qos.undefined_maps")
failures = ("QOS-03",)


def check(context: CheckContext) -> Outcome | tuple[Outcome, ...]:
    """Of the planned traffic class; qos.roce-queue checks that the traffic reaches it."""
    outcome = _check_lossless_traffic(context)
    shared_groups = _list_other_classes(context)
    return shared_groups if shared_groups and outcome.status is Status.PASS else (outcome, *shared_groups)


def _check_lossless_traffic(context: CheckContext) -> Outcome:
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


def _list_other_classes(context: CheckContext) -> tuple[Outcome, ...]:
    """A failure for each lossless group to which a traffic class maps that the plan has in another group."""
    groups, found = context.get_intended_value("port.qos.tc_pg"), context.get_found_value("port.qos.tc_pg")
    strangers: dict[PriorityGroup, dict[SwitchTrafficClass, PriorityGroup]] = {}
    lossless_classes: dict[PriorityGroup, SwitchTrafficClass] = {}
    for _, dscp in code_points(context, lossless=True):
        planned = find_planned_mapping(context, dscp)
        if planned is not None and planned.traffic_class in groups:
            lossless_classes[groups[planned.traffic_class]] = planned.traffic_class
    for traffic_class, group in groups.items():
        found_group = found.get(traffic_class)
        if traffic_class not in lossless_classes.values() and found_group in lossless_classes:
            strangers.setdefault(found_group, {})[traffic_class] = group
    return tuple(
        failure(
            "other traffic uses the priority group of lossless traffic",
            f"only TC {int(lossless_classes[found_group])} in priority group {int(found_group)}",
            f"also TC {', '.join(format_ranges(planned_groups))} in priority group {int(found_group)}",
            context.build_change("set the traffic-class-to-priority-group map", "port.qos.tc_pg", planned_groups),
        )
        for found_group, planned_groups in sorted(strangers.items())
    )


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
