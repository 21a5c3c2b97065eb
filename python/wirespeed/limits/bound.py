"""Combines terms into bounds, and converts bounds into the unit that a tool prints."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from wirespeed.results.verdicts import Bound, Term
from wirespeed.units import BITS_PER_SECOND

GBPS = "Gb/s"
GIGABYTES = "GB/s"


def convert(value: float, unit: str, target_unit: str) -> float:
    """A bandwidth in another unit.

    Raises:
        KeyError: one of the units is no unit of bandwidth.
    """
    if unit == target_unit:
        return value
    return value * BITS_PER_SECOND[unit] / BITS_PER_SECOND[target_unit]


def tightest(terms: Iterable[Term], assumptions: Iterable[str] = ()) -> Bound:
    """The bound that terms of one unit make: the smallest is the bottleneck, the first of equal ones.

    Raises:
        ValueError: there is no term, or their units differ.
    """
    all_terms = tuple(terms)
    if not all_terms:
        raise ValueError("a bound needs at least one term")
    if len({term.unit for term in all_terms}) > 1:
        raise ValueError(f"terms in different units: {', '.join(sorted({term.unit for term in all_terms}))}")
    smallest = min(all_terms, key=lambda term: term.value)
    return Bound(smallest.value, smallest.unit, smallest.name, all_terms, tuple(dict.fromkeys(assumptions)))


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


def scale_bound(bound: Bound, factor: float, reason: str) -> Bound:
    """The same bound times a factor; every formula contains the reason."""
    terms = tuple(
        dataclasses.replace(term, value=term.value * factor, formula=f"({term.formula}) × {reason}")
        for term in bound.terms
    )
    return dataclasses.replace(bound, value=bound.value * factor, terms=terms)


def every(count: int, noun: str) -> str:
    """``both hosts``, ``all 4 hosts``."""
    return f"both {noun}" if count == 2 else f"all {count} {noun}"


def number(value: float) -> str:
    """A number in a formula or text: two decimals at most, from 1,000 on none; thousands have a separator."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:,.0f}"
