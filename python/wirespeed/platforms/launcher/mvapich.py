"""Both generations of MVAPICH: the start of their jobs, and the reading of their variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from wirespeed.facts import Observation, Source, State
from wirespeed.platforms.declaration import list_declared_defaults
from wirespeed.platforms.launcher import hosts
from wirespeed.platforms.launcher.gpu_nics import pairing
from wirespeed.platforms.launcher.library_variables import (
    environment,
    export_lines,
    file_settings,
    job_environment,
    library_variables,
    list_unsupported_settings,
    mvapich,
    mvapich2_gpu_settings,
    mvapich_binding,
    mvapich_cores,
    mvapich_progress_thread,
    mvapich_roce,
    mvapich_transport,
    variable_settings,
)
from wirespeed.platforms.launcher.variables import Read, observation, observe_unmapped, observe_variables, processes
from wirespeed.platforms.model import Job, Output, Outputs
from wirespeed.settings import Device, Host, Place, Priority

_LIBRARIES = {"MV2": "mvapich2", "MVP": "mvapich3"}
_DEFAULTS = tuple(
    f"host.launch.{name}"
    for name in (
        *("rdma", "priority", "transport", "queue_pairs", "coalescing", "coalescing_from"),
        *("eager_sgl", "eager_sgl_limit"),
    )
)
"""Settings that have a default whatever the hardware, in every build that has the setting."""
_HOST = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?::([0-9]+))?(?::[A-Za-z0-9_]+)?")
"""``node1:128``, and the NIC after another colon."""


def view(name: str, device: Device) -> Mapping[str, Any]:
    """Functions for the templates."""
    if not isinstance(device, Host):
        raise TypeError(f"{name} is no host")
    launch = device.launch
    return {
        "problems": list_unsupported_settings(name, device),
        "variables": lambda: library_variables(launch),
        "names": lambda: [variable for variable, _ in environment(launch)],
        "exported": lambda: export_lines(environment(launch)),
        "hostfile": lambda: hosts.format_lines(launch, ":"),
        "pairing": lambda: list(pairing(device)),
    }


_MOST_NAMES = 16
"""Ranks from which mpirun_rsh gets a host file: on its command line it expects a host name for each rank, and 8192 are
longer than an argument of ssh may be. Our own choice, far below that."""
_HOST_FILE = 'IFS=,; printf "%s\\n" $1 | { shift; exec "$@" 3<&0 </dev/null; }'
"""Passes the hosts, separated by commas, to a command as the file /dev/fd/3: no file is left behind."""


def start(job: Job) -> tuple[str, ...]:
    """mpirun_rsh or Hydra's mpiexec, with the hosts on the command line. The library pins the ranks to cores.

    With many ranks mpirun_rsh reads them from a host file, a line ``node1:128`` for each host. Sources: MVAPICH2 2.3.7
    user guide, section 5.2.1; hostfile/parser.y of its source, which opens the file by its path, and once.
    """
    launch = job.host.launch
    total, variables = len(job.hosts) * job.ranks_per_host, job_environment(launch, job.bound)
    host_list = ",".join(f"{host}:{job.ranks_per_host}" for host in job.hosts)
    if launch.launcher == "mpirun-rsh":
        names = [host for host in job.hosts for _ in range(job.ranks_per_host)] if total <= _MOST_NAMES else []
        return (
            *(() if names else ("sh", "-c", _HOST_FILE, "hostfile", host_list)),
            *("mpirun_rsh", "-np", str(total), *(names or ("-hostfile", "/dev/fd/3"))),
            *(f"{name}={value}" for name, value in variables),
            *job.program,
        )
    arguments = [word for name, value in variables for word in ("-genv", name, value)]
    return (
        *("mpiexec", "-n", str(total), "-ppn", str(job.ranks_per_host), "-hosts", host_list),
        *arguments,
        *job.program,
    )


def parse_outputs(
    outputs: Outputs, tool: str, prefix: str, config: str, read_config: Callable[[Output], Read]
) -> Iterator[Observation]:
    """The settings in a running job (``mvapich2-job``), its configuration (``mvapich2-conf``) and its host file.

    Variables of a job's environment take precedence over those of the file, which apply to the others.
    """
    place = Place(outputs.device)
    config_output, job_output = outputs.get(f"{tool}-{config}"), outputs.get(f"{tool}-job")
    configured = read_config(config_output) if config_output is not None else {}
    exported = processes(job_output, configured) if job_output is not None else {}
    settings = file_settings(_LIBRARIES[prefix])
    overridden = {settings[name] for name in exported if name in settings}
    for reading in _read_variables(prefix, {**configured, **exported}, place, State.RUNNING):
        if reading.path.removeprefix("host.launch.") in overridden:
            yield reading
    yield from _read_variables(prefix, configured, place, State.CONFIGURED)
    if config_output is not None and configured:
        if job_output is not None and not exported.keys() <= settings.keys():
            effective = {**configured, **exported}
            yield from _list_other_variables(prefix, effective, job_output, place, State.RUNNING)
        yield from _list_other_variables(prefix, configured, config_output, place, State.CONFIGURED)
        yield from _list_defaults(prefix, configured, config_output.source, place)
    if (output := outputs.get(f"{tool}-hosts")) is not None:
        yield from hosts.read(output, _HOST, place)


def _read_variables(prefix: str, read: Read, place: Place, state: State) -> Iterator[Observation]:
    """The settings of MVAPICH's variables."""
    table = [variable for variable in mvapich(prefix) if variable.setting not in ("cores", "rdma")]
    yield from observe_variables(table, read, place, state)
    if (thread := mvapich_progress_thread(read)) is not None:
        yield observation(place, "async_progress", *thread, state)
    if (rdma := mvapich_roce(prefix, read)) is not None:
        yield observation(place, "rdma", *rdma, state)
    if (cores := mvapich_cores(prefix, read)) is not None:
        yield observation(place, "cores", *cores, state)
    elif (policy := mvapich_binding(prefix, read)) is not None:
        yield observation(place, "binding", *policy, state)
    if (transport := mvapich_transport(prefix, read)) is not None:
        yield observation(place, "transport", *transport, state)
    if prefix == "MV2":
        for setting, value, source in mvapich2_gpu_settings(read):
            yield observation(place, setting, value, source, state)


def _list_defaults(prefix: str, read: Read, source: Source, place: Place) -> Iterator[Observation]:
    """The known defaults of settings that the file does not set. Those of release 3 are not verified."""
    if prefix != "MV2":
        return
    configured = {setting for name, setting in file_settings(_LIBRARIES[prefix]).items() if name in read}
    if mvapich_roce(prefix, read) is not None:
        configured.add("rdma")
    if mvapich_transport(prefix, read) is None and f"{prefix}_USE_UD_HYBRID" not in read:
        configured.discard("transport")  # only UD is off: hybrid is not
    for path, value in list_declared_defaults("launcher/mvapich2", *_DEFAULTS).items():
        setting = path.removeprefix("host.launch.")
        if setting not in configured:
            typed_value = Priority(value) if setting == "priority" else value
            assumed = observation(place, setting, typed_value, source, State.CONFIGURED)
            yield replace(assumed, is_default=True)


def _list_other_variables(prefix: str, read: Read, output: Output, place: Place, state: State) -> Iterator[Observation]:
    """Variables without a setting."""
    settings = variable_settings(_LIBRARIES[prefix])
    default = f"{prefix}_ENABLE_AFFINITY", "1"  # rendered beside the mapping
    variables = {name: pair for name, pair in read.items() if (name, pair[0]) != default}
    yield observe_unmapped(variables, settings, output, place, state)
