"""The slot of a PCIe card, as the firmware names it, in the fix of a finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirespeed.checks.model import CheckContext, Outcome
from wirespeed.settings import Host, Place


def find_slot(context: CheckContext, address: str) -> str | None:
    """The designation of the slot of this function's device. None if the firmware gives none: no check needs it."""
    host = context.facts.devices.get(context.place.device)
    slots = host.slots if isinstance(host, Host) else None
    device = address.rpartition(".")[0]
    return next((slot for name, slot in (slots or {}).items() if name.rpartition(".")[0] == device), None)


def name_slot(
    check: Callable[[CheckContext], Outcome], place: Callable[[CheckContext], Place]
) -> Callable[[CheckContext], Outcome]:
    """The same check, whose fixes name the slot of "the card" at this place."""

    def check_and_name(context: CheckContext) -> Outcome:
        outcome = check(context)
        slot = find_slot(context, place(context).name) if outcome.fix else None
        if slot is None:
            return outcome
        fixes = (
            replace(fix, sentence=fix.sentence.replace("the card", f"the card in {slot}", 1)) for fix in outcome.fix
        )
        return replace(outcome, fix=tuple(fixes))

    return check_and_name
