"""The software of a host: conflicts with a working alternative, and the installation steps in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import GpuModel, NicModel
from wirespeed.cluster import HostSpec, SoftwarePart
from wirespeed.plan.combination import Combination, gencode, parse_version
from wirespeed.plan.compatibility import conflicts, find_alternative
from wirespeed.plan.drivers import FINAL_STEPS, Drivers, kernel_has_client, number_steps, plan_drivers
from wirespeed.plan.nccl import select_build
from wirespeed.plan.problems import Problems
from wirespeed.plan.programs import check_programs, find_gpu_memory, list_program_steps
from wirespeed.settings import Action, InstallStep, Package, Software
from wirespeed.settings.software import name_toolkit

_KEYS = ("gpu_driver", "rocm", "cuda", "nvhpc", "gcc", "nccl", "nvcc_gencode", "nccl_tests")


_OF_GPUS = ("peer_memory", "gpu_driver", "rocm", "nccl", "nvcc_gencode", "nccl_tests", "rccl", "rccl_tests")


_AMD_DRIVER = {"amdgpu": Package(installed=True)}
"""The DKMS package of the GPU driver, which the step of ROCm installs in a version of its release. dkms status of ROCm
7.1.1: amdgpu/6.16.6-2255209.24.04 (https://github.com/ROCm/legacy-rocm-build/issues/5624)."""


@dataclass(frozen=True, slots=True)
class HostSoftware:
    """The software of hosts of one kind."""

    versions: Software = field(default_factory=Software)
    packages: dict[str, Package] = field(default_factory=dict)
    steps: dict[str, InstallStep] = field(default_factory=dict)
    kernel: str | None = None
    built_in_client: bool | None = None
    drivers: str | None = None  # version of the NIC's drivers, or its beginning
    peer_memory: bool | None = True  # whether the kernel must have a peer-memory API; None: DMA-BUF needs none
    modules: tuple[str, ...] = ()  # further modules that must be loaded


def plan_software(
    spec: HostSpec,
    nic: NicModel | None,
    gpu: GpuModel | None,
    catalogue: Catalogue,
    problems: Problems,
    qos_program: str | None = None,
) -> HostSoftware:
    """The planned software of the hosts with this spec; ``qos_program`` sets the traffic classes of the NIC."""
    part = spec.part.software
    combination = Combination(gpu=gpu, os=spec.os, **{key: getattr(part, key) for key in _KEYS})
    _note_conflicts(spec, combination, catalogue, problems)
    _refuse_idle(spec, nic, gpu, problems)
    check_programs(spec, gpu, problems)
    drivers = plan_drivers(spec, nic, gpu, catalogue, problems, qos_program) if nic else None
    stack = drivers.stack if drivers else None
    versions = Software(
        gpu_driver=part.gpu_driver,
        rocm=part.rocm,
        cuda=(release,) if (release := _get_cuda_release(part)) else None,
        cuda_toolkits=_name_toolkits(part, catalogue),
        nccl=(part.nccl,) if part.nccl else None,
        rdma_stack=stack.reported_version if stack else None,
        nvhpc=part.nvhpc,
        gcc=part.gcc,
        nccl_tests=part.nccl_tests,
        rccl=part.rccl,
        ucx=part.ucx,
        openmpi=part.openmpi,
        perftest=part.perftest,
        perftest_memory=find_gpu_memory(part, gpu),
        rccl_tests=part.rccl_tests,
        osu=part.osu,
        iperf3=part.iperf3,
        gencode=tuple(part.nvcc_gencode.split())
        if part.nvcc_gencode
        else gencode(gpu)
        if part.cuda or part.nccl_tests
        else None,
    )
    return HostSoftware(
        versions=versions,
        packages={**(drivers.packages if drivers else {}), **(_AMD_DRIVER if part.rocm else {})},
        steps=number_steps(_list_steps(part, drivers, catalogue)),
        kernel=part.kernel,
        built_in_client=kernel_has_client(spec, catalogue),
        drivers=stack.drivers if stack else drivers.version if drivers else None,
        peer_memory=None if drivers and drivers.dma_buf else True,
        modules=drivers.modules if drivers else (),
    )


def _list_steps(part: SoftwarePart, drivers: Drivers | None, catalogue: Catalogue) -> list[InstallStep]:
    """In order: removals, GPU software, NIC drivers, kernel command line."""
    gpu = [
        _gpu_driver(part, drivers),
        _plan_rocm(part.rocm) if part.rocm else None,
        _plan_hpc_sdk(part, catalogue),
        InstallStep(Action.CUDA, "CUDA toolkit", part.cuda) if part.cuda and not part.nvhpc else None,
        _plan_nccl(part, catalogue),
    ]
    steps = [
        *(drivers.removals if drivers else ()),
        *(step for step in gpu if step),
        *(drivers.steps if drivers else ()),
        *list_program_steps(part),
    ]
    kernel = (drivers and drivers.replaces) or part.gpu_driver or part.rocm
    is_flashed = any(step.action is Action.FIRMWARE for step in steps)
    return [*steps, *(FINAL_STEPS if kernel else FINAL_STEPS[-1:] if is_flashed else ())]


def _plan_rocm(version: str) -> InstallStep:
    """The step for ROCm. AMD's package amdgpu-install adds the repositories of its release.

    Its file is named by the release: amdgpu-install_6.3.60301-1_all.deb of 6.3.1, amdgpu-install_7.1.1.70101-1_all.deb
    of 7.1.1, amdgpu-install-6.3.60301-1.el8.noarch.rpm (ROCm installation on Linux, AMDGPU installer, 6.3.1 and 7.1.1).
    """
    numbers = [*(int(part) for part in version.split(".") if part.isdecimal()), 0, 0][:3]
    release = numbers[0] * 10000 + numbers[1] * 100 + numbers[2]
    files = {"deb": f"amdgpu-install_*{release}-*_all.deb", "rpm": f"amdgpu-install-*{release}-*.noarch.rpm"}
    return InstallStep(Action.ROCM, "ROCm, with RCCL and the GPU driver", version, files)


def _gpu_driver(part: SoftwarePart, drivers: Drivers | None) -> InstallStep | None:
    """The step for the GPU driver. Only the open kernel modules contain DMA-BUF."""
    if part.gpu_driver is None:
        return None
    if drivers and drivers.dma_buf:
        return InstallStep(
            Action.GPU_DRIVER, "NVIDIA driver, open kernel modules", part.gpu_driver, {"modules": "open"}
        )
    return InstallStep(Action.GPU_DRIVER, "NVIDIA driver", part.gpu_driver)


def _plan_hpc_sdk(part: SoftwarePart, catalogue: Catalogue) -> InstallStep | None:
    """The step for the HPC SDK. Its plain package contains only the newest of its toolkits."""
    if part.nvhpc is None:
        return None
    newest, planned = _find_newest_toolkit(part, catalogue), _get_cuda_release(part)
    packages = {"toolkits": "all"} if newest and planned not in (None, newest) else None
    return InstallStep(Action.HPC_SDK, "HPC SDK, with toolkit, NCCL and MPI", part.nvhpc, packages)


def _get_cuda_release(part: SoftwarePart) -> str | None:
    """The planned CUDA release without the number of its update."""
    return ".".join(part.cuda.split(".")[:2]) if part.cuda else None


def _find_newest_toolkit(part: SoftwarePart, catalogue: Catalogue) -> str | None:
    """The newest CUDA release in the planned HPC SDK; None if its toolkits are not known."""
    toolkits = [name for name, entry in catalogue.cuda.items() if entry.hpc_sdk and part.nvhpc in entry.hpc_sdk.value]
    return max(toolkits, key=parse_version, default=None)


def _name_toolkits(part: SoftwarePart, catalogue: Catalogue) -> tuple[str, ...] | None:
    """The CUDA toolkits that the rendered scripts use; of an HPC SDK without a planned one its newest."""
    release = _get_cuda_release(part) or (_find_newest_toolkit(part, catalogue) if part.nvhpc else None)
    return (name_toolkit(release, part.nvhpc),) if release else None


def _plan_nccl(part: SoftwarePart, catalogue: Catalogue) -> InstallStep | None:
    """The step for NVIDIA's build of NCCL. nccl.sh builds NCCL from source."""
    release = catalogue.nccl.get(part.nccl or "")
    build = select_build(release, part.cuda) if release and part.cuda else None
    if build is None or part.nvcc_gencode:
        return None
    return InstallStep(Action.NCCL, "NCCL", f"{part.nccl}-1+cuda{build}")


def _note_conflicts(spec: HostSpec, combination: Combination, catalogue: Catalogue, problems: Problems) -> None:
    all_conflicts = list(conflicts(combination, catalogue))
    hint = _suggest_change(combination, catalogue) if any(conflict.fatal for conflict in all_conflicts) else None
    for conflict in all_conflicts:
        path = (*spec.path, "software", conflict.key)
        if conflict.fatal:
            problems.refuse(path, conflict.found, conflict.expected, hint)
        else:
            problems.warn(path, conflict.found, conflict.expected)


def _refuse_idle(spec: HostSpec, nic: NicModel | None, gpu: GpuModel | None, problems: Problems) -> None:
    """Refuse software of the cluster file that no device of the host can use."""
    part = spec.part.software
    if gpu is None:
        for key in _OF_GPUS:
            if getattr(part, key) is not None:
                path = (*spec.path, "software", key)
                problems.refuse(
                    path, f"{key} on {spec.model}, which has no GPUs", "a server with GPUs", f"remove `{key}`"
                )
    for key in ("nic_packages", "nic_firmware") if nic is None else ():
        if getattr(part, key) is not None:
            path = (*spec.path, "software", key)
            problems.refuse(path, f"{key} on a host without an RDMA NIC", "a host with an RDMA NIC", f"remove `{key}`")
    for key in ("gcc", "nccl_tests"):
        if getattr(part, key) is not None and part.cuda is None:
            path = (*spec.path, "software", key)
            problems.refuse(path, f"{key} without a toolkit", "cuda beside it, whose nvcc it is for")


def _suggest_change(combination: Combination, catalogue: Catalogue) -> str | None:
    better = find_alternative(combination, catalogue)
    if better is None:
        return None
    changed_keys = [
        (key, getattr(better, key)) for key in ("os", *_KEYS) if getattr(better, key) != getattr(combination, key)
    ]
    changes = [f"{key}: {value}" if value else f"no {key}" for key, value in changed_keys]
    return f"this works with the other versions unchanged: {', '.join(changes)}"
