"""Which software works together, as rows: the combination, its message, and what would work instead."""

from __future__ import annotations

import pytest

from wirespeed.catalogue import load
from wirespeed.plan.combination import Combination, gencode, parse_version
from wirespeed.plan.compatibility import conflicts, find_alternative

KEYS = ("os", "gpu_driver", "rocm", "cuda", "nvhpc", "gcc", "nccl", "nvcc_gencode", "nccl_tests")
K20X = "an NVIDIA Tesla K20X (compute capability 3.5, Kepler)"

# GPU, the rest of the combination, the message (! is fatal), and what the nearest working one changes.
ROWS: list[tuple[str, dict[str, str], list[str], dict[str, str | None] | None]] = [
    (  # the combination of the thesis (Johansen, table 3.2)
        "k20x",
        {
            "os": "ubuntu-20.04",
            "gpu_driver": "470.182.03",
            "cuda": "11.4",
            "nvhpc": "21.9",
            "nccl_tests": "8274cb4",
        },
        [],
        {},
    ),
    (  # its first attempt (section 3.2.1)
        "k20x",
        {"os": "ubuntu-22.04", "gpu_driver": "470.182.03", "cuda": "11.4", "nvhpc": "21.9", "nccl_tests": "8274cb4"},
        [
            "! CUDA 11.4 on ubuntu-22.04, whose stdio.h nvcc cannot read: attribute __malloc__ does not take arguments"
            " / a newer toolkit or an older system"
        ],
        {"os": "ubuntu-20.04"},
    ),
    (  # the newest nccl-tests of then (section 3.2.3)
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "470.182.03", "cuda": "11.4", "nvhpc": "21.9", "nccl_tests": "365b92a"},
        [
            "! nccl-tests 365b92a, which needs 128-bit integers, with nvcc of CUDA 11.4"
            " / a revision that does without, or CUDA 11.5 or newer"
        ],
        {"nccl_tests": "8274cb4"},
    ),
    (  # the newest HPC SDK of then, pointed at older toolkits (section 3.2.2)
        "k20x",
        {"os": "ubuntu-20.04", "cuda": "11.0", "nvhpc": "22.9"},
        [
            "! the C++ compiler of the HPC SDK 22.9 under CUDA 11.0"
            " / `gcc: 9` as the host compiler, or an HPC SDK of 2020 or older, whose compiler its headers take"
        ],
        {"cuda": "11.7"},
    ),
    (  # on the driver of its branch 470: the SDK and the toolkit with which it worked
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "470.182.03", "cuda": "11.0", "nvhpc": "22.9", "nccl_tests": "8274cb4"},
        [
            "! the C++ compiler of the HPC SDK 22.9 under CUDA 11.0"
            " / `gcc: 9` as the host compiler, or an HPC SDK of 2020 or older, whose compiler its headers take"
        ],
        {"cuda": "11.4", "nvhpc": "21.9"},
    ),
    (  # between the toolkits whose headers the thesis quotes: 11.0 takes pgc++ up to 20, 11.4 up to 21
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "470.182.03", "cuda": "11.3", "nvhpc": "23.1"},
        [
            "  the HPC SDK 23.1, whose toolkits are not known / one of 21.9, 22.7, 22.9",
            "! the C++ compiler of the HPC SDK 23.1 under CUDA 11.3"
            " / `gcc: 10` as the host compiler, or an HPC SDK of 2021 or older, whose compiler its headers take",
        ],
        {"cuda": "11.4", "nvhpc": "21.9"},
    ),
    (  # older than CUDA 11.0, whose headers refuse this compiler
        "k20x",
        {"os": "ubuntu-20.04", "cuda": "10.2", "nvhpc": "22.9"},
        [
            "! the C++ compiler of the HPC SDK 22.9 under CUDA 10.2"
            " / `gcc: 8` as the host compiler, or an HPC SDK of 2020 or older, whose compiler its headers take"
        ],
        {"cuda": "11.7"},
    ),
    (
        "k20x",
        {"os": "ubuntu-20.04", "cuda": "11.4", "nvhpc": "22.9"},
        [
            "! CUDA 11.4 with the HPC SDK 22.9, which does not contain it"
            " / one of CUDA 10.2 with `gcc: 8`, CUDA 11.0 with `gcc: 9`, CUDA 11.7",
            "! the C++ compiler of the HPC SDK 22.9 under CUDA 11.4"
            " / `gcc: 10` as the host compiler, or an HPC SDK of 2021 or older, whose compiler its headers take",
        ],
        {"cuda": "11.7"},
    ),
    *(
        (  # toolkits of the SDK's multi package (section 3.2.2)
            "k20x",
            {"os": "ubuntu-20.04", "cuda": cuda, "nvhpc": "22.9"},
            [
                f"! CUDA {cuda} with the HPC SDK 22.9, which does not contain it"
                " / one of CUDA 10.2 with `gcc: 8`, CUDA 11.0 with `gcc: 9`, CUDA 11.7",
                *headers,
            ],
            {"cuda": "11.7"},
        )
        for cuda, headers in (
            (
                "11.1",
                [
                    "! the C++ compiler of the HPC SDK 22.9 under CUDA 11.1"
                    " / `gcc: 10` as the host compiler, or an HPC SDK of 2021 or older, whose compiler its headers take"
                ],
            ),
            ("11.6", []),
        )
    ),
    (
        "k20x",
        {"os": "ubuntu-20.04", "cuda": "11.7", "nvhpc": "21.9"},
        [
            "! CUDA 11.7 with the HPC SDK 21.9, which does not contain it"
            " / one of CUDA 10.2 with `gcc: 8`, CUDA 11.0 with `gcc: 9`, CUDA 11.4"
        ],
        {"cuda": "11.4"},
    ),
    *(  # NVIDIA HPC SDK 21.9 release notes, table 1
        ("k20x", {"os": "ubuntu-20.04", "cuda": cuda, "nvhpc": "21.9", "gcc": gcc}, [], {})
        for cuda, gcc in (("10.2", "8"), ("11.0", "9"), ("11.4", "10"))
    ),
    (
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "525.60.13", "cuda": "11.4"},
        [f"! the driver 525.60.13 for {K20X} / branch 470, the last that runs Kepler, or an older one"],
        {"gpu_driver": "470.42.01"},
    ),
    (
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "470.182.03", "cuda": "12.0"},
        [
            f"! CUDA 12.0 for {K20X} / CUDA 11.8, the last that compiles for Kepler, or an older one",
            "! CUDA 12.0 on the driver 470.182.03 / the driver 525 or a newer one",
        ],
        {"cuda": "11.4"},
    ),
    (  # two values must change
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "525.60.13", "cuda": "12.0"},
        [
            f"! the driver 525.60.13 for {K20X} / branch 470, the last that runs Kepler, or an older one",
            f"! CUDA 12.0 for {K20X} / CUDA 11.8, the last that compiles for Kepler, or an older one",
        ],
        {"gpu_driver": "470.42.01", "cuda": "11.4"},
    ),
    (  # works, but not all of it
        "k20x",
        {"os": "ubuntu-20.04", "gpu_driver": "470.182.03", "cuda": "11.8"},
        [
            "  CUDA 11.8 on the driver 470.182.03, by minor-version compatibility"
            " / the driver 520 or a newer one for all of its features"
        ],
        {},
    ),
    (
        "k20x",
        {"os": "ubuntu-20.04", "cuda": "11.4", "gcc": "11"},
        ["! GCC 11 under nvcc of CUDA 11.4 / GCC 10 or an older one"],
        {"cuda": "11.8"},
    ),
    (
        "k20x",
        {"os": "ubuntu-20.04", "rocm": "7.1.0"},
        ["! rocm 7.1.0 for an NVIDIA Tesla K20X / cuda and gpu_driver, the software of its vendor"],
        None,
    ),
    ("mi300x", {"os": "ubuntu-22.04", "rocm": "7.1.0"}, [], {}),
    (
        "mi300x",
        {"os": "ubuntu-22.04", "rocm": "6.2.4"},
        ["  ROCm 6.2.4 / a release tested with the RDMA stack: 6.3.1, 6.3.2, 6.3.3, 7.1.0"],
        {},
    ),
    (
        "mi300x",
        {"os": "ubuntu-22.04", "cuda": "12.4"},
        ["! cuda 12.4 for an AMD Instinct MI300X / rocm, the software of its vendor"],
        None,
    ),
    (  # what the catalogue does not contain is reported, not refused
        "k20x",
        {"os": "ubuntu-20.04", "nccl_tests": "abcdef0"},
        ["  the revision abcdef0 / one whose needs are known: 8274cb4, 365b92a"],
        {},
    ),
]


@pytest.mark.parametrize(("gpu", "remainder", "problems", "change"), ROWS)
def test_a_combination(
    gpu: str, remainder: dict[str, str], problems: list[str], change: dict[str, str | None] | None
) -> None:
    combination = Combination(load().gpus[gpu], **remainder)  # type: ignore[arg-type]
    conflict_list = list(conflicts(combination, load()))
    assert [
        f"{'!' if conflict.fatal else ' '} {conflict.found} / {conflict.expected}" for conflict in conflict_list
    ] == problems
    better = find_alternative(combination, load())
    if change is None:
        assert better is None
    else:
        assert better is not None
        assert {
            key: getattr(better, key) for key in KEYS if getattr(better, key) != getattr(combination, key)
        } == change


def test_what_would_work_works() -> None:
    for gpu, remainder, _, _ in ROWS:
        better = find_alternative(Combination(load().gpus[gpu], **remainder), load())  # type: ignore[arg-type]
        assert better is None or not any(conflict.fatal for conflict in conflicts(better, load()))


def test_gencode_names_the_gpu_itself() -> None:
    assert gencode(load().gpus["k20x"]) == ("-gencode=arch=compute_35,code=sm_35",)
    assert gencode(load().gpus["mi300x"]) is None


@pytest.mark.parametrize(("older", "newer"), [("470.42.01", "470.182.03"), ("9.2", "10.0"), ("11.4", "11.4.1")])
def test_versions_compare_by_number(older: str, newer: str) -> None:
    assert parse_version(older) < parse_version(newer)
