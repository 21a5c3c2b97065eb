"""Which versions of GPU software work together, from the catalogue's rows, and what would where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from wirespeed.catalogue import Catalogue
from wirespeed.plan.combination import Combination, Conflict, a, describe_gpu, gencode, version
from wirespeed.plan.nccl import nccl_conflicts


def conflicts(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    """Everything in a combination that does not go together."""
    yield from _vendor(wanted, catalogue)
    yield from _architecture(wanted, catalogue)
    yield from _target(wanted, catalogue)
    yield from _toolkit(wanted, catalogue)
    yield from nccl_conflicts(wanted, catalogue)
    yield from _tests(wanted, catalogue)


def what_would_work(wanted: Combination, catalogue: Catalogue) -> Combination | None:
    """The nearest combination without a fatal conflict: fewest changes, then fewest warnings, then newest.

    The wanted one itself where it has none; None where nothing in the catalogue works.
    """
    if not any(conflict.fatal for conflict in conflicts(wanted, catalogue)):
        return wanted
    others = _alternatives(wanted, catalogue)
    for changes in range(1, len(others) + 1):
        best: tuple[tuple[int, bool, tuple[int, ...]], Combination] | None = None
        for keys in combinations(others, changes):
            for values in product(*(others[key] for key in keys)):
                candidate = replace(wanted, **dict(zip(keys, values, strict=True)))  # type: ignore[arg-type]
                found = list(conflicts(candidate, catalogue))
                rank = (len(found), candidate.nvhpc is None and wanted.nvhpc is not None, _age(candidate))
                if not any(conflict.fatal for conflict in found) and (best is None or rank < best[0]):
                    best = rank, candidate
        if best:
            return best[1]
    return None


def _alternatives(wanted: Combination, catalogue: Catalogue) -> dict[str, list[str | None]]:
    """What each part of a combination could be instead; the same part is left out, and so is what was not named."""
    branch = _last_branch(wanted, catalogue)
    choices: dict[str, list[str | None]] = {
        "os": ["ubuntu-20.04"] if wanted.os == "ubuntu-22.04" else [],
        "gpu_driver": [branch] if branch and wanted.gpu_driver else [],
        "rocm": [*catalogue.rocm] if wanted.rocm else [],
        "cuda": [*catalogue.cuda] if wanted.cuda else [],
        "gcc": [*{str(row.gcc.value): None for row in catalogue.cuda.values()}] if wanted.gcc else [],
        "nccl": [*catalogue.nccl] if wanted.nccl else [],
        "nvcc_gencode": [*_own_code(wanted)],
        "nccl_tests": [*catalogue.nccl_tests] if wanted.nccl_tests else [],
        "nvhpc": [None] if wanted.nvhpc else [],
    }
    return {
        key: found
        for key, values in choices.items()
        if (found := [value for value in values if value != getattr(wanted, key)])
    }


def _age(candidate: Combination) -> tuple[int, ...]:
    """Less is newer."""
    parts = (candidate.cuda, candidate.nccl, candidate.rocm, candidate.gcc)
    return tuple(-number for text in parts for number in (*version(text or "0"), 0, 0)[:3])


def _own_code(wanted: Combination) -> list[str]:
    """Code for the very GPU, where something is compiled or could be."""
    targets = gencode(wanted.gpu)
    return [" ".join(targets)] if targets and (wanted.nccl or wanted.nvcc_gencode) else []


def _vendor(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = wanted.gpu
    if gpu is None:
        return
    for key in (
        ("gpu_driver", "cuda", "nvhpc", "nccl", "nvcc_gencode", "nccl_tests") if gpu.vendor != "nvidia" else ("rocm",)
    ):
        if (named := getattr(wanted, key)) is not None:
            others = "rocm" if gpu.vendor == "amd" else "cuda and gpu_driver"
            yield Conflict(key, f"{key} {named} for {a(gpu.title)}", f"{others}, the software of its vendor")
    if gpu.vendor == "amd" and wanted.rocm and wanted.rocm not in catalogue.rocm:
        known = ", ".join(catalogue.rocm)
        yield Conflict("rocm", f"ROCm {wanted.rocm}", f"a release tested with the RDMA stack: {known}", fatal=False)


def _architecture(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = wanted.gpu
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu and gpu.compute_capability else None
    if gpu is None or gpu.compute_capability is None or row is None:
        return
    description = describe_gpu(gpu, row.title)
    if wanted.gpu_driver and row.last_driver and version(wanted.gpu_driver)[0] > row.last_driver.value:
        yield Conflict(
            "gpu_driver",
            f"the driver {wanted.gpu_driver} for {description}",
            f"branch {row.last_driver.value}, the last that runs {row.title}, or an older one",
        )
    if wanted.cuda and row.last_cuda and version(wanted.cuda) > version(row.last_cuda.value):
        yield Conflict(
            "cuda",
            f"CUDA {wanted.cuda} for {description}",
            f"CUDA {row.last_cuda.value}, the last that compiles for {row.title}, or an older one",
        )
    if wanted.cuda and version(wanted.cuda) < version(row.first_cuda.value):
        yield Conflict(
            "cuda",
            f"CUDA {wanted.cuda} for {description}",
            f"CUDA {row.first_cuda.value}, the first that compiles for {row.title}, or a newer one",
        )


def _target(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = wanted.gpu
    row = catalogue.amd_targets.get(gpu.target.value) if gpu and gpu.target else None
    if gpu and row and wanted.rocm and version(wanted.rocm) < version(row.first_rocm.value):
        yield Conflict(
            "rocm",
            f"ROCm {wanted.rocm} for {describe_gpu(gpu, row.title)}",
            f"ROCm {row.first_rocm.value}, the first whose RCCL has code for it, or a newer one",
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
        minimum = row.family_driver or row.driver
        if version(wanted.gpu_driver) < version(minimum.value):
            yield Conflict(
                "cuda", f"{row.title} on the driver {wanted.gpu_driver}", f"the driver {minimum.value} or a newer one"
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
            release.driver.value
            for release in catalogue.cuda.values()
            if version(release.driver.value)[0] == row.last_driver.value
        ]
        return same[-1] if same else str(row.last_driver.value)
    return max((release.driver.value for release in catalogue.cuda.values()), key=version, default=None)
