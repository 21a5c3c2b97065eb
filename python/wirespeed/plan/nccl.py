"""Whether an NCCL release has code for a GPU: as NVIDIA builds it, or built from source with NVCC_GENCODE.

Sources: NVIDIA CUDA C++ programming guide, binary and PTX compatibility; NVIDIA CUDA compatibility, minor versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.compat import NcclRelease
from wirespeed.catalogue.model import GpuModel
from wirespeed.plan.combination import Combination, Conflict, describe_gpu, gencode, version

_GENCODE = re.compile(r"-gencode=arch=compute_(\d+),code=((?:sm|compute)_\d+)")


def nccl_conflicts(wanted: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    """Conflicts of NCCL, and of the code that nvcc generates, with the other software."""
    if wanted.gpu is not None and wanted.gpu.vendor != "nvidia":
        return
    if wanted.nvcc_gencode is not None:
        yield from _gencode(wanted, wanted.nvcc_gencode, catalogue)
    if wanted.nccl is None:
        return
    release = catalogue.nccl.get(wanted.nccl)
    if release is None:
        known = ", ".join(catalogue.nccl)
        yield Conflict("nccl", f"NCCL {wanted.nccl}", f"one whose builds are known: {known}", fatal=False)
        return
    if wanted.cuda is None:
        builds = ", ".join(release.builds.value)
        yield Conflict(
            "nccl", f"{release.title} without a toolkit", f"cuda, of a major release it is built for: {builds}"
        )
        return
    if wanted.nvhpc is not None:
        yield Conflict(
            "nccl", f"{release.title} beside the HPC SDK {wanted.nvhpc}", "one of them: the SDK brings its own"
        )
    build = build_for(release, wanted.cuda)
    if build is None:
        yield Conflict(
            "nccl",
            f"{release.title} with CUDA {wanted.cuda}, for which there is no build of it",
            f"a release built for it, or a toolkit it is built for: {', '.join(release.builds.value)}",
        )
    elif wanted.nvcc_gencode is None:
        yield from _code(wanted, release, build, catalogue)


def build_for(release: NcclRelease, cuda: str) -> str | None:
    """The toolkit of the build that serves this one: the nearest older of its major release, else the first of it."""
    same = [build for build in release.builds.value if version(build)[:1] == version(cuda)[:1]]
    older = [build for build in same if version(build) <= version(cuda)]
    return max(older, key=version) if older else min(same, key=version, default=None)


def _code(wanted: Combination, release: NcclRelease, build: str, catalogue: Catalogue) -> Iterator[Conflict]:
    """What NVIDIA's build brings for the host's GPUs."""
    gpu = wanted.gpu
    if gpu is None or gpu.compute_capability is None:
        return
    capability = gpu.compute_capability.value
    since = [first for first in release.code.value if version(first) <= version(build)]
    targets = release.code.value[max(since, key=version)] if since else []
    if _native(targets, capability):
        return
    found = f"{release.title} built for CUDA {build} on {_describe_architecture(gpu, catalogue)}"
    expected = "a build with code for it"
    if _compiles(wanted.cuda or "", capability, catalogue) is None:
        expected += f", or one from source: nvcc_gencode: {' '.join(gencode(gpu) or ())}"
    if _by_driver(targets, capability):
        yield Conflict(
            "nccl", f"{found}, for which the driver must compile the code at each start", expected, fatal=False
        )
    else:
        yield Conflict("nccl", f"{found}, for which it has no code: {', '.join(targets)}", expected)


def _gencode(wanted: Combination, text: str, catalogue: Catalogue) -> Iterator[Conflict]:
    """Options of nvcc: whether the toolkit supports them, and whether they fit the host's GPUs."""
    options = _GENCODE.findall(text)
    if wanted.nccl is None and wanted.nccl_tests is None:
        yield Conflict("nvcc_gencode", f"{text}, and nothing to build with it", "nccl or nccl_tests beside it")
        return
    if wanted.cuda is None:
        yield Conflict("nvcc_gencode", f"{text}, and no toolkit", "cuda, which contains nvcc")
        return
    for number, _ in options:
        if why := _compiles(wanted.cuda, f"{number[:-1]}.{number[-1]}", catalogue):
            yield Conflict("nvcc_gencode", f"compute_{number} with nvcc of CUDA {wanted.cuda}", why)
    gpu = wanted.gpu
    if gpu is None or gpu.compute_capability is None:
        return
    targets, capability = [target for _, target in options], gpu.compute_capability.value
    expected = " ".join(gencode(gpu) or ())
    if _native(targets, capability):
        return
    if _by_driver(targets, capability):
        architecture = _describe_architecture(gpu, catalogue)
        found = f"{text} for {architecture}, for which the driver must compile the code at each start"
        yield Conflict("nvcc_gencode", found, expected, fatal=False)
    else:
        yield Conflict(
            "nvcc_gencode", f"{text}, which compiles no code for {_describe_architecture(gpu, catalogue)}", expected
        )


def _compiles(cuda: str, capability: str, catalogue: Catalogue) -> str | None:
    """None where the toolkit compiles for a capability, or nothing is known of it; else what would."""
    row = catalogue.gpu_architectures.get(capability)
    if row and row.last_cuda and version(cuda) > version(row.last_cuda.value):
        return f"CUDA {row.last_cuda.value}, the last that compiles for {row.title}, or an older one"
    if row and version(cuda) < version(row.first_cuda.value):
        return f"CUDA {row.first_cuda.value}, the first that compiles for {row.title}, or a newer one"
    return None


def _native(targets: Sequence[str], capability: str) -> bool:
    """Code of a capability runs on GPUs of the same major one, of its minor one and newer."""
    major, minor = version(capability)
    return any(compiled[0] == major and compiled[1] <= minor for compiled in _numbers(targets, "sm_"))


def _by_driver(targets: Sequence[str], capability: str) -> bool:
    """From PTX the driver makes code for GPUs of its capability and newer ones."""
    return any(compiled <= version(capability) for compiled in _numbers(targets, "compute_"))


def _numbers(targets: Sequence[str], kind: str) -> list[tuple[int, int]]:
    found = [target.removeprefix(kind) for target in targets if target.startswith(kind)]
    return [(int(number[:-1]), int(number[-1])) for number in found]


def _describe_architecture(gpu: GpuModel, catalogue: Catalogue) -> str:
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu.compute_capability else None
    return describe_gpu(gpu, row.title if row else "of which no more is known")
