"""The libraries' variables: NCCL and RCCL, UCX, MVAPICH."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.errors import Problem
from wirespeed.facts import Source
from wirespeed.platforms.core_lists import format_core_list
from wirespeed.platforms.launcher import cores
from wirespeed.platforms.launcher.ucx_transports import parse_transport
from wirespeed.platforms.launcher.variables import (
    Read,
    Variable,
    flag,
    format_variables,
    inverse_flag,
    number,
    problems,
    service_level,
    settings_of_table,
    traffic_class,
)
from wirespeed.settings import Cores, Host, Launch
from wirespeed.units import Size

_DISTANCES = ("LOC", "NVL", "PIX", "PXB", "PHB", "SYS")
_OLD_NEVER = "0"  # LOC in every release (NCCL, src/graph/paths.cc); other numbers changed their meaning

# NCCL and RCCL. Sources: NCCL documentation, environment variables; RCCL source; Broadcom 957608-AN210, 8.7.2.


def _nccl_devices(text: str) -> tuple[str, ...] | None:
    """Device names of ``=bnxt_re0:1,bnxt_re1:1``. None for a list of exclusions."""
    return None if text.startswith("^") else _parse_devices(text.removeprefix("="), ",")


def _parse_devices(text: str, separator: str) -> tuple[str, ...] | None:
    names = tuple(entry.partition(":")[0] if separator == "," else entry for entry in text.split(separator))
    return names if all(names) else None


def _parse_interface(text: str) -> str | None:
    return text.removeprefix("=") if re.fullmatch(r"=?[^\s,^=]+", text) else None


def _distance(name: str, setting: str) -> Variable:
    """A distance by its name, or the number that always stood for none."""

    def read(text: str) -> str | None:
        return _DISTANCES[0] if text == _OLD_NEVER else text if text in _DISTANCES else None

    return Variable(name, setting, str, read)


NCCL = (
    # Without "=" a name is a prefix: bnxt_re1 would take bnxt_re10 too.
    Variable("NCCL_IB_HCA", "rdma_devices", lambda names: "=" + ",".join(f"{name}:1" for name in names), _nccl_devices),
    number("NCCL_IB_GID_INDEX", "gid_index"),
    traffic_class("NCCL_IB_TC"),
    service_level("NCCL_IB_SL"),
    Variable("NCCL_SOCKET_IFNAME", "control_interface", lambda name: f"={name}", _parse_interface),
    number("NCCL_IB_QPS_PER_CONNECTION", "queue_pairs"),
    inverse_flag("NCCL_IB_DISABLE", "rdma"),
    _distance("NCCL_NET_GDR_LEVEL", "gpu_direct"),
    flag("NCCL_NET_GDR_READ", "gpu_direct_reads"),
    _distance("NCCL_P2P_LEVEL", "gpu_peers"),
    inverse_flag("NCCL_SHM_DISABLE", "shared_memory"),
    flag("NCCL_IB_PCI_RELAXED_ORDERING", "relaxed_ordering"),
    flag("HSA_FORCE_FINE_GRAIN_PCIE", "fine_grained_memory"),  # ROCm's own
    flag("NCCL_DMABUF_ENABLE", "dma_buf"),
    flag("NCCL_CUMEM_ENABLE", "virtual_memory"),
    inverse_flag("NCCL_NET_DISABLE_INTRA", "network_within_host"),
    number("NCCL_MIN_NCHANNELS", "channels"),
)

_NET_DISABLE_INTRA = "NCCL_NET_DISABLE_INTRA"
_ENABLE_INTRANET = "RCCL_ENABLE_INTRANET"
RCCL = (*NCCL, flag(_ENABLE_INTRANET, "network_within_host"))
"""RCCL has two parameters for the NICs between ranks of a host.

`NCCL_NET_DISABLE_INTRA` is 1 by default, unlike NCCL's (ncclTopoCheckNet); `RCCL_ENABLE_INTRANET` keeps the NICs in the
topology when all ranks are on one host (ncclTopoTrimSystem removes them, with XGMI between the GPUs, unless it is 1).
Sources: RCCL source, src/graph/paths.cc; Broadcom 957608-AN210, section 8.6.
"""


def rccl_network_within_host(read: Read) -> tuple[bool, Source] | None:
    """Whether RCCL uses the NICs between ranks of a host; None if both parameters are absent, or one is no flag."""
    values = [read[name] for name in (_NET_DISABLE_INTRA, _ENABLE_INTRANET) if name in read]
    if not values or any(text not in ("0", "1") for text, _ in values):
        return None
    return [text for text, _ in values] == ["0", "1"], values[0][1]


# UCX. Source: UCX source, the configuration tables of src/uct/ib and src/ucp; aliases of transports in
# src/ucp/core/ucp_context.c: rc is rc_v and rc_x, ud is ud_v and ud_x.

_UCX_TRANSPORTS = {
    "rc": ("rc",),
    "ud": ("ud",),
    "hybrid": ("rc", "ud"),
    "rc-verbs": ("rc_v",),
    "ud-verbs": ("ud_v",),
    "hybrid-verbs": ("rc_v", "ud_v"),
}


_UCX_PLACES = (
    Variable(
        "UCX_NET_DEVICES",
        "rdma_devices",
        lambda names: ",".join(f"{name}:1" for name in names),
        lambda text: _parse_devices(text, ","),
    ),
    number("UCX_IB_GID_INDEX", "gid_index"),
    traffic_class("UCX_IB_TRAFFIC_CLASS"),  # left alone UCX takes 106: DSCP 26, whatever the cluster's is
    service_level("UCX_IB_SL"),
)


MPI_DEVICES = replace(_UCX_PLACES[0], setting="mpi_devices")
"""The devices of UCX below the MPI that starts collectives."""


def _parse_ranks(text: str) -> int | None:
    """The smallest number of ranks above the limit of RC. None without a limit (``inf``)."""
    return int(text) + 1 if re.fullmatch(r"[0-9]{1,9}", text) else None


UCX = (
    *_UCX_PLACES,
    # "rc" selects every RC transport of the NIC; shared memory (sm) and loopback (self) are also needed.
    Variable("UCX_TLS", "transport", lambda name: ",".join(("self", "sm", *_UCX_TRANSPORTS[name])), parse_transport),
    # A transport is in question up to this number of ranks (ucp_is_scalable_transport of
    # src/ucp/core/ucp_context.h; Open MPI's pml/ucx passes the size of the job): above it UD is used.
    Variable("UCX_RC_MAX_NUM_EPS", "hybrid_from", lambda ranks: str(ranks - 1), _parse_ranks),
    number("UCX_IB_NUM_PATHS", "queue_pairs"),
)

# MVAPICH. Sources: MVAPICH2 2.3.7 user guide, section 11; its control variables in ibv_param.c, and ibv_send.c
# (post_hybrid_send) for the messages before an RC connection; MVAPICH2-GDR 2.3.7 user guide, section 13.1; MPI over
# Broadcom RoCE (MVAPICH, 2024 OFA workshop) for the scatter-gather list and the progress thread, which its Broadcom
# build has. No variable selects RC or UD by the size of a message.


def _parse_size(text: str) -> Size | None:
    match = re.fullmatch(r"([0-9]{1,9})([kKmM]?)", text)
    return Size(int(match[1]) << {"": 0, "k": 10, "m": 20}[match[2].lower()]) if match else None


def _format_size(size: Size) -> str:
    return f"{size >> 10}k" if size % 1024 == 0 else str(int(size))


def mvapich(prefix: str) -> tuple[Variable, ...]:
    """MVAPICH's variables of one setting each: MV2 before release 3, MVP since."""
    return (
        flag(f"{prefix}_USE_RoCE", "rdma"),
        Variable(f"{prefix}_IBA_HCA", "rdma_devices", ":".join, lambda text: _parse_devices(text, ":")),
        number(
            f"{prefix}_DEFAULT_GID_INDEX", "gid_index"
        ),  # before release 2.3.5 row 0 by default: RoCE v1 on most NICs
        service_level(f"{prefix}_DEFAULT_SERVICE_LEVEL"),
        number(f"{prefix}_HYBRID_ENABLE_THRESHOLD", "hybrid_from"),
        number(f"{prefix}_HYBRID_MAX_RC_CONN", "rc_connections"),
        number(f"{prefix}_UD_NUM_MSG_LIMIT", "rc_from_messages"),
        number(f"{prefix}_NUM_QP_PER_PORT", "queue_pairs"),
        flag(f"{prefix}_USE_COALESCE", "coalescing"),
        number(f"{prefix}_COALESCE_THRESHOLD", "coalescing_from"),
        flag(f"{prefix}_USE_EAGER_SGL", "eager_sgl"),
        Variable(f"{prefix}_USE_EAGER_SGL_LIMIT", "eager_sgl_limit", _format_size, _parse_size),
        flag(f"{prefix}_OPTIMIZED_ASYNC_PROGRESS", "async_progress"),
        Variable(f"{prefix}_CPU_MAPPING", "cores", lambda ranks: ":".join(map(format_core_list, ranks)), cores.mapping),
    )


_GPU_VARIABLES = {"cuda": "MV2_USE_CUDA", "rocm": "MV2_USE_ROCM"}
_GPUDIRECT_VARIABLES = ("MV2_USE_GPUDIRECT_RDMA", "MV2_USE_GDR", "MV2_USE_GPUDIRECT")
"""The first is rendered, the others are its earlier and its short name."""
_GPUDIRECT_VALUES = {"LOC": "0", "SYS": "1"}
"""MVAPICH2-GDR uses GPUDirect RDMA for every GPU or for none: it has no distance."""


def _mvapich2_gpu_variables(launch: Launch) -> dict[str, str]:
    """The variables of MVAPICH2-GDR."""
    variables = {}
    if launch.gpu_memory in _GPU_VARIABLES:
        variables[_GPU_VARIABLES[launch.gpu_memory]] = "1"
    elif launch.gpu_memory is not None:
        variables |= dict.fromkeys(_GPU_VARIABLES.values(), "0")
    if launch.gpu_direct in _GPUDIRECT_VALUES:
        variables[_GPUDIRECT_VARIABLES[0]] = _GPUDIRECT_VALUES[launch.gpu_direct]
    return variables


def mvapich2_gpu_settings(read: Read) -> Iterator[tuple[str, str, Source]]:
    """The settings of MVAPICH2-GDR's variables, with their values."""
    values = {kind: read[name] for kind, name in _GPU_VARIABLES.items() if name in read}
    enabled = [(kind, source) for kind, (text, source) in values.items() if text == "1"]
    if enabled:
        yield "gpu_memory", *enabled[0]
    elif values and all(text == "0" for text, _ in values.values()):
        yield "gpu_memory", "none", next(iter(values.values()))[1]
    for name in _GPUDIRECT_VARIABLES:
        text, source = read.get(name, (None, None))
        distance = next((distance for distance, value in _GPUDIRECT_VALUES.items() if value == text), None)
        if distance is not None and source is not None:
            yield "gpu_direct", distance, source
            return


def affinity_variables(prefix: str) -> tuple[str, str]:
    """The variables by which MVAPICH ignores its mapping of ranks to cores: off, and on."""
    return f"{prefix}_ENABLE_AFFINITY", f"{prefix}_SUPPORT_DPM"


def mvapich_roce(prefix: str, read: Read) -> tuple[bool, Source] | None:
    """Whether RoCE is enabled: by its variable in either spelling, or by the one of its version.

    Source: MVAPICH2 2.3.7 source, ibv_param.c, rdma_get_user_parameters.
    """
    spellings = (f"{prefix}_USE_RoCE", f"{prefix}_USE_ROCE")
    for name in (f"{spelling}_MODE" for spelling in spellings):
        if name in read:
            return True, read[name][1]
    text, source = next((read[name] for name in spellings if name in read), ("", None))
    return None if source is None or text not in ("0", "1") else (text == "1", source)


def mvapich_cores(prefix: str, read: Read) -> tuple[Cores, Source] | None:
    """The cores of its ranks: of the mapping, or none where affinity is off.

    Source: MVAPICH2 2.3.7 source, hwloc_bind.c, MPIDI_CH3I_set_affinity: the mapping is read only with affinity, whose
    default is on, and which dynamic process management turns off.
    """
    affinity, spawning = (read.get(name) for name in affinity_variables(prefix))
    if spawning is not None and _parse_integer(spawning[0]) != 0:
        return (), spawning[1]
    if affinity is not None and _parse_integer(affinity[0]) == 0:
        return (), affinity[1]
    text, source = read.get(f"{prefix}_CPU_MAPPING", ("", None))
    mapping = cores.mapping(text)
    return None if mapping is None or source is None else (mapping, source)


_BINDING_POLICIES = ("linear", "compact", "spread", "bunch", "scatter", "numa")


def binding_variables(prefix: str) -> tuple[str, str]:
    """The variables of MVAPICH's own policy, and of its policy ``hybrid``."""
    return f"{prefix}_CPU_BINDING_POLICY", f"{prefix}_HYBRID_BINDING_POLICY"


def mvapich_binding(prefix: str, read: Read) -> tuple[str, Source] | None:
    """The policy by which it places its ranks without a mapping.

    None where both variables do not decide: hybrid's default depends on the release and on the CPU.
    Source: MVAPICH2 2.3.7 source, hwloc_bind.c, MPIDI_CH3I_set_affinity; values are of lower or of upper case.
    """
    policy, hybrid_policy = (read.get(name) for name in binding_variables(prefix))
    if policy is not None and policy[0] in ("hybrid", "HYBRID"):
        policy = hybrid_policy
    elif policy is None or policy[0].lower() not in ("bunch", "scatter"):
        return None
    if policy is None or policy[0] not in (policy[0].lower(), policy[0].upper()):
        return None
    name = policy[0].lower()
    return (name, policy[1]) if name in _BINDING_POLICIES else None


_PROGRESS_VARIABLES = ("MPICH_ASYNC_PROGRESS", "MPIR_CVAR_ASYNC_PROGRESS")


def mvapich_progress_thread(read: Read) -> tuple[bool, Source] | None:
    """The progress thread of MPICH, on which MVAPICH is based; None if its variables do not enable it.

    Source: MVAPICH2 2.3.7 source, src/mpi/init/init.c, MPIR_CVAR_ASYNC_PROGRESS.
    """
    enabled = (read[name] for name in _PROGRESS_VARIABLES if name in read and read[name][0] in _TRUE)
    source = next((source for _, source in enabled), None)
    return None if source is None else (True, source)


_TRUE = ("1", "yes", "YES", "true", "TRUE", "on", "ON")
"""Values that MPL_env2bool of MPICH takes as true."""


def _parse_integer(text: str) -> int:
    """As atoi(3) does: 0 without digits."""
    match = re.match(r"[+-]?[0-9]{1,9}", text)
    return int(match[0]) if match else 0


_MVAPICH_TRANSPORTS = {"rc": ("0", "0"), "ud": ("0", "1"), "hybrid": ("1", "0")}
"""USE_UD_HYBRID and USE_ONLY_UD; source: MPI over Broadcom RoCE, "MVAPICH2 Runtime"."""


def mvapich_variables(prefix: str, launch: Launch) -> dict[str, str]:
    """All of MVAPICH's variables."""
    variables = format_variables(mvapich(prefix), launch)
    if launch.transport in _MVAPICH_TRANSPORTS:
        hybrid, only_ud = _MVAPICH_TRANSPORTS[launch.transport]
        variables |= {f"{prefix}_USE_UD_HYBRID": hybrid, f"{prefix}_USE_ONLY_UD": only_ud}
    if launch.cores is not None:
        variables[affinity_variables(prefix)[0]] = "1"
    if prefix == "MV2":
        variables |= _mvapich2_gpu_variables(launch)
    return variables


def mvapich_transport(prefix: str, read: Read) -> tuple[str, Source] | None:
    """The transport of both its variables. Only UD wins over hybrid."""
    hybrid, only_ud = read.get(f"{prefix}_USE_UD_HYBRID"), read.get(f"{prefix}_USE_ONLY_UD")
    if only_ud is not None and only_ud[0] == "1":
        return "ud", only_ud[1]
    if hybrid is None or hybrid[0] not in ("0", "1"):
        return None
    return ("hybrid" if hybrid[0] == "1" else "rc"), hybrid[1]


# Whichever library a launch is over.

_PREFIXES = {"mvapich2": "MV2", "mvapich3": "MVP"}
_ELSEWHERE = frozenset({"cores", "control_interface"})
"""Settings that the launcher sets, or that need none, where a library has no variable."""


def select_table(library: str | None) -> tuple[Variable, ...]:
    """The variables of a library."""
    if library in ("nccl", "rccl"):
        return RCCL if library == "rccl" else NCCL
    return mvapich(_PREFIXES[library]) if library in _PREFIXES else UCX


def variable_settings(library: str | None) -> dict[str, str]:
    """Every variable of a library with its setting."""
    prefix = _PREFIXES.get(library or "")
    setting_by_variable = settings_of_table(select_table(library))
    if prefix:
        setting_by_variable |= dict.fromkeys((f"{prefix}_USE_UD_HYBRID", f"{prefix}_USE_ONLY_UD"), "transport")
    if prefix == "MV2":
        setting_by_variable |= dict.fromkeys(_GPU_VARIABLES.values(), "gpu_memory")
        setting_by_variable |= dict.fromkeys(_GPUDIRECT_VARIABLES, "gpu_direct")
    return setting_by_variable


def file_settings(library: str | None) -> dict[str, str]:
    """Every variable of a library with its setting; also those without which it ignores the variable of a setting."""
    prefix = _PREFIXES.get(library or "")
    return {
        **variable_settings(library),
        **(dict.fromkeys(affinity_variables(prefix), "cores") if prefix else {}),
        **(dict.fromkeys(binding_variables(prefix), "binding") if prefix else {}),
        **(dict.fromkeys(_PROGRESS_VARIABLES, "async_progress") if prefix else {}),
    }


def library_variables(launch: Launch) -> list[tuple[str, str]]:
    """Variables of a library: the plan's settings first, then the cluster file's variables."""
    prefix = _PREFIXES.get(launch.library or "")
    variables = mvapich_variables(prefix, launch) if prefix else format_variables(select_table(launch.library), launch)
    return list({**variables, **(launch.environment or {})}.items())


def environment(launch: Launch) -> list[tuple[str, str]]:
    """The environment of a job. MPI starts collectives too; for them UCX only gets the devices.

    Settings that differ between the hosts of the job are left out: a variable would override the configuration file of
    each host (NCCL user guide, NCCL_CONF_FILE; UCX, ucx.conf; MVAPICH2 2.3.7 user guide, section 6.3).
    """
    problems = library_variables(launch)
    settings = file_settings(launch.library)
    if launch.library in ("nccl", "rccl"):
        problems += format_variables(_UCX_PLACES, launch).items()
        settings = settings_of_table(_UCX_PLACES) | settings
    if launch.threads is not None:
        problems.append(("OMP_NUM_THREADS", str(launch.threads)))
    differing = launch.host_settings or ()
    return [(name, value) for name, value in problems if settings.get(name) not in differing]


def list_ucx_file_variables(launch: Launch) -> list[tuple[str, str]]:
    """The variables of UCX under MPI that starts collectives, which `environment` leaves out: hosts differ in them.

    Without them UCX opens every RDMA device of the host, also one that the plan leaves out of jobs.
    """
    differing = launch.host_settings or ()
    if launch.library not in ("nccl", "rccl"):
        return []
    places = [MPI_DEVICES if place is _UCX_PLACES[0] else place for place in _UCX_PLACES if place.setting in differing]
    return list(format_variables(places, launch).items())


def job_environment(launch: Launch, bound: bool) -> list[tuple[str, str]]:
    """The environment of a job. A mapping to cores applies to the planned number of ranks only."""
    problems = environment(launch)
    return (
        problems
        if bound
        else [value for value in problems if not value[0].endswith(("_CPU_MAPPING", "_ENABLE_AFFINITY"))]
    )


def restrict_to_nics(launch: Launch) -> Launch | None:
    """A launch whose ranks within a host communicate over the NICs only; None if the library cannot.

    GPUs take neither the links between them nor memory of the host. RCCL drops the NICs from its topology when all
    ranks are on one host, unless a variable keeps them (`RCCL`).
    """
    if launch.library not in ("nccl", "rccl"):
        return None
    return replace(launch, gpu_peers="LOC", shared_memory=False, network_within_host=True)


def nic_variables(launch: Launch, device: str) -> list[tuple[str, str]]:
    """Variables that restrict UCX to one NIC."""
    return list(format_variables(_UCX_PLACES, replace(launch, rdma_devices=(device,))).items())


def gpu_memory(launch: Launch, gpu: int) -> tuple[str, ...]:
    """perftest's option for memory of a GPU; () if the library does not support GPUs."""
    kinds = {"nccl": "cuda", "rccl": "rocm"}
    return (f"--use_{kinds[launch.library]}={gpu}",) if launch.library in kinds else ()


def list_unsupported_settings(name: str, host: Host) -> list[Problem]:
    """Launch settings that the library lacks, and variables that a setting sets or no file can contain."""
    launch = host.launch
    prefix = _PREFIXES.get(launch.library or "")
    table = select_table(launch.library)
    settings_of_library = {variable.setting for variable in table} | _ELSEWHERE | ({"transport"} if prefix else set())
    if launch.library == "nccl":
        settings_of_library -= {"fine_grained_memory"}
    if prefix == "MV2":
        settings_of_library |= {"gpu_memory", "gpu_direct"}
    every = {variable.setting for variable in (*NCCL, *UCX, *mvapich("MV2"))} | {"gpu_memory"}
    values = [
        Problem(f"{name}: launch", f"{setting} = {getattr(launch, setting)}", f"a setting that {launch.library} has")
        for setting in sorted(every - settings_of_library)
        if getattr(launch, setting) is not None
    ]
    if prefix:
        values += _list_unsupported_values(name, launch)
    # Without planned cores a job with threads may turn affinity off.
    settings = variable_settings(launch.library) if launch.cores is None else file_settings(launch.library)
    return values + problems(name, launch, settings)


def _list_unsupported_values(name: str, launch: Launch) -> Iterator[Problem]:
    """Values that other libraries support and MVAPICH does not."""
    if launch.transport is not None and launch.transport not in _MVAPICH_TRANSPORTS:
        expected = f"{', '.join(_MVAPICH_TRANSPORTS)}: MVAPICH has no other variant of them"
        yield Problem(f"{name}: launch", f"transport = {launch.transport}", expected)
    if launch.gpu_direct is not None and launch.gpu_direct not in _GPUDIRECT_VALUES:
        expected = "LOC (off) or SYS (on): MVAPICH2-GDR has no distance of GPU and NIC"
        yield Problem(f"{name}: launch", f"gpu_direct = {launch.gpu_direct}", expected)


def export_lines(text: Sequence[tuple[str, str]]) -> str:
    """Lines that export variables in a shell. A variable that the caller has set is not changed."""
    return "\n".join(f'[ "${{{name}+set}}" ] || export {name}={_quote(value)}' for name, value in text)


def _quote(value: str) -> str:
    """A word for a shell. With = at its beginning, which selects devices by their whole name, it looks like a test."""
    return f"'{value}'" if shlex.quote(value) == value and value.startswith("=") else shlex.quote(value)
