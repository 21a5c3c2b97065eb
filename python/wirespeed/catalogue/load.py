"""Reading the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TypeVar

import yaml

from wirespeed.catalogue.model import (
    CableModel,
    CollectivesModel,
    Entry,
    FailureMode,
    GpuModel,
    NicModel,
    ServerModel,
    SwitchModel,
    SwitchSystem,
)

_Entry = TypeVar("_Entry", bound=Entry)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All models by name."""

    nics: Mapping[str, NicModel]
    gpus: Mapping[str, GpuModel]
    switches: Mapping[str, SwitchModel]
    servers: Mapping[str, ServerModel]
    switch_systems: Mapping[str, SwitchSystem]
    cables: Mapping[str, CableModel]
    failures: Mapping[str, FailureMode]
    collectives: Mapping[str, CollectivesModel] = field(default_factory=dict)


@cache
def load() -> Catalogue:
    """The catalogue that comes with wirespeed."""
    root = resources.files(__package__)
    return Catalogue(
        nics=_folder(root / "nics", NicModel),
        gpus=_folder(root / "gpus", GpuModel),
        switches=_folder(root / "switches", SwitchModel),
        servers=_folder(root / "servers", ServerModel),
        switch_systems=_folder(root / "software" / "switch", SwitchSystem),
        cables=_folder(root / "cables", CableModel),
        failures=_folder(root / "failures", FailureMode),
        collectives=_folder(root / "software" / "collectives", CollectivesModel),
    )


def _folder(folder: Traversable, model: type[_Entry]) -> dict[str, _Entry]:
    if not folder.is_dir():
        return {}
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return {file.name.removesuffix(".yaml"): _read(file, model) for file in files}


def _read(file: Traversable, model: type[_Entry]) -> _Entry:
    return model.model_validate(yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
