"""Lossless priority groups of the switch port

Each planned lossless priority group of the port has a lossless buffer profile in effect, on a system that makes these
profiles itself. A configured profile is not enough: the system may not have calculated or found it.

Impact:
    Without a lossless buffer profile the group has no headroom, and the port sends no pause for it. PFC is configured,
    but packets of the lossless class are dropped when the queue is full.

Fix:
    Apply the rendered configuration of the switch again. Its merge script names what the switch lacks: the buffer
    model, the pool, or a profile for the port's speed and cable length.

Example:
    $ sonic-db-dump -n APPL_DB -k "BUFFER_P*" -y
    "BUFFER_PG_TABLE:Ethernet0:3": {"type": "hash", "value": {"profile": "pg_lossless_400000_5m_profile"}}

Source:
    sonic-swss, cfgmgr/buffermgr.cpp and cfgmgr/buffermgrdyn.cpp; sonic-buildimage, pg_profile_lookup.ini of devices
"""

from dataclasses import replace

from wirespeed.checks.model import CheckContext, Outcome, failure, success
from wirespeed.checks.wording import format_value
from wirespeed.facts import State
from wirespeed.results.findings import Fix
from wirespeed.settings import Place, Port

subject = Port
_PATH = "port.qos.lossless_groups"
needs = (_PATH, "port.qos.pfc", "switch.buffers.lossless")
failures = ("SW-04",)


def check(context: CheckContext) -> Outcome:
    """A configured group without a reading of the profile in effect is not known to be lossless."""
    intended = context.get_intended_value(_PATH)
    missing = intended - context.get_found_value(_PATH)
    expected = f"a lossless buffer profile on priority group {format_value(intended)}"
    if missing:
        outcome = failure(
            "a lossless priority group has no lossless buffer profile",
            expected,
            f"none on priority group {format_value(missing)}",
            Fix("apply the rendered configuration of the switch again: its merge script names what the switch lacks"),
        )
        return _name_cause(context, outcome)
    context.get_found_value(_PATH, state=State.RUNNING)
    return success(expected, expected)


def _name_cause(context: CheckContext, outcome: Outcome) -> Outcome:
    """Without the lossless pool, and without PFC on the port, the system makes no profile."""
    switch = Place(context.place.device)
    if context.facts.value(switch, "switch.buffers.lossless") is False:
        return replace(outcome, causes=("qos.lossless-buffers",), cause_place=switch)
    paused = context.facts.value(context.place, "port.qos.pfc")
    is_off = paused is not None and not context.entity.qos.pfc <= paused
    return replace(outcome, causes=("qos.pfc",)) if is_off else outcome
