"""Whether an NCCL release has code for a GPU: as NVIDIA builds it, or built from source with NVCC_GENCODE.

Sources: NVIDIA CUDA C++ programming guide, binary and PTX compatibility; NVIDIA CUDA compatibility, minor versions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.compat import NcclRelease
from wirespeed.catalogue.model import GpuModel
from wirespeed.plan.combination import Combination, Conflict, describe_gpu, gencode, parse_version

_GENCODE = re.compile(r"-gencode=arch=compute_(\d+),code=((?:sm|compute)_\d+)")


def nccl_conflicts(combination: Combination, catalogue: Catalogue) -> Iterator[Conflict]:
    """Conflicts of NCCL, and of the code that nvcc generates, with the other software."""
    if combination.gpu is not None and combination.gpu.vendor != "nvidia":
        return
    if combination.nvcc_gencode is not None:
        yield from _find_gencode_conflicts(combination, combination.nvcc_gencode, catalogue)
    if combination.nccl is None:
        return
    release = catalogue.nccl.get(combination.nccl)
    if release is None:
        releases = ", ".join(catalogue.nccl)
        yield Conflict("nccl", f"NCCL {combination.nccl}", f"one whose builds are known: {releases}", fatal=False)
        return
    if combination.cuda is None:
        builds = ", ".join(release.builds.value)
        yield Conflict(
            "nccl", f"{release.title} without a toolkit", f"cuda, of a major release it is built for: {builds}"
        )
        return
    if combination.nvhpc is not None:
        yield Conflict(
            "nccl", f"{release.title} beside the HPC SDK {combination.nvhpc}", "one of them: the SDK brings its own"
        )
    build = select_build(release, combination.cuda)
    if build is None:
        yield Conflict(
            "nccl",
            f"{release.title} with CUDA {combination.cuda}, for which there is no build of it",
            f"a release built for it, or a toolkit it is built for: {', '.join(release.builds.value)}",
        )
    elif combination.nvcc_gencode is None:
        yield from _find_code_conflicts(combination, release, build, catalogue)


def select_build(release: NcclRelease, cuda: str) -> str | None:
    """The toolkit of the build for this toolkit: the nearest older one of its major release, else the first one."""
    major_builds = [build for build in release.builds.value if parse_version(build)[:1] == parse_version(cuda)[:1]]
    older = [build for build in major_builds if parse_version(build) <= parse_version(cuda)]
    return max(older, key=parse_version) if older else min(major_builds, key=parse_version, default=None)


def _find_code_conflicts(
    combination: Combination, release: NcclRelease, build: str, catalogue: Catalogue
) -> Iterator[Conflict]:
    """Conflicts of NVIDIA's build with the host's GPUs."""
    gpu = combination.gpu
    if gpu is None or gpu.compute_capability is None:
        return
    capability = gpu.compute_capability.value
    since = [first for first in release.code.value if parse_version(first) <= parse_version(build)]
    targets = release.code.value[max(since, key=parse_version)] if since else []
    if _has_native_code(targets, capability):
        return
    problem = f"{release.title} built for CUDA {build} on {_describe_architecture(gpu, catalogue)}"
    remedy = "a build with code for it"
    if _find_compiling_toolkit(combination.cuda or "", capability, catalogue) is None:
        remedy += f", or one from source: nvcc_gencode: {' '.join(gencode(gpu) or ())}"
    if _has_ptx(targets, capability):
        yield Conflict(
            "nccl", f"{problem}, for which the driver must compile the code at each start", remedy, fatal=False
        )
    else:
        yield Conflict("nccl", f"{problem}, for which it has no code: {', '.join(targets)}", remedy)


def _find_gencode_conflicts(combination: Combination, text: str, catalogue: Catalogue) -> Iterator[Conflict]:
    """Options of nvcc: whether the toolkit supports them, and whether they fit the host's GPUs."""
    options = _GENCODE.findall(text)
    if combination.nccl is None and combination.nccl_tests is None:
        yield Conflict("nvcc_gencode", f"{text}, and nothing to build with it", "nccl or nccl_tests beside it")
        return
    if combination.cuda is None:
        yield Conflict("nvcc_gencode", f"{text}, and no toolkit", "cuda, which contains nvcc")
        return
    for number, _ in options:
        if remedy := _find_compiling_toolkit(combination.cuda, f"{number[:-1]}.{number[-1]}", catalogue):
            yield Conflict("nvcc_gencode", f"compute_{number} with nvcc of CUDA {combination.cuda}", remedy)
    gpu = combination.gpu
    if gpu is None or gpu.compute_capability is None:
        return
    targets, capability = [target for _, target in options], gpu.compute_capability.value
    options_text = " ".join(gencode(gpu) or ())
    if _has_native_code(targets, capability):
        return
    if _has_ptx(targets, capability):
        architecture = _describe_architecture(gpu, catalogue)
        problem = f"{text} for {architecture}, for which the driver must compile the code at each start"
        yield Conflict("nvcc_gencode", problem, options_text, fatal=False)
    else:
        yield Conflict(
            "nvcc_gencode", f"{text}, which compiles no code for {_describe_architecture(gpu, catalogue)}", options_text
        )


def _find_compiling_toolkit(cuda: str, capability: str, catalogue: Catalogue) -> str | None:
    """The toolkit that compiles for a capability. None if this one does, or the capability is unknown."""
    row = catalogue.gpu_architectures.get(capability)
    if row and row.last_cuda and parse_version(cuda) > parse_version(row.last_cuda.value):
        return f"CUDA {row.last_cuda.value}, the last that compiles for {row.title}, or an older one"
    if row and parse_version(cuda) < parse_version(row.first_cuda.value):
        return f"CUDA {row.first_cuda.value}, the first that compiles for {row.title}, or a newer one"
    return None


def _has_native_code(targets: Sequence[str], capability: str) -> bool:
    """Whether a target runs on GPUs of a capability: the same major number, and its minor number or a newer one."""
    major, minor = parse_version(capability)
    return any(number[0] == major and number[1] <= minor for number in _parse_targets(targets, "sm_"))


def _has_ptx(targets: Sequence[str], capability: str) -> bool:
    """Whether the driver can compile a target's PTX for GPUs of a capability."""
    return any(number <= parse_version(capability) for number in _parse_targets(targets, "compute_"))


def _parse_targets(targets: Sequence[str], kind: str) -> list[tuple[int, int]]:
    texts = [target.removeprefix(kind) for target in targets if target.startswith(kind)]
    return [(int(number[:-1]), int(number[-1])) for number in texts]


def _describe_architecture(gpu: GpuModel, catalogue: Catalogue) -> str:
    row = catalogue.gpu_architectures.get(gpu.compute_capability.value) if gpu.compute_capability else None
    return describe_gpu(gpu, row.title if row else "of which no more is known")
