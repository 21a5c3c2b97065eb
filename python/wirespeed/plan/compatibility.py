"""Which versions of GPU software work together, from the catalogue's rows, and what would where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import GpuModel


@dataclass(frozen=True, slots=True)
class Combination:
    """What is to run on one host; None is not named. The field names are the keys of the cluster file."""

    gpu: GpuModel | None = None
    os: str = ""
    gpu_driver: str | None = None
    rocm: str | None = None
    cuda: str | None = None
    nvhpc: str | None = None
    gcc: str | None = None
    nccl_tests: str | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two things of a combination that do not go together. ``fatal``: it cannot work; else it works in part."""

    key: str  # of the cluster file
    found: str
    expected: str
    fatal: bool = True


def conflicts(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    """Everything in a combination that does not go together."""
    yield from _vendor(wanted, catalogue)
    yield from _architecture(wanted, catalogue)
    yield from _toolkit(wanted, catalogue)
    yield from _tests(wanted, catalogue)


def what_would_work(wanted: Combination, catalogue: Catalogue) -> Combination | None:
    """The nearest combination without a fatal conflict: fewest changes, then fewest warnings, then newest.

    The wanted one itself where it has none; None where nothing in the catalogue works.
    """
    if not any(conflict.fatal for conflict in conflicts(wanted, catalogue)):
        return wanted
    branch = _last_branch(wanted, catalogue)
    choices: dict[str, list[str | None]] = {
        "os": [wanted.os, *(["ubuntu-20.04"] if wanted.os == "ubuntu-22.04" else [])],
        "gpu_driver": [wanted.gpu_driver, *([branch] if branch and wanted.gpu_driver else [])],
        "cuda": [wanted.cuda, *(catalogue.cuda if wanted.cuda else [])],
        "gcc": [wanted.gcc, *({str(row.gcc.value): None for row in catalogue.cuda.values()} if wanted.gcc else [])],
        "nccl_tests": [wanted.nccl_tests, *(catalogue.nccl_tests if wanted.nccl_tests else [])],
        "nvhpc": [wanted.nvhpc, *([None] if wanted.nvhpc else [])],
    }
    best: tuple[tuple[int, int, bool, tuple[int, ...]], Combination] | None = None
    for values in product(*(dict.fromkeys(options) for options in choices.values())):
        changed = dict(zip(choices, values, strict=True))
        changes = sum(getattr(wanted, key) != value for key, value in changed.items())
        if not changes or (best and changes > best[0][0]):
            continue
        candidate = replace(wanted, **changed)  # type: ignore[arg-type]
        found = list(conflicts(candidate, catalogue))
        if any(conflict.fatal for conflict in found):
            continue
        age = tuple(-number for text in (candidate.cuda, candidate.gcc) for number in version(text or "0"))
        rank = (changes, len(found), candidate.nvhpc is None and wanted.nvhpc is not None, age)
        if best is None or rank < best[0]:
            best = rank, candidate
    return best[1] if best else None


def version(text: str) -> tuple[int, ...]:
    """The numbers of a version, to compare by: 470.182.03 -> (470, 182, 3)."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def gencode(gpu: GpuModel | None) -> tuple[str, ...] | None:
    """What nvcc must be told to make code for a GPU: code for itself, not what newer makefiles leave out by default."""
    if gpu is None or gpu.compute_capability is None:
        return None
    number = gpu.compute_capability.value.replace(".", "")
    return (f"-gencode=arch=compute_{number},code=sm_{number}",)


def _vendor(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = wanted.gpu
    if gpu is None:
        return
    for key in ("gpu_driver", "cuda", "nvhpc", "nccl_tests") if gpu.vendor != "nvidia" else ("rocm",):
        if (named := getattr(wanted, key)) is not None:
            others = "rocm" if gpu.vendor == "amd" else "cuda and gpu_driver"
            yield Conflict(key, f"{key} {named} for {_a(gpu.title)}", f"{others}, the software of its vendor")
    if gpu.vendor == "amd" and wanted.rocm and wanted.rocm not in catalogue.rocm:
        known = ", ".join(catalogue.rocm)
        yield Conflict("rocm", f"ROCm {wanted.rocm}", f"a release tested with the RDMA stack: {known}", fatal=False)


def _architecture(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = wanted.gpu
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu and gpu.compute_capability else None
    if gpu is None or gpu.compute_capability is None or row is None:
        return
    what = f"{_a(gpu.title)} (compute capability {gpu.compute_capability.value}, {row.title})"
    if wanted.gpu_driver and row.last_driver and version(wanted.gpu_driver)[0] > row.last_driver.value:
        yield Conflict(
            "gpu_driver",
            f"the driver {wanted.gpu_driver} for {what}",
            f"branch {row.last_driver.value}, the last that runs {row.title}, or an older one",
        )
    if wanted.cuda and row.last_cuda and version(wanted.cuda) > version(row.last_cuda.value):
        yield Conflict(
            "cuda",
            f"CUDA {wanted.cuda} for {what}",
            f"CUDA {row.last_cuda.value}, the last that compiles for {row.title}, or an older one",
        )
    if wanted.cuda and version(wanted.cuda) < version(row.first_cuda.value):
        yield Conflict(
            "cuda",
            f"CUDA {wanted.cuda} for {what}",
            f"CUDA {row.first_cuda.value}, the first that compiles for {row.title}, or a newer one",
        )


def _toolkit(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    if wanted.cuda is None:
        return
    row = catalogue.cuda.get(".".join(wanted.cuda.split(".")[:2]))
    if row is None:
        yield Conflict(
            "cuda", f"CUDA {wanted.cuda}", f"one of {', '.join(catalogue.cuda)}, which are known", fatal=False
        )
        return
    if wanted.gpu_driver and version(wanted.gpu_driver) < version(row.driver.value):
        least = row.family_driver or row.driver
        if version(wanted.gpu_driver) < version(least.value):
            yield Conflict(
                "cuda", f"{row.title} on the driver {wanted.gpu_driver}", f"the driver {least.value} or a newer one"
            )
        else:
            yield Conflict(
                "cuda",
                f"{row.title} on the driver {wanted.gpu_driver}, by minor-version compatibility",
                f"the driver {row.driver.value} or a newer one for all of its features",
                fatal=False,
            )
    if wanted.gcc and version(wanted.gcc)[:1] > (row.gcc.value,):
        yield Conflict("gcc", f"GCC {wanted.gcc} under nvcc of {row.title}", f"GCC {row.gcc.value} or an older one")
    if wanted.nvhpc and not wanted.gcc and row.nvhpc and version(wanted.nvhpc)[:1] > (row.nvhpc.value,):
        yield Conflict(
            "nvhpc",
            f"the C++ compiler of the HPC SDK {wanted.nvhpc} under {row.title}",
            f"an HPC SDK of 20{row.nvhpc.value} or an older one, whose compiler its headers take",
        )
    if row.breaks_on and wanted.os in row.breaks_on.value:
        yield Conflict(
            "cuda",
            f"{row.title} on {wanted.os}, whose stdio.h nvcc cannot read: attribute __malloc__ does not take arguments",
            "a newer toolkit or an older system",
        )


def _tests(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    if wanted.nccl_tests is None:
        return
    tests = catalogue.nccl_tests.get(wanted.nccl_tests)
    if tests is None:
        known = ", ".join(catalogue.nccl_tests)
        yield Conflict(
            "nccl_tests", f"the revision {wanted.nccl_tests}", f"one whose needs are known: {known}", fatal=False
        )
        return
    row = catalogue.cuda.get(".".join((wanted.cuda or "").split(".")[:2]))
    if row and tests.int128.value and not row.int128.value:
        yield Conflict(
            "nccl_tests",
            f"nccl-tests {wanted.nccl_tests}, which needs 128-bit integers, with nvcc of {row.title}",
            "a revision that does without, or CUDA 11.5 or newer",
        )


def _last_branch(wanted: Combination, catalogue: Catalogue) -> str | None:
    gpu = wanted.gpu
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu and gpu.compute_capability else None
    if row and row.last_driver:
        same = [
            one.driver.value for one in catalogue.cuda.values() if version(one.driver.value)[0] == row.last_driver.value
        ]
        return same[-1] if same else str(row.last_driver.value)
    return max((one.driver.value for one in catalogue.cuda.values()), key=version, default=None)


def _a(title: str) -> str:
    return f"{'an' if title[0] in 'AEIOUN' else 'a'} {title}"
