"""One file per benchmark tool and format; being here registers it.

A tool's file has ``LOOKS_FOR``, what its output is recognised by, in a user's words, and ``read``, which returns every
run of the tool in a log in order, and none when there is none.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from wirespeed.benchmarks.found import Found
from wirespeed.benchmarks.source import Source


@dataclass(frozen=True, slots=True)
class Tool:
    """A parser: its name, what it looks for, and the function that reads."""

    name: str
    looks_for: str
    read: Callable[[Source], list[Found]]


@cache
def tools() -> tuple[Tool, ...]:
    """Every registered parser, by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(Tool(name, module.LOOKS_FOR, module.read) for name, module in zip(names, modules, strict=True))
