"""One folder per benchmark tool: ``reader.py`` reads its text, ``json_reader.py`` its JSON; being here registers them.

A reader has ``LOOKS_FOR``, "the <output> of <the tool> (<what it is recognised by>)"; ``SIGNS``, of which every
output of the tool has at least one; and ``read``, which returns every run of the tool in a log in order, and none when
there is none. Looking for signs is fast, reading line by line is not, and the log of a job has millions of lines.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from wirespeed.benchmarks.logs.log import Source, Substrings
from wirespeed.benchmarks.logs.run_draft import Found


@dataclass(frozen=True, slots=True)
class Tool:
    """A parser: its name, what it looks for, texts of which every output has one, and the function that reads."""

    name: str
    looks_for: str
    signs: tuple[str, ...]
    read: Callable[[Source], list[Found]]


@cache
def tools() -> tuple[Tool, ...]:
    """Every registered parser, by name."""
    found = []
    for folder in sorted(package.name for package in pkgutil.iter_modules(__path__) if package.ispkg):
        package = importlib.import_module(f"{__name__}.{folder}")
        files = {file.name for file in pkgutil.iter_modules(package.__path__)}
        for file, suffix in (("reader", ""), ("json_reader", "_json")):
            if file in files:
                module = importlib.import_module(f"{package.__name__}.{file}")
                found.append(Tool(folder + suffix, module.LOOKS_FOR, module.SIGNS, module.read))
    return tuple(found)


def tools_for(log: Source) -> list[Tool]:
    """The parsers of whose signs the log holds one, by name."""
    signs, owners = _signs()
    seen = {owner for owner, held in zip(owners, log.contained(signs), strict=True) if held}
    return [tool for tool in tools() if tool.name in seen]


@cache
def _signs() -> tuple[Substrings, tuple[str, ...]]:
    """All signs, and the tool each belongs to."""
    owners = tuple(tool.name for tool in tools() for _ in tool.signs)
    return Substrings([sign for tool in tools() for sign in tool.signs]), owners
