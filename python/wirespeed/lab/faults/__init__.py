"""The kinds of faults: each file of this package registers one.

A file has ``TITLE``, one line of help; a docstring, its manual; and ``make(place)``, which returns the
commands that inject and remove the fault. It runs nothing. ``has_settled(lab, fault)``, if present, returns whether the
daemons have reacted; ``show(lab, fault)`` returns its visible symptoms.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from wirespeed.errors import did_you_mean, refuse
from wirespeed.lab.faults.place import FaultPlace
from wirespeed.lab.lab import Lab
from wirespeed.results.lab import LabFault

_HELPERS = ("place",)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault."""

    name: str
    title: str
    manual: str
    make: Callable[[FaultPlace], LabFault]
    has_settled: Callable[[Lab, LabFault], bool]
    show: Callable[[Lab, LabFault], list[str]] | None


def _settles_immediately(lab: Lab, fault: LabFault) -> bool:
    return True


@cache
def kinds() -> Mapping[str, Kind]:
    """Every kind by name."""
    kind_by_name = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name in _HELPERS:
            continue
        file = importlib.import_module(f"{__name__}.{module.name}")
        name = module.name.replace("_", "-")
        manual = inspect.cleandoc(file.__doc__ or "")
        kind_by_name[name] = Kind(
            name,
            file.TITLE,
            manual,
            file.make,
            getattr(file, "has_settled", _settles_immediately),
            getattr(file, "show", None),
        )
    return dict(sorted(kind_by_name.items()))


def kind(name: str) -> Kind:
    """One kind.

    Raises:
        Refusal: no kind has this name.
    """
    kind_by_name = kinds()
    if name not in kind_by_name:
        raise refuse(
            "lab fault",
            f"the fault {name!r}",
            f"one of {', '.join(kind_by_name)}",
            did_you_mean(name, list(kind_by_name)),
        )
    return kind_by_name[name]
