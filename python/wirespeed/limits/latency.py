"""The least time of a message: its bits on the link once, and light in the cables. Clocks, switches and NICs are not
counted.

This is the physical limit. The catalogue does not contain the latency of switches, NICs and libraries, so a higher
latency is no verdict; a lower one is not of this network.
"""

from __future__ import annotations

from wirespeed.limits import framing
from wirespeed.limits.bound import number
from wirespeed.limits.framing import Path, Verb
from wirespeed.plan import Cable, Plan
from wirespeed.results.verdicts import Bound, Term

MICROSECONDS = "us"
_SMALLEST = 84  # bytes of link time of the shortest frame: IEEE 802.3 clauses 3 and 4


def message_term(path: Path, size: int | None, verb: Verb = Verb.WRITE) -> Term:
    """The frames of a message at line rate. A message of no bytes takes the smallest frame."""
    on_wire = framing.message_wire_bytes(path, size, verb) if size else _SMALLEST
    return bytes_term(on_wire, path.speed.gb_per_s, f"on the wire at {number(path.speed.gb_per_s)} Gb/s")


def bytes_term(count: int, gb_per_s: float, label: str) -> Term:
    """The time of bytes at a rate."""
    return Term("serialisation", count * 8 / gb_per_s / 1e3, MICROSECONDS, f"{count} B {label}", framing.SOURCE)


def cables_term(plan: Plan, source: tuple[str, str], target: tuple[str, str], passes: int = 1) -> Term | None:
    """Light in the cables at both ends; cables between leaves are not included. None where a length is not known."""
    ends: dict[Cable, None] = {}
    for cable in plan.cables:
        if any((end.device, end.port) in (source, target) for end in (cable.a, cable.b)):
            ends[cable] = None
    total = 0.0
    formula = []
    for cable in ends:
        model = plan.hardware.cables.get(cable.cable or "")
        if cable.length is None or model is None:
            return None
        total += cable.length.metres * model.delay_ns_per_m.value
        formula.append(f"{cable.length} × {number(model.delay_ns_per_m.value)} ns/m")
        name = model.delay_ns_per_m.source
    if not ends:
        return None
    times = f"{passes} × " if passes > 1 else ""
    return Term("propagation", passes * total / 1e3, MICROSECONDS, f"{times}({' + '.join(formula)})", name)


def sum_terms(terms: list[Term]) -> Bound:
    """The sum of the terms: their times follow each other."""
    largest = max(terms, key=lambda term: term.value)
    return Bound(sum(term.value for term in terms), MICROSECONDS, largest.name, tuple(terms))
