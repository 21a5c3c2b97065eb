"""The program with which a NIC's QoS package sets traffic classes."""

from __future__ import annotations

from fnmatch import fnmatchcase

from wirespeed.catalogue.compat import DriverRelease
from wirespeed.cluster import HostSpec
from wirespeed.plan.combination import parse_version
from wirespeed.plan.problems import Problems
from wirespeed.settings import find_release

_FIRST_RELEASE = 200
"""Broadcom's driver releases have numbers from 200 on: 214.0.253.1, 227.0.130.0. Server vendors number
their firmware differently: 22.31.13.70."""


def select_qos_program(spec: HostSpec, release: DriverRelease | None, problems: Problems) -> str | None:
    """The first program that the planned release and the system have. Without a planned release, the newest counts.

    A program of older releases is also selected by its package in the cluster file.
    """
    if release is None:
        return None
    packages = spec.part.software.nic_packages or {}
    key, version = _find_planned_release(spec, release)
    for name, program in release.qos_programs.items():
        if program.until is not None and name not in packages and not _is_until(version, program.until):
            continue
        if any(fnmatchcase(spec.os, system) for system in program.absent_on):
            continue
        if version and program.since and parse_version(version) < parse_version(program.since):
            problems.warn(
                (*spec.path, "software", key),
                f"release {version}, of which it is not known whether its QoS package calls {name}",
                f"{program.since} or later",
                "the option -h of the package's script lists its programs",
            )
        return name
    return None


def _find_planned_release(spec: HostSpec, release: DriverRelease) -> tuple[str, str | None]:
    """The key of the cluster file, and the release: that of the first package, otherwise that of the firmware."""
    software = spec.part.software
    versions = [
        ("nic_packages", version) for name, version in (software.nic_packages or {}).items() if name in release.packages
    ]
    for key, version in (*versions, ("nic_firmware", software.nic_firmware)):
        number = find_release(version) if version else ""
        if parse_version(number)[:1] >= (_FIRST_RELEASE,):
            return key, number
    return "nic_packages", None


def _is_until(version: str | None, last: str) -> bool:
    numbers = parse_version(last)
    return version is not None and parse_version(version)[: len(numbers)] <= numbers
