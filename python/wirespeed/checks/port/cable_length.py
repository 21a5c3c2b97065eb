"""Cable length in the configuration of the switch port

The port is configured for a cable at least as long as the planned one, and no longer than the longest of the switch.

Impact:
    The switch derives the headroom of PFC from the cable length. For a shorter one the headroom is too small for the
    packets that arrive after a pause: packets of the lossless class are dropped. For a longer one the port takes more
    of the shared buffer than it needs.

Fix:
    Set the cable length of the port.

Example:
    interface Eth1/1
     cable-length 5m

Source:
    SONiC, CABLE_LENGTH and the lookup of PFC headroom; IEEE 802.1Q-2022, annex N
"""

from wirespeed.checks.model import CheckContext, InapplicableError, Outcome, failure, success, warning
from wirespeed.facts import State
from wirespeed.plan.cable_length import exceeds_cable, find_longest_cable
from wirespeed.results.findings import Fix
from wirespeed.settings import Port
from wirespeed.units import Length

subject = Port
_PATH = "port.cable_length"
needs = (_PATH,)
failures = ("SW-04",)


def check(context: CheckContext) -> Outcome:
    """The length in effect and the configured one, which is in effect after the next calculation of the headroom.

    A longer cable only takes buffer. Where one value is that of all ports, it is that of the longest cable.
    """
    intended = context.get_intended_value(_PATH)
    if not context.entity.qos.pfc:
        raise InapplicableError("no priority of the port is lossless")
    if context.is_automatic(_PATH):
        raise InapplicableError("the switch computes its headroom without a cable length")
    found = context.get_found_value(_PATH)
    fix = context.build_change("set the cable length of the port", _PATH, intended)
    configured = _find_configured(context)
    if configured == 0:
        return failure("the port has no cable length", str(intended), "none configured", fix)
    if found < intended:
        if configured is not None and configured >= intended:
            fix = Fix(
                "apply the rendered configuration of the switch again: its merge script names what the switch lacks"
            )
        return failure("the port has headroom for a shorter cable", str(intended), str(found), fix)
    if configured is not None and configured < intended:
        text = f"{found} in effect; {configured} configured"
        return failure("the port is configured for a shorter cable", str(intended), text, fix)
    longest = find_longest_cable(context.plan.switches[context.place.device])
    found = found if configured is None else max(found, configured)
    if not exceeds_cable(found, longest):
        return success(f"at least {intended}", str(found))
    return warning(
        "the port has headroom for a longer cable",
        str(intended) if intended == longest else f"{intended} to {longest}, the longest of the switch",
        str(found),
        fix,
        reason="more headroom than needed only takes shared buffer",
    )


def _find_configured(context: CheckContext) -> Length | None:
    """The configured length; 0: none. A reading that the check uses already is not repeated in its evidence."""
    readings = context.facts.readings.get((context.place, _PATH), ())
    reading = next((reading for reading in readings if reading.state is State.CONFIGURED), None)
    if reading is None:
        return None
    length: Length = reading.value if reading is readings[0] else context.get_found_value(_PATH, state=State.CONFIGURED)
    return length
