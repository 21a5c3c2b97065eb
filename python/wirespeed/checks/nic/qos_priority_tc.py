"""Priority-to-traffic-class map of the NIC

The NIC maps each 802.1p priority to the planned traffic class, and its firmware that class to the planned queue.

Impact:
    RDMA that shares a class with other traffic is not lossless, or its pauses stop the other traffic too.

Fix:
    Set the map, and check that the configuration package applies it when the driver loads (nic.qos-file).

Example:
    $ niccli --dev 1 qos --ets --show
    PRIO_MAP: 0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0

Source:
    Broadcom 957608-AN210, 2.6 item 2 and 5.1 question 5
"""

from collections.abc import Mapping
from dataclasses import replace

from wirespeed.checks.compare import compare
from wirespeed.checks.model import CheckContext, Outcome, failure
from wirespeed.checks.wording import format_numbers
from wirespeed.results.findings import Fix, Status
from wirespeed.settings import Nic, NicCosQueue, NicTrafficClass, Priority

subject = Nic
needs = ("nic.qos.priority_tc", "nic.qos.priority_cos", "nic.qos.cnp_class")
failures = ("NIC-01",)
_SEPARATE = "each traffic class has a separate queue; another firmware may number them otherwise"
causes = ("nic.nvm-dcbx", "nic.nvm-lldp")
_UPDATE = "update the NIC's firmware: without this class, the QoS program leaves CNPs in the default traffic class"
_compare = compare(
    needs[0],
    wrong="the NIC maps priorities to the wrong traffic classes",
    fix="set the priority-to-traffic-class map",
    labels=format_numbers,
)


def check(context: CheckContext) -> Outcome:
    """The hardware queues count where the plan has them and the NIC's tool shows them: the firmware assigns them."""
    outcome = _compare(context)
    if outcome.status is Status.FAIL and _lacks_cnp_class(context):
        return replace(outcome, summary="the NIC's firmware supports no traffic class for CNPs", fix=(Fix(_UPDATE),))
    queues, reading = context.entity.qos.priority_cos, context.facts.reading(context.place, needs[1])
    if outcome.status is not Status.PASS or queues is None or reading is None:
        return outcome
    found = context.get_found_value(needs[1])
    wrong = {priority: queue for priority, queue in queues.items() if found.get(priority) != queue}
    if not wrong:
        return outcome
    outcome = failure(
        "the NIC uses other hardware queues than planned",
        format_numbers(wrong),
        format_numbers({priority: found[priority] for priority in wrong if priority in found}),
        Fix("set the priority-to-traffic-class map again, or reboot: the firmware gives each traffic class its queue"),
    )
    if _share_queue(context.entity.qos.priority_tc, found):
        return outcome
    return replace(outcome, status=Status.WARN, warning_reasons=(_SEPARATE,))


def _lacks_cnp_class(context: CheckContext) -> bool:
    """Whether only CNPs have the wrong class, and the firmware reports that it supports none for them."""
    reading, cnp = context.facts.reading(context.place, needs[2]), context.entity.qos.cnp_priority
    if reading is None or reading.value is not False:
        return False
    planned, found = context.entity.qos.priority_tc or {}, context.get_found_value(needs[0])
    return {priority for priority, tc in planned.items() if found.get(priority) != tc} == {cnp}


def _share_queue(classes: Mapping[Priority, NicTrafficClass], queues: Mapping[Priority, NicCosQueue]) -> bool:
    """Whether priorities of different traffic classes have the same hardware queue, or one has none."""
    classes_of_queue: dict[NicCosQueue, set[NicTrafficClass]] = {}
    for priority, traffic_class in classes.items():
        if priority not in queues:
            return True
        classes_of_queue.setdefault(queues[priority], set()).add(traffic_class)
    return any(len(members) > 1 for members in classes_of_queue.values())
