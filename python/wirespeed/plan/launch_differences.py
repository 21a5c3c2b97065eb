"""Settings of a job that differ between its hosts: no variable on a launcher's command line can contain them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from itertools import groupby

from wirespeed.catalogue import Catalogue
from wirespeed.plan.problems import Problems
from wirespeed.settings import Host, Launch

_SAME_FOR_ALL = frozenset({"library", "launcher", "hosts", "other_ranks", "needed_queue_pairs", "host_settings"})
_WITHOUT_FILE = "mvapich3"
"""The library whose documents name no configuration file of a host."""


def list_host_settings(launches: Iterable[Launch]) -> tuple[str, ...] | None:
    """The settings that differ between launches; None if there are none."""
    distinct = [next(group) for _, group in groupby(launches, id)]  # hosts of a group share one
    names = tuple(
        field.name
        for field in fields(Launch)
        if field.name not in _SAME_FOR_ALL and len({str(getattr(launch, field.name)) for launch in distinct}) > 1
    )
    return names or None


def mark_host_settings(hosts: Mapping[str, Host], catalogue: Catalogue, problems: Problems) -> dict[str, Host]:
    """The hosts, whose launches name the settings that differ between them.

    MPI starts the jobs of a library for GPUs: it needs the devices of each host, too.
    """
    names = list_host_settings(host.launch for host in hosts.values())
    if names is None:
        return dict(hosts)
    if any(host.launch.library == _WITHOUT_FILE for host in hosts.values()):
        problems.warn(
            ("launch",),
            f"{', '.join(names)} of jobs over {_WITHOUT_FILE} that differ between hosts",
            "the same on all hosts: the library has no configuration file of a host, so each host uses its defaults",
            "set them in the environment of each host, or choose a library with a configuration file",
        )
    return {name: replace(host, launch=_mark_launch(host.launch, names, catalogue)) for name, host in hosts.items()}


def _mark_launch(launch: Launch, names: tuple[str, ...], catalogue: Catalogue) -> Launch:
    library = catalogue.libraries.get(launch.library or "")
    is_below = "rdma_devices" in names and library is not None and library.gpus is not None
    return replace(launch, host_settings=names, mpi_devices=launch.rdma_devices if is_below else None)
