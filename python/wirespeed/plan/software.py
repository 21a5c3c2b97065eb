"""The software of a host: refused where it cannot work, with what would; else what to install, in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import GpuModel, NicModel
from wirespeed.cluster import HostSpec, SoftwarePart
from wirespeed.plan.compatibility import Combination, conflicts, gencode, what_would_work
from wirespeed.plan.drivers import AFTER, Drivers, drivers_of, kernel_has_client, numbered
from wirespeed.plan.problems import Problems
from wirespeed.settings import Action, InstallStep, Package, Software

_KEYS = ("gpu_driver", "rocm", "cuda", "nvhpc", "gcc", "nccl_tests")


@dataclass(frozen=True, slots=True)
class HostSoftware:
    """What hosts of one kind have installed."""

    versions: Software = field(default_factory=Software)
    packages: dict[str, Package] = field(default_factory=dict)
    steps: dict[str, InstallStep] = field(default_factory=dict)
    kernel: str | None = None
    built_in_client: bool | None = None


def software_of(
    spec: HostSpec, nic: NicModel | None, gpu: GpuModel | None, catalogue: Catalogue, problems: Problems
) -> HostSoftware:
    """What the hosts with this spec must have installed."""
    part = spec.part.software
    wanted = Combination(gpu=gpu, os=spec.os, **{key: getattr(part, key) for key in _KEYS})
    _refuse(spec, wanted, catalogue, problems)
    drivers = drivers_of(spec, nic, gpu is not None, catalogue, problems) if nic else None
    versions = Software(
        gpu_driver=part.gpu_driver,
        rocm=part.rocm,
        cuda=(".".join(part.cuda.split(".")[:2]),) if part.cuda else None,
        nvhpc=part.nvhpc,
        gcc=part.gcc,
        nccl_tests=part.nccl_tests,
        gencode=gencode(gpu) if part.cuda or part.nccl_tests else None,
    )
    return HostSoftware(
        versions=versions,
        packages=drivers.packages if drivers else {},
        steps=numbered(_steps(part, drivers)),
        kernel=part.kernel,
        built_in_client=kernel_has_client(spec, catalogue),
    )


def _steps(part: SoftwarePart, drivers: Drivers | None) -> list[InstallStep]:
    """In order: what stands in the way, GPU software, NIC drivers, what the kernel boots with."""
    gpu = [
        InstallStep(Action.GPU_DRIVER, "NVIDIA driver", part.gpu_driver) if part.gpu_driver else None,
        InstallStep(Action.ROCM, "ROCm, with RCCL and the GPU driver", part.rocm) if part.rocm else None,
        InstallStep(Action.HPC_SDK, "HPC SDK, with toolkit, NCCL and MPI", part.nvhpc) if part.nvhpc else None,
        InstallStep(Action.CUDA, "CUDA toolkit", part.cuda) if part.cuda and not part.nvhpc else None,
    ]
    steps = [*(drivers.before if drivers else ()), *(step for step in gpu if step), *(drivers.steps if drivers else ())]
    kernel = drivers or part.gpu_driver or part.rocm
    return [*steps, *(AFTER if kernel else ())]


def _refuse(spec: HostSpec, wanted: Combination, catalogue: Catalogue, problems: Problems) -> None:
    found = list(conflicts(wanted, catalogue))
    hint = _hint(wanted, catalogue) if any(conflict.fatal for conflict in found) else None
    for conflict in found:
        path = (*spec.path, "software", conflict.key)
        if conflict.fatal:
            problems.refuse(path, conflict.found, conflict.expected, hint)
        else:
            problems.warn(path, conflict.found, conflict.expected)


def _hint(wanted: Combination, catalogue: Catalogue) -> str | None:
    better = what_would_work(wanted, catalogue)
    if better is None:
        return None
    changed = [(key, getattr(better, key)) for key in ("os", *_KEYS) if getattr(better, key) != getattr(wanted, key)]
    words = [f"{key}: {value}" if value else f"no {key}" for key, value in changed]
    return f"with the rest as it is, this works: {', '.join(words)}"
