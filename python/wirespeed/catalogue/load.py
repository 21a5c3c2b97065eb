"""Reads the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TypeVar

from wirespeed.catalogue.compat import (
    AmdTarget,
    CudaToolkit,
    DriverRelease,
    GpuArchitecture,
    KernelSeries,
    NcclRelease,
    NcclTests,
    RocmRelease,
)
from wirespeed.catalogue.model import (
    CableModel,
    ChipModel,
    Entry,
    FailureMode,
    GpuModel,
    LibraryModel,
    NicModel,
    ServerModel,
    SwitchModel,
    SwitchSystem,
    TuningProfile,
    UnplannedModel,
)
from wirespeed.data_files import read_yaml, validate

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
    chips: Mapping[str, ChipModel] = field(default_factory=dict)
    drivers: Mapping[str, DriverRelease] = field(default_factory=dict)
    kernels: Mapping[str, KernelSeries] = field(default_factory=dict)
    gpu_architectures: Mapping[str, GpuArchitecture] = field(default_factory=dict)
    cuda: Mapping[str, CudaToolkit] = field(default_factory=dict)
    nccl: Mapping[str, NcclRelease] = field(default_factory=dict)
    amd_targets: Mapping[str, AmdTarget] = field(default_factory=dict)
    nccl_tests: Mapping[str, NcclTests] = field(default_factory=dict)
    rocm: Mapping[str, RocmRelease] = field(default_factory=dict)
    libraries: Mapping[str, LibraryModel] = field(default_factory=dict)
    tunings: Mapping[str, TuningProfile] = field(default_factory=dict)
    unplanned_switches: Mapping[str, UnplannedModel] = field(default_factory=dict)


@cache
def load() -> Catalogue:
    """Read the catalogue that ships with wirespeed.

    Raises:
        Refusal: a file is malformed.
    """
    root = resources.files(__package__)
    return Catalogue(
        nics=_read_folder(root / "nics", NicModel),
        gpus=_read_folder(root / "gpus", GpuModel),
        switches=_read_folder(root / "switches", SwitchModel),
        servers=_read_folder(root / "servers", ServerModel),
        switch_systems=_read_folder(root / "software" / "switch", SwitchSystem),
        cables=_read_folder(root / "cables", CableModel),
        chips=_read_folder(root / "chips", ChipModel),
        failures=_read_folder(root / "failures", FailureMode),
        drivers=_read_folder(root / "software" / "drivers", DriverRelease),
        kernels=_read_table(root / "software" / "compat" / "kernels.yaml", KernelSeries),
        gpu_architectures=_read_table(root / "software" / "compat" / "architectures.yaml", GpuArchitecture),
        cuda=_read_table(root / "software" / "compat" / "cuda.yaml", CudaToolkit),
        nccl=_read_table(root / "software" / "compat" / "nccl.yaml", NcclRelease),
        amd_targets=_read_table(root / "software" / "compat" / "amdgpu.yaml", AmdTarget),
        nccl_tests=_read_table(root / "software" / "compat" / "nccl-tests.yaml", NcclTests),
        rocm=_read_table(root / "software" / "compat" / "rocm.yaml", RocmRelease),
        libraries=_read_folder(root / "software" / "libraries", LibraryModel),
        tunings=_read_folder(root / "software" / "tuning", TuningProfile),
        unplanned_switches=_read_table(root / "unplanned_switches.yaml", UnplannedModel),
    )


def _read_folder(folder: Traversable, model: type[_Entry]) -> dict[str, _Entry]:
    if not folder.is_dir():
        return {}
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return {file.name.removesuffix(".yaml"): validate(model, read_yaml(file), f"{file}") for file in files}


def _read_table(file: Traversable, model: type[_Entry]) -> dict[str, _Entry]:
    """Read one file that holds many short entries, each under its name."""
    return {str(name): validate(model, entry, f"{file}: {name}") for name, entry in read_yaml(file).items()}
