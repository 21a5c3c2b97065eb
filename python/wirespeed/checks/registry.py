"""Registry of checks: a file in the folder of a group is a check, and its path is its id."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType, ModuleType
from typing import Any

from wirespeed import catalogue
from wirespeed.checks import manual
from wirespeed.checks.model import Check
from wirespeed.settings import ENTITIES, list_collections, list_settings


@cache
def checks() -> Mapping[str, Check]:
    """Every check by id, sorted.

    Raises:
        TypeError: a check's file lacks a part.
    """
    package = importlib.import_module("wirespeed.checks")
    check_by_id: dict[str, Check] = {}
    for group in pkgutil.iter_modules(package.__path__):
        if not group.ispkg:
            continue
        inner = importlib.import_module(f"{package.__name__}.{group.name}")
        for entry in pkgutil.iter_modules(inner.__path__):
            identifier = f"{group.name}.{entry.name}".replace("_", "-")
            check_by_id[identifier] = load(identifier, importlib.import_module(f"{inner.__name__}.{entry.name}"))
    return MappingProxyType(dict(sorted(check_by_id.items())))


def load(identifier: str, module: ModuleType) -> Check:
    """The check in a module.

    Raises:
        TypeError: the module lacks a part, a needed path is no setting, or a failure is not in the catalogue.
    """

    def read_part(name: str, kind: Any) -> Any:
        value = getattr(module, name, None)
        if not isinstance(value, kind) or value == ():
            raise TypeError(f"check {identifier} lacks {name}")
        return value

    subject = read_part("subject", type)
    if subject not in ENTITIES:
        raise TypeError(f"check {identifier}: subject must be a kind of entity, found {subject.__name__}")
    needs = read_part("needs", tuple)
    unknown = sorted(set(needs) - _list_known_paths())
    if unknown:
        raise TypeError(f"check {identifier} needs {', '.join(unknown)}: no setting or collection")
    failures = read_part("failures", tuple)
    absent = sorted(set(failures) - set(catalogue.load().failures))
    if absent:
        raise TypeError(f"check {identifier} cites {', '.join(absent)}: not in the catalogue of failures")
    function = getattr(module, "check", None)
    if not callable(function):
        raise TypeError(f"check {identifier} lacks check, its function")
    return Check(
        id=identifier,
        manual=manual.read(identifier, module.__doc__ or ""),
        subject=subject,
        needs=needs,
        failures=failures,
        function=function,
        presence=getattr(module, "presence", False),
        causes=getattr(module, "causes", ()),
    )


def read_stored_ids() -> tuple[str, ...]:
    """The ids in ``ids.txt``, which holds them so that none changes unnoticed."""
    text = (resources.files(__package__) / "ids.txt").read_text(encoding="utf-8")
    return tuple(text.split())


@cache
def _list_known_paths() -> frozenset[str]:
    return frozenset(path for entity in ENTITIES for path in (*list_settings(entity), *list_collections(entity)))
