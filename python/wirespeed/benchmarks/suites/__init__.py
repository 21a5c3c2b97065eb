"""One file per suite of benchmarks; being here registers it.

A suite's file has ``TITLE``, one line of help; a docstring, its manual; and ``make(request)``, which returns its steps.
``NARROWS`` names the tests by which what is bad is narrowed down, ``KERNEL_ALONE`` says that it needs neither RDMA nor
GPUs, so that hosts of a lab can run it.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from wirespeed.benchmarks.steps.pairing import Pair
from wirespeed.benchmarks.steps.request import Request, Steps
from wirespeed.errors import did_you_mean, refuse


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: what it is for, how its steps are made, and those that narrow down what failed."""

    name: str
    title: str
    manual: str
    make: Callable[[Request], Steps]
    follow_pair: Callable[[Request, Steps, Pair], None] | None  # adds the step of one more pair
    follow_group: Callable[[Request, Steps, Sequence[str]], None] | None
    narrows: tuple[str, ...]  # tests whose results are looked at
    kernel_alone: bool  # whether it asks for no RDMA and no GPU: hosts of a lab have none


@cache
def suites() -> Mapping[str, Suite]:
    """Every suite by name."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        file = importlib.import_module(f"{__name__}.{module.name}")
        name = module.name.replace("_", "-")
        found[name] = Suite(
            name=name,
            title=file.TITLE,
            manual=inspect.cleandoc(file.__doc__ or ""),
            make=file.make,
            follow_pair=getattr(file, "follow_pair", None),
            follow_group=getattr(file, "follow_group", None),
            narrows=getattr(file, "NARROWS", ()),
            kernel_alone=getattr(file, "KERNEL_ALONE", False),
        )
    return dict(sorted(found.items()))


def suite(name: str) -> Suite:
    """One suite.

    Raises:
        Refused: there is none of this name.
    """
    known = suites()
    if name not in known:
        raise refuse("bench run", f"the suite {name!r}", f"one of {', '.join(known)}", did_you_mean(name, list(known)))
    return known[name]
