"""Priority-based flow control (PFC) of the switch port

The port has PFC enabled on exactly the planned priorities. Without a planned value it has the same priorities as the
NIC at the other end of the cable. If a switch shows both the configured priorities and those in effect, both must be
as planned. If only the configured priorities were read on such a switch, the check is unknown. If a switch shows on
which priorities its hardware supports PFC and obeys received pauses, the planned priorities must be among them.

Impact:
    A port without PFC drops packets when its buffer is full, and ignores pauses of its neighbour. PFC on another
    priority than the neighbour pauses the wrong traffic and drops the traffic that causes the congestion.

Fix:
    Set the PFC priorities of the port.

Example:
    $ show priority-flow-control status
    Et1/1        D - -               -           -        - / -           - / -         DCBX disabled

Source:
    Broadcom 957608-AN210, 2.5; IEEE 802.1Q-2022, 36.1
"""

from wirespeed.checks.model import (
    CheckContext,
    InapplicableError,
    NoIntentError,
    Outcome,
    UnreadError,
    failure,
    success,
)
from wirespeed.checks.wording import format_pfc, format_priorities
from wirespeed.facts import NOT_IN_EFFECT, State
from wirespeed.results.findings import Fix
from wirespeed.settings import Place, Port

subject = Port
_PFC = "port.qos.pfc"
_ACTIVE = "port.qos.pfc_active"
_CAPABILITIES = {
    "switch.pfc_priorities": (
        "PFC is not supported by the hardware on a planned priority",
        "PFC supported on {} only",
    ),
    "switch.pfc_receive_priorities": (
        "received pauses of a planned priority are ignored",
        "received pauses obeyed on {} only",
    ),
}
needs = (_PFC, "nic.qos.pfc", _ACTIVE, *_CAPABILITIES)
failures = ("SW-02", "QOS-03")


def check(context: CheckContext) -> Outcome:
    """The plan has precedence; without intent the port must at least agree with the NIC."""
    found = context.get_found_value(_PFC)
    configured = _list_configured_priorities(context, found)
    across = _find_nic(context)
    try:
        intended = context.get_intended_value(_PFC)
    except NoIntentError:
        if across is None:
            raise
        intended = context.get_found_value("nic.qos.pfc", across)
    expected = format_pfc(intended)
    for path, (summary, found_text) in _CAPABILITIES.items():
        priorities = _find_capability(context, path)
        if priorities is not None and not intended <= priorities:
            fix = Fix("plan a priority of this set for the lossless class, or take another switch")
            return failure(summary, expected, found_text.format(format_priorities(priorities)), fix)
    if found == configured == intended:
        if context.facts.lacks_running_value(context.place, _PFC):
            raise _build_running_error(context)
        return success(expected, format_pfc(found) + _format_active(context))
    wrong = configured if found == intended else found
    fix = context.build_change("set the PFC priorities", _PFC, intended, found_value=wrong)
    found_text = _describe_found(context, found, configured, across, intended)
    return failure(_summarize(found, intended), expected, found_text, fix)


def _summarize(found: frozenset[int], intended: frozenset[int]) -> str:
    if found == intended:
        return "the configured PFC priorities differ from the plan; those in effect are as planned"
    deviation = "enabled for other priorities than planned" if found else "not enabled"
    return f"PFC of the port is {deviation}"


def _build_running_error(context: CheckContext) -> UnreadError:
    """Why the priorities in effect are unknown: the command that shows them failed, or does not show this port."""
    gaps = context.facts.list_gaps(context.place, _PFC)
    source = context.facts.find_running_source(context.place, _PFC)
    if gaps or source is None:
        return UnreadError(_PFC, NOT_IN_EFFECT, gaps)
    advice = f"look for a complete line of this port in {source.file}; if it has none, collect {source.device} again"
    return UnreadError(_PFC, NOT_IN_EFFECT, advice=advice)


def _find_capability(context: CheckContext, path: str) -> frozenset[int] | None:
    """None if the switch reports none."""
    try:
        priorities: frozenset[int] = context.get_found_value(path, Place(context.place.device))
    except UnreadError:
        return None
    return priorities


def _format_active(context: CheckContext) -> str:
    """A counter of the moment: no finding."""
    readings = context.facts.readings.get((context.place, _ACTIVE), ())
    if not any(reading.value for reading in readings):
        return ""
    context.get_found_value(_ACTIVE)
    return "; PFC active at the time of collection"


def _find_nic(context: CheckContext) -> Place | None:
    try:
        place, _ = context.find_other_end()
    except InapplicableError:
        return None
    return place if place.kind == "nic" else None


def _list_configured_priorities(context: CheckContext, found: frozenset[int]) -> frozenset[int]:
    """The configured priorities; the running ones if no configuration was read."""
    try:
        configured: frozenset[int] = context.get_found_value(_PFC, state=State.CONFIGURED)
    except UnreadError:
        return found
    return configured


def _describe_found(
    context: CheckContext,
    found: frozenset[int],
    configured: frozenset[int],
    across: Place | None,
    intended: frozenset[int],
) -> str:
    """The running priorities, the configured ones if they differ, and those of the NIC if they are not as planned."""
    text = format_pfc(found)
    if configured != found:
        text += f" in effect; configured: {format_priorities(configured)}"
    if across is None:
        return text
    try:
        nic_priorities = context.get_found_value("nic.qos.pfc", across)
    except UnreadError:
        return text
    try:
        planned = context.get_intended_value("nic.qos.pfc", across)  # switches can have more lossless classes
    except NoIntentError:
        planned = intended
    return (
        text
        if nic_priorities == planned
        else f"{text}; NIC {across.device}:{across.name}: {format_pfc(nic_priorities)}"
    )
