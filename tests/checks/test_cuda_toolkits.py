"""CUDA toolkits in the folders that the rendered scripts use: of the planned HPC SDK, or of CUDA itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.catalogue import load
from wirespeed.checks import run
from wirespeed.cluster import read_text
from wirespeed.collect import read_facts, write_planned_bundle
from wirespeed.plan import build
from wirespeed.results.findings import Status

EXAMPLE = Path(__file__).parents[2] / "examples/pcie-lending/cluster.yaml"
SDK = "/opt/nvidia/hpc_sdk/Linux_x86_64/{}/cuda/{}/bin/nvcc\n"


@pytest.mark.parametrize(
    ("planned", "listed", "toolkit"),
    [
        ("cuda: 11.4, nvhpc: 21.9", SDK.format("21.9", "11.4"), None),
        ("nvhpc: 21.9", SDK.format("21.9", "11.4"), None),  # its newest toolkit
        ("nvhpc: 21.9", SDK.format("21.9", "11.0"), "11.0 of HPC SDK 21.9"),
        ("cuda: 11.4, nvhpc: 21.9", SDK.format("21.7", "11.4"), "11.4 of HPC SDK 21.7"),
        ("cuda: 11.4, nvhpc: 21.9", "/usr/local/cuda-11.4/bin/nvcc\n", "11.4"),
        ("cuda: 11.4, nvhpc: 21.9", "", "none"),
        ("cuda: 11.4", "/usr/local/cuda-11.4/bin/nvcc\n", None),
        ("cuda: 11.4", SDK.format("21.9", "11.4"), "11.4 of HPC SDK 21.9"),
        ("cuda: 11.4", "/opt/nvidia/cuda-11.4/bin/nvcc\n", "/opt/nvidia/cuda-11.4"),
    ],
)
def test_a_toolkit_in_another_folder_is_not_the_planned_one(
    planned: str, listed: str, toolkit: str | None, tmp_path: Path
) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace("cuda: 11.4, nvhpc: 21.9, nccl_tests: 8274cb4", planned)
    plan = build(read_text(text, "cluster.yaml"), load())
    write_planned_bundle(plan, tmp_path)
    (tmp_path / "abel1/cuda-toolkits.out").write_text(listed)
    findings = [finding for finding in run(plan, read_facts(tmp_path)) if finding.check == "software.versions"]
    assert [(finding.device, finding.found) for finding in findings if finding.status is Status.FAIL] == (
        [] if toolkit is None else [("abel1", f"CUDA toolkits {toolkit}")]
    )
