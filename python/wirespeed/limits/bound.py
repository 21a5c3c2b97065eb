"""Terms into bounds, and bounds into the unit a tool prints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from wirespeed.results.verdicts import Bound, Term

GBPS = "Gb/s"
GIGABYTES = "GB/s"

BITS_PER_SECOND: dict[str, float] = {
    f"{prefix}{bits}": scale
    for bits in ("b/s", "bit/s", "bits/s", "bits/sec")
    for prefix, scale in {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.items()
} | {
    f"{prefix}B/s": 8.0 * scale
    for prefix, scale in {
        "": 1,
        "k": 10**3,
        "M": 10**6,
        "G": 10**9,
        "T": 10**12,
        "Ki": 2**10,
        "Mi": 2**20,
        "Gi": 2**30,
        "Ti": 2**40,
    }.items()
}
"""Bits per second in one of each unit of bandwidth that a benchmark prints."""


def convert(value: float, unit: str, to: str) -> float:
    """A bandwidth in another unit.

    Raises:
        KeyError: one of the units is no unit of bandwidth.
    """
    if unit == to:
        return value
    return value * BITS_PER_SECOND[unit] / BITS_PER_SECOND[to]


def tightest(terms: Iterable[Term], assumptions: Iterable[str] = ()) -> Bound:
    """The bound that terms of one unit make: the least of them binds, the first of equals.

    Raises:
        ValueError: there is no term, or their units differ.
    """
    of = tuple(terms)
    if not of:
        raise ValueError("a bound needs at least one term")
    if len({term.unit for term in of}) > 1:
        raise ValueError(f"terms in different units: {', '.join(sorted({term.unit for term in of}))}")
    least = min(of, key=lambda term: term.value)
    return Bound(least.value, least.unit, least.name, of, tuple(dict.fromkeys(assumptions)))


def in_unit(bound: Bound, unit: str) -> Bound:
    """The same bound in another unit of bandwidth; the formulas keep the unit they are written in.

    Raises:
        KeyError: one of the units is no unit of bandwidth.
    """
    if unit == bound.unit:
        return bound
    terms = tuple(
        dataclasses.replace(
            term,
            value=convert(term.value, term.unit, unit),
            unit=unit,
            formula=f"{term.formula} = {number(term.value)} {term.unit}",
        )
        for term in bound.terms
    )
    return dataclasses.replace(bound, value=convert(bound.value, bound.unit, unit), unit=unit, terms=terms)


def scaled(bound: Bound, factor: float, why: str) -> Bound:
    """The same bound times a factor; every formula says why."""
    terms = tuple(
        dataclasses.replace(term, value=term.value * factor, formula=f"({term.formula}) × {why}")
        for term in bound.terms
    )
    return dataclasses.replace(bound, value=bound.value * factor, terms=terms)


def number(value: float) -> str:
    """A number in a formula: as many digits as say something."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 10_000 else f"{value:.0f}"
