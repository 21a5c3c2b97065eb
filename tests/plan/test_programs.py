"""Programs of jobs that are built from source: their steps, and the combinations that are refused."""

from __future__ import annotations

import pytest
from tests.plan.test_software_files import KEPLER, WITHOUT_GPUS

from wirespeed.cluster import read_text
from wirespeed.errors import Refusal
from wirespeed.plan import Plan, build

MI300X = WITHOUT_GPUS.replace("dell-r740-xeon-5218", "dell-xe9680-mi300x").replace(
    "1 x broadcom-bcm957508-p1200g", "8 x broadcom-bcm957608-p1400gd"
)


def build_plan(text: str, software: str) -> Plan:
    return build(read_text(text.format(os="ubuntu-22.04", software=software), "file.yaml"))


def test_the_programs_of_a_host_with_amd_gpus() -> None:
    host = build_plan(MI300X, "perftest: 25.07.0, ucx: 1.19.0, openmpi: 5.0.8, rccl_tests: 77ae744, osu: 7.5.1").hosts[
        "node1"
    ]
    (step,) = host.steps.values()
    assert (step.action, step.why) == (
        "build tools of jobs",
        "job-programs.sh builds perftest, UCX, Open MPI, rccl-tests, OSU micro-benchmarks",
    )
    assert (host.software.ucx, host.software.openmpi, host.software.perftest_memory) == ("1.19.0", "5.0.8", "rocm")


def test_perftest_without_gpus_needs_no_memory_of_gpus() -> None:
    software = build_plan(WITHOUT_GPUS, "perftest: 25.07.0").hosts["node1"].software
    assert (software.perftest, software.perftest_memory) == ("25.07.0", None)


@pytest.mark.parametrize(
    ("text", "software", "message"),
    [
        (
            MI300X,
            "rccl_tests: 77ae744",
            "found rccl_tests without an MPI to build it with; expected openmpi beside it, which starts its ranks",
        ),
        (
            WITHOUT_GPUS,
            "osu: 7.5.1",
            "found osu without an MPI to build it with; expected openmpi beside it, which starts its ranks",
        ),
        (
            WITHOUT_GPUS,
            "rccl: 2.27.7",
            "found rccl on dell-r740-xeon-5218, which has no GPUs; expected a server with GPUs\n  hint: remove `rccl`",
        ),
        (
            KEPLER,
            "rccl: 2.27.7",
            "found rccl for an NVIDIA Tesla K20X; expected GPUs of AMD, or nccl and nccl_tests",
        ),
    ],
)
def test_programs_that_cannot_be_built_are_refused(text: str, software: str, message: str) -> None:
    with pytest.raises(Refusal) as refusal:
        build_plan(text, software)
    assert message in [str(problem).partition(": ")[2] for problem in refusal.value.problems]


@pytest.mark.parametrize(
    ("revision", "is_warned"), [("2.28.7", True), ("v2.13.4", True), ("77ae744", False), ("develop", False)]
)
def test_a_release_number_is_no_revision_of_rccl_tests(revision: str, is_warned: bool) -> None:
    """957608-AN210, table 3, names 2.28.7; https://github.com/ROCm/rccl-tests has no tags."""
    plan = build_plan(MI300X, f"openmpi: 5.0.8, rccl_tests: {revision}")
    assert plan.hosts["node1"].software.rccl_tests == revision
    warned = [warning.found for warning in plan.warnings if "rccl-tests" in warning.found]
    reason = "its public repository has no tags, and git finds no such revision"
    assert warned == [f"rccl-tests {revision}, a release number: {reason}"] * is_warned
