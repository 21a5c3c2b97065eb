"""The least time of a message: its bits on the link once, and light in the cables. No clock, switch or NIC is counted.

Nothing is faster. What switches, NICs and libraries add is in no catalogue, so a latency above this is no verdict;
one below is not of this network.
"""

from __future__ import annotations

from wirespeed.limits import framing
from wirespeed.limits.bound import number
from wirespeed.limits.framing import Path, Verb
from wirespeed.plan import Cable, Plan
from wirespeed.results.verdicts import Bound, Term

MICROSECONDS = "us"
_SMALLEST = 84  # bytes a frame takes of the link at least: IEEE 802.3 clauses 3 and 4


def of_message(path: Path, size: int | None, verb: Verb = Verb.WRITE) -> Term:
    """A message's frames at line rate; of one of no bytes the smallest frame there is."""
    on_wire = framing.message_wire_bytes(path, size, verb) if size else _SMALLEST
    return of_bytes(on_wire, path.speed.gb_per_s, f"on the wire at {number(path.speed.gb_per_s)} Gb/s")


def of_bytes(count: int, gb_per_s: float, label: str) -> Term:
    """So many bytes at a rate."""
    return Term("serialisation", count * 8 / gb_per_s / 1e3, MICROSECONDS, f"{count} B {label}", framing.SOURCE)


def of_cables(plan: Plan, source: tuple[str, str], target: tuple[str, str], passes: int = 1) -> Term | None:
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
    """The terms together: each takes its time after the other."""
    largest = max(terms, key=lambda term: term.value)
    return Bound(sum(term.value for term in terms), MICROSECONDS, largest.name, tuple(terms))
