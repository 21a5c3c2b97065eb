"""Which NCCL has code for which GPU, as rows: the combination, its message, and what would work instead."""

from __future__ import annotations

import pytest

from wirespeed.catalogue import load
from wirespeed.catalogue.model import GpuModel
from wirespeed.plan.combination import Combination
from wirespeed.plan.compatibility import conflicts, find_alternative

K20X = "an NVIDIA Tesla K20X (compute capability 3.5, Kepler)"
H100 = "an NVIDIA H100 SXM (compute capability 9.0, Hopper)"
MI300X = "an AMD Instinct MI300X (gfx942, CDNA 3)"
SM_35 = "-gencode=arch=compute_35,code=sm_35"
SM_70 = "-gencode=arch=compute_70,code=sm_70"
SM_90 = "-gencode=arch=compute_90,code=sm_90"
NEEDS_CODE = f"a build with code for it, or one from source: nvcc_gencode: {SM_90}"
KEYS = ("gpu_driver", "rocm", "cuda", "nvhpc", "gcc", "nccl", "nvcc_gencode")
LAST = "CUDA 11.8, the last that compiles for Kepler, or an older one"
FIRST = "CUDA 11.8, the first that compiles for Hopper, or a newer one"


def gpu(name: str) -> GpuModel:
    """A GPU of the catalogue, or one that differs from it in what counts here (NVIDIA's list of CUDA GPUs)."""
    models = load().gpus
    if name in models:
        return models[name]
    capability = {"a100": "8.0", "h100": "9.0"}[name]
    sourced = models["k20x"].compute_capability
    assert sourced is not None
    number = sourced.model_copy(update={"value": capability})
    return models["k20x"].model_copy(update={"title": f"NVIDIA {name.upper()}", "compute_capability": number})


# GPU, the rest of the combination, the message (! is fatal), and what the nearest working one changes.
ROWS: list[tuple[str, dict[str, str], list[str], dict[str, str | None] | None]] = [
    ("k20x", {"cuda": "10.2", "nccl": "2.10.3"}, [], {}),
    ("k20x", {"cuda": "11.4", "nccl": "2.10.3"}, [], {}),
    ("k20x", {"cuda": "11.4", "nccl": "2.18.3"}, [], {}),
    (
        "k20x",
        {"cuda": "10.2", "nccl": "2.18.3"},
        [
            "! NCCL 2.18.3 with CUDA 10.2, for which there is no build of it"
            " / a release built for it, or a toolkit it is built for: 11.0, 12.0, 12.1, 12.2"
        ],
        {"cuda": "11.8"},
    ),
    (  # neither the toolkit nor the build knows Kepler
        "k20x",
        {"cuda": "12.0", "nccl": "2.19.3"},
        [
            f"! CUDA 12.0 for {K20X} / {LAST}",
            f"! NCCL 2.19.3 built for CUDA 12.0 on {K20X}, for which it has no code: "
            "sm_50, sm_60, sm_61, sm_70, sm_80, sm_90, compute_90 / a build with code for it",
        ],
        {"cuda": "11.8"},
    ),
    (
        "k20x",
        {"cuda": "12.0", "nccl": "2.19.3", "nvcc_gencode": SM_35},
        [f"! CUDA 12.0 for {K20X} / {LAST}", f"! compute_35 with nvcc of CUDA 12.0 / {LAST}"],
        {"cuda": "11.8"},
    ),
    (
        "k20x",
        {"cuda": "11.4", "nccl": "2.10.3", "nvcc_gencode": SM_70},
        [f"! {SM_70}, which compiles no code for {K20X} / {SM_35}"],
        {"nvcc_gencode": SM_35},
    ),
    (
        "k20x",
        {"cuda": "11.4", "nccl": "2.10.3", "nvcc_gencode": SM_90},
        [f"! compute_90 with nvcc of CUDA 11.4 / {FIRST}", f"! {SM_90}, which compiles no code for {K20X} / {SM_35}"],
        {"nvcc_gencode": SM_35},
    ),
    (  # what the catalogue does not contain is reported, not refused
        "k20x",
        {"cuda": "11.4", "nccl": "2.11.4"},
        ["  NCCL 2.11.4 / one whose builds are known: 2.10.3, 2.12.10, 2.18.3, 2.18.5, 2.19.3"],
        {},
    ),
    (
        "k20x",
        {"nccl": "2.10.3"},
        ["! NCCL 2.10.3 without a toolkit / cuda, of a major release it is built for: 10.2, 11.0, 11.4"],
        None,
    ),
    (
        "k20x",
        {"cuda": "11.4", "nvcc_gencode": SM_35},
        [f"! {SM_35}, and nothing to build with it / nccl or nccl_tests beside it"],
        None,
    ),
    (
        "k20x",
        {"cuda": "11.4", "nccl": "2.10.3", "nvhpc": "21.9"},
        ["! NCCL 2.10.3 beside the HPC SDK 21.9 / one of them: the SDK brings its own"],
        {"nvhpc": None},
    ),
    (
        "h100",
        {"cuda": "11.4", "nccl": "2.10.3"},
        [
            f"! CUDA 11.4 for {H100} / {FIRST}",
            f"  NCCL 2.10.3 built for CUDA 11.4 on {H100}, for which the driver must compile the code at each start"
            " / a build with code for it",
        ],
        {"cuda": "11.8"},
    ),
    (  # the build of 2.18.3 for CUDA 11 is that for 11.0
        "h100",
        {"cuda": "11.8", "nccl": "2.18.3"},
        [
            f"  NCCL 2.18.3 built for CUDA 11.0 on {H100}, for which the driver must compile the code at each start"
            f" / {NEEDS_CODE}"
        ],
        {},
    ),
    ("h100", {"cuda": "11.8", "nccl": "2.18.3", "nvcc_gencode": SM_90}, [], {}),
    ("h100", {"cuda": "12.4", "nccl": "2.18.3"}, [], {}),
    (
        "h100",
        {"cuda": "12.4", "nccl": "2.10.3"},
        [
            "! NCCL 2.10.3 with CUDA 12.4, for which there is no build of it"
            " / a release built for it, or a toolkit it is built for: 10.2, 11.0, 11.4"
        ],
        {"nccl": "2.19.3"},
    ),
    ("a100", {"cuda": "11.4", "nccl": "2.10.3"}, [], {}),
    ("a100", {"cuda": "12.4", "nccl": "2.19.3"}, [], {}),
    (
        "a100",
        {"cuda": "12.0", "nccl": "2.12.10"},
        [
            "! NCCL 2.12.10 with CUDA 12.0, for which there is no build of it"
            " / a release built for it, or a toolkit it is built for: 10.2, 11.0, 11.6"
        ],
        {"nccl": "2.19.3"},
    ),
    ("mi300x", {"rocm": "7.1.0"}, [], {}),
    (
        "mi300x",
        {"rocm": "5.6.0"},
        [
            "  ROCm 5.6.0 / a release tested with the RDMA stack: 6.3.1, 6.3.2, 6.3.3, 7.1.0",
            f"! ROCm 5.6.0 for {MI300X} / ROCm 5.7.0, the first whose RCCL has code for it, or a newer one",
        ],
        {"rocm": "7.1.0"},
    ),
    (
        "mi300x",
        {"rocm": "7.1.0", "nccl": "2.18.3"},
        ["! nccl 2.18.3 for an AMD Instinct MI300X / rocm, the software of its vendor"],
        None,
    ),
]


@pytest.mark.parametrize(("name", "remainder", "problems", "change"), ROWS)
def test_a_combination(
    name: str, remainder: dict[str, str], problems: list[str], change: dict[str, str | None] | None
) -> None:
    combination = Combination(gpu(name), **remainder)  # type: ignore[arg-type]
    assert [
        f"{'!' if conflict.fatal else ' '} {conflict.found} / {conflict.expected}"
        for conflict in conflicts(combination, load())
    ] == problems
    better = find_alternative(combination, load())
    changes = better and {
        key: getattr(better, key) for key in KEYS if getattr(better, key) != getattr(combination, key)
    }
    assert changes == change
