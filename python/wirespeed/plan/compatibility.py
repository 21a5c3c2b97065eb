"""Compatibility of GPU software by the catalogue, and the nearest combination that works."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.compat import CudaToolkit
from wirespeed.errors import format_choices
from wirespeed.plan.combination import Combination, Conflict, a, describe_gpu, gencode, parse_version
from wirespeed.plan.nccl import nccl_conflicts


def conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    """All conflicts of a combination."""
    yield from _find_vendor_conflicts(combination, catalogue)
    yield from _find_architecture_conflicts(combination, catalogue)
    yield from _find_target_conflicts(combination, catalogue)
    yield from _find_toolkit_conflicts(combination, catalogue)
    yield from nccl_conflicts(combination, catalogue)
    yield from _find_test_conflicts(combination, catalogue)


def find_alternative(combination: Combination, catalogue: Catalogue) -> Combination | None:
    """The nearest combination without a fatal conflict: fewest changes, then fewest warnings, then newest.

    The combination itself if it has none. None if no combination of the catalogue works.
    """
    if not any(conflict.fatal for conflict in conflicts(combination, catalogue)):
        return combination
    alternatives = _list_alternatives(combination, catalogue)
    best: tuple[tuple[int, ...], Combination] | None = None
    for count in range(1, len(alternatives) + 1):
        if best and best[0][0] < count - (combination.nvhpc is not None):
            break
        for keys in combinations(alternatives, count):
            for values in product(*(alternatives[key] for key in keys)):
                candidate = replace(combination, **dict(zip(keys, values, strict=True)))  # type: ignore[arg-type]
                remaining_conflicts = list(conflicts(candidate, catalogue))
                if any(conflict.fatal for conflict in remaining_conflicts):
                    continue
                changes = count + _count_sdk_changes(combination, candidate)
                rank = (changes, len(remaining_conflicts), count, "nvhpc" in keys, *_rank_age(candidate))
                if best is None or rank < best[0]:
                    best = rank, candidate
    return best[1] if best else None


def _count_sdk_changes(combination: Combination, candidate: Combination) -> int:
    """Changes beside those of the keys: another HPC SDK brings its toolkit, without one MPI and toolkit are missing."""
    if candidate.nvhpc == combination.nvhpc:
        return 0
    return 1 if candidate.nvhpc is None else -int(candidate.cuda != combination.cuda)


def _list_alternatives(combination: Combination, catalogue: Catalogue) -> dict[str, list[str | None]]:
    """Alternatives for each part of a combination, without the present value. Parts that are not set have none."""
    branch = _last_branch(combination, catalogue)
    choices: dict[str, list[str | None]] = {
        "os": ["ubuntu-20.04"] if combination.os == "ubuntu-22.04" else [],
        "gpu_driver": [branch] if branch and combination.gpu_driver else [],
        "rocm": [*catalogue.rocm] if combination.rocm else [],
        "cuda": [*catalogue.cuda] if combination.cuda else [],
        "gcc": [*{str(row.gcc.value): None for row in catalogue.cuda.values()}] if combination.gcc else [],
        "nccl": [*catalogue.nccl] if combination.nccl else [],
        "nvcc_gencode": [*_list_gencode(combination)],
        "nccl_tests": [*catalogue.nccl_tests] if combination.nccl_tests else [],
        "nvhpc": [None, *_list_sdks(catalogue)] if combination.nvhpc else [],
    }
    return {
        key: alternatives
        for key, values in choices.items()
        if (alternatives := [value for value in values if value != getattr(combination, key)])
    }


def _list_sdks(catalogue: Catalogue) -> list[str]:
    """The releases of the HPC SDK whose toolkits are known."""
    return sorted(
        {sdk for row in catalogue.cuda.values() if row.hpc_sdk for sdk in row.hpc_sdk.value}, key=parse_version
    )


def _rank_age(candidate: Combination) -> tuple[int, ...]:
    """The age of the software: a smaller rank is newer."""
    parts = (candidate.cuda, candidate.nccl, candidate.rocm, candidate.gcc)
    return tuple(-number for text in parts for number in (*parse_version(text or "0"), 0, 0)[:3])


def _list_gencode(combination: Combination) -> list[str]:
    """The nvcc options for the GPU, if software is compiled or can be."""
    targets = gencode(combination.gpu)
    return [" ".join(targets)] if targets and (combination.nccl or combination.nvcc_gencode) else []


def _find_vendor_conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = combination.gpu
    if gpu is None:
        return
    for key in (
        ("gpu_driver", "cuda", "nvhpc", "nccl", "nvcc_gencode", "nccl_tests") if gpu.vendor != "nvidia" else ("rocm",)
    ):
        if (release := getattr(combination, key)) is not None:
            keys = "rocm" if gpu.vendor == "amd" else "cuda and gpu_driver"
            yield Conflict(key, f"{key} {release} for {a(gpu.title)}", f"{keys}, the software of its vendor")
    if gpu.vendor == "amd" and combination.rocm and combination.rocm not in catalogue.rocm:
        releases = ", ".join(catalogue.rocm)
        yield Conflict(
            "rocm", f"ROCm {combination.rocm}", f"a release tested with the RDMA stack: {releases}", fatal=False
        )


def _find_architecture_conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = combination.gpu
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu and gpu.compute_capability else None
    if gpu is None or gpu.compute_capability is None or row is None:
        return
    description = describe_gpu(gpu, row.title)
    if combination.gpu_driver and row.last_driver and parse_version(combination.gpu_driver)[0] > row.last_driver.value:
        yield Conflict(
            "gpu_driver",
            f"the driver {combination.gpu_driver} for {description}",
            f"branch {row.last_driver.value}, the last that runs {row.title}, or an older one",
        )
    if combination.cuda and row.last_cuda and parse_version(combination.cuda) > parse_version(row.last_cuda.value):
        yield Conflict(
            "cuda",
            f"CUDA {combination.cuda} for {description}",
            f"CUDA {row.last_cuda.value}, the last that compiles for {row.title}, or an older one",
        )
    if combination.cuda and parse_version(combination.cuda) < parse_version(row.first_cuda.value):
        yield Conflict(
            "cuda",
            f"CUDA {combination.cuda} for {description}",
            f"CUDA {row.first_cuda.value}, the first that compiles for {row.title}, or a newer one",
        )


def _find_target_conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    gpu = combination.gpu
    row = catalogue.amd_targets.get(gpu.target.value) if gpu and gpu.target else None
    if gpu and row and combination.rocm and parse_version(combination.rocm) < parse_version(row.first_rocm.value):
        yield Conflict(
            "rocm",
            f"ROCm {combination.rocm} for {describe_gpu(gpu, row.title)}",
            f"ROCm {row.first_rocm.value}, the first whose RCCL has code for it, or a newer one",
        )


def _find_toolkit_conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    if combination.cuda is None:
        return
    row = catalogue.cuda.get(".".join(combination.cuda.split(".")[:2]))
    if row is None:
        yield Conflict(
            "cuda", f"CUDA {combination.cuda}", f"one of {', '.join(catalogue.cuda)}, which are known", fatal=False
        )
        return
    if combination.gpu_driver and parse_version(combination.gpu_driver) < parse_version(row.driver.value):
        minimum = row.family_driver or row.driver
        if parse_version(combination.gpu_driver) < parse_version(minimum.value):
            yield Conflict(
                "cuda",
                f"{row.title} on the driver {combination.gpu_driver}",
                f"the driver {minimum.value} or a newer one",
            )
        else:
            yield Conflict(
                "cuda",
                f"{row.title} on the driver {combination.gpu_driver}, by minor-version compatibility",
                f"the driver {row.driver.value} or a newer one for all of its features",
                fatal=False,
            )
    if combination.gcc and parse_version(combination.gcc)[:1] > (row.gcc.value,):
        yield Conflict(
            "gcc", f"GCC {combination.gcc} under nvcc of {row.title}", f"GCC {row.gcc.value} or an older one"
        )
    contained = [
        name for name, entry in catalogue.cuda.items() if entry.hpc_sdk and combination.nvhpc in entry.hpc_sdk.value
    ]
    if contained and ".".join(combination.cuda.split(".")[:2]) not in contained:
        yield Conflict(
            "cuda",
            f"{row.title} with the HPC SDK {combination.nvhpc}, which does not contain it",
            format_choices(_name_toolkit(name, combination, catalogue) for name in contained),
        )
    known_sdks = _list_sdks(catalogue)
    if combination.nvhpc and combination.nvhpc not in known_sdks:
        yield Conflict(
            "nvhpc",
            f"the HPC SDK {combination.nvhpc}, whose toolkits are not known",
            format_choices(known_sdks),
            fatal=False,
        )
    if row.nvhpc and _needs_gcc(combination, row):
        yield Conflict(
            "nvhpc",
            f"the C++ compiler of the HPC SDK {combination.nvhpc} under {row.title}",
            f"`gcc: {row.gcc.value}` as the host compiler, or an HPC SDK of 20{row.nvhpc.value} or older, whose "
            "compiler its headers take",
        )
    if row.breaks_on and combination.os in row.breaks_on.value:
        yield Conflict(
            "cuda",
            f"{row.title} on {combination.os}, whose stdio.h nvcc cannot read: "
            "attribute __malloc__ does not take arguments",
            "a newer toolkit or an older system",
        )


def _needs_gcc(combination: Combination, row: CudaToolkit) -> bool:
    """Whether the headers of a toolkit refuse the C++ compiler of the HPC SDK, and no other one is planned."""
    if combination.nvhpc is None or combination.gcc or row.nvhpc is None:
        return False
    return parse_version(combination.nvhpc)[:1] > (row.nvhpc.value,)


def _name_toolkit(name: str, combination: Combination, catalogue: Catalogue) -> str:
    """A toolkit of the planned HPC SDK, with the host compiler that it needs."""
    row = catalogue.cuda[name]
    return f"CUDA {name} with `gcc: {row.gcc.value}`" if _needs_gcc(combination, row) else f"CUDA {name}"


def _find_test_conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    if combination.nccl_tests is None:
        return
    tests = catalogue.nccl_tests.get(combination.nccl_tests)
    if tests is None:
        revisions = ", ".join(catalogue.nccl_tests)
        yield Conflict(
            "nccl_tests",
            f"the revision {combination.nccl_tests}",
            f"one whose needs are known: {revisions}",
            fatal=False,
        )
        return
    row = catalogue.cuda.get(".".join((combination.cuda or "").split(".")[:2]))
    if row and tests.int128.value and not row.int128.value:
        yield Conflict(
            "nccl_tests",
            f"nccl-tests {combination.nccl_tests}, which needs 128-bit integers, with nvcc of {row.title}",
            "a revision that does without, or CUDA 11.5 or newer",
        )


def _last_branch(combination: Combination, catalogue: Catalogue) -> str | None:
    gpu = combination.gpu
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu and gpu.compute_capability else None
    if row and row.last_driver:
        branch_drivers = [
            release.driver.value
            for release in catalogue.cuda.values()
            if parse_version(release.driver.value)[0] == row.last_driver.value
        ]
        return branch_drivers[-1] if branch_drivers else str(row.last_driver.value)
    return max((release.driver.value for release in catalogue.cuda.values()), key=parse_version, default=None)
