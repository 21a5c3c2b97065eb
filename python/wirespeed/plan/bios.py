"""BIOS attributes of a host, from server model, tuning profile and cluster file."""

from __future__ import annotations

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import ServerModel
from wirespeed.cluster import HostSpec
from wirespeed.errors import did_you_mean, format_choices
from wirespeed.plan.problems import Problems
from wirespeed.settings import BiosAttribute
from wirespeed.settings.bios import BIOS_CPU_VENDORS, BIOS_VALUES

_UNCHECKED = "any"


def plan_bios(
    spec: HostSpec, server: ServerModel, catalogue: Catalogue, problems: Problems
) -> dict[str, BiosAttribute]:
    """The attributes by name. The tuning profile overrides the server model, the cluster file overrides both.

    Those that the processors lack are left out of a profile, which is for every server.
    """
    profile = catalogue.tunings.get(spec.part.tuning or "")
    cpu = spec.part.cpu or server.cpu_vendor
    rows = {**server.bios, **(profile.bios if profile else {})}
    attributes = {
        name: BiosAttribute(row.value, row.menu, row.menu_value, row.why, row.source)
        for name, row in rows.items()
        if BIOS_CPU_VENDORS.get(name, cpu) == cpu
    }
    for name, value in spec.part.bios.items():
        path = (*spec.path, "bios", name)
        if name not in BIOS_VALUES:
            problems.refuse(path, repr(name), format_choices(BIOS_VALUES), did_you_mean(name, list(BIOS_VALUES)))
        elif BIOS_CPU_VENDORS.get(name, cpu) != cpu:
            names = [key for key in BIOS_VALUES if BIOS_CPU_VENDORS.get(key, cpu) == cpu]
            problems.refuse(path, f"{name} on a server with {cpu} processors", format_choices(names))
        elif value == _UNCHECKED:
            attributes.pop(name, None)
        elif value not in BIOS_VALUES[name]:
            choices = (*BIOS_VALUES[name], _UNCHECKED)
            problems.refuse(path, repr(value), format_choices(choices), did_you_mean(value, list(choices)))
        else:
            menu = attributes[name].menu if name in attributes else None
            attributes[name] = BiosAttribute(value, menu, value, "set in the cluster file", "the cluster file")
    return attributes
