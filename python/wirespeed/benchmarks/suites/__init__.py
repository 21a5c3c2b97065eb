"""One file per suite of benchmarks; a file in this folder is registered.

A suite's file has ``TITLE``, one line of help; a docstring, its manual; and ``make(request)``, which returns its steps.
``NARROWS`` names the tests whose bad results are narrowed down; ``KERNEL_ONLY`` states that the suite needs neither
RDMA nor GPUs, so that hosts of a lab can run it. With ``OVER_SOCKETS`` it also measures hosts without RDMA, over their
PCIe bridges and Ethernet interfaces. ``IPERF3`` states that it runs iperf3, whose options a user may add to.
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
    """A suite: its help, the function that makes its steps, and those that make steps to narrow down a bad result."""

    name: str
    title: str
    manual: str
    make: Callable[[Request], Steps]
    follow_pair: Callable[[Request, Steps, Pair], None] | None  # adds a step for a pair that narrows down a bad one
    follow_group: Callable[[Request, Steps, Sequence[str]], None] | None
    narrows: tuple[str, ...]  # tests whose results are narrowed down
    kernel_only: bool  # needs neither RDMA nor GPUs, which hosts of a lab lack
    over_sockets: bool  # also measures hosts without RDMA
    iperf3: bool  # runs iperf3 with the options of the request


@cache
def suites() -> Mapping[str, Suite]:
    """Every suite by name."""
    suites_by_name = {}
    for module in pkgutil.iter_modules(__path__):
        file = importlib.import_module(f"{__name__}.{module.name}")
        name = module.name.replace("_", "-")
        suites_by_name[name] = Suite(
            name=name,
            title=file.TITLE,
            manual=inspect.cleandoc(file.__doc__ or ""),
            make=file.make,
            follow_pair=getattr(file, "follow_pair", None),
            follow_group=getattr(file, "follow_group", None),
            narrows=getattr(file, "NARROWS", ()),
            kernel_only=getattr(file, "KERNEL_ONLY", False),
            over_sockets=getattr(file, "OVER_SOCKETS", False),
            iperf3=getattr(file, "IPERF3", False),
        )
    return dict(sorted(suites_by_name.items()))


def suite(name: str) -> Suite:
    """One suite.

    Raises:
        Refusal: no suite has this name.
    """
    known_suites = suites()
    if name not in known_suites:
        raise refuse(
            "bench run",
            f"the suite {name!r}",
            f"one of {', '.join(known_suites)}",
            did_you_mean(name, list(known_suites)),
        )
    return known_suites[name]
