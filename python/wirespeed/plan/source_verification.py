"""Values of the catalogue whose source was not read, and what of a plan depends on them."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.catalogue.model import PcieAbility
from wirespeed.plan.model import Plan
from wirespeed.settings import Place

_LINK_PATHS = ("pcie.link.speed", "pcie.link.width")


def find_unverified_source(plan: Plan, place: Place, path: str) -> str | None:
    """The source of the planned value of a setting, if it was not read: of PCIe links of NICs and GPUs."""
    host = plan.hosts.get(place.device)
    if path not in _LINK_PATHS or host is None or not place.entities:
        return None
    name = place.entities[-1][1]
    names = {gpu.pcie for gpu in host.gpus.values()} | {nic.pcie for nic in host.nics.values()}
    if name not in names:
        return None
    server = plan.hardware.servers.get(host.model or "")
    abilities = [server.slot_pcie] if server is not None else []
    models = [plan.hardware.gpus.get(gpu.model or "") for gpu in host.gpus.values() if gpu.pcie == name]
    abilities += [model.pcie for model in models if model is not None]
    return next((source for ability in abilities if (source := _find_source(ability, path)) is not None), None)


def _find_source(ability: PcieAbility, path: str) -> str | None:
    value = ability.speed if path.endswith("speed") else ability.width
    return None if value.verified else value.source


def list_unverified_terms(plan: Plan, host: str) -> Iterator[tuple[str, str]]:
    """Part of the name of a term of a limit, and the source of its value, for values whose source was not read."""
    settings = plan.hosts[host]
    server = plan.hardware.servers.get(settings.model or "")
    if server is not None:
        for path in _LINK_PATHS:
            source = _find_source(server.slot_pcie, path)
            if source is not None:
                yield "slot", source
    for name in dict.fromkeys(gpu.model for gpu in settings.gpus.values()):
        model = plan.hardware.gpus.get(name or "")
        if model is None:
            continue
        for path in _LINK_PATHS:
            source = _find_source(model.pcie, path)
            if source is not None:
                yield "PCIe slot of", source
        if model.links is not None:
            for value in (model.links.per_gpu, model.links.peak):
                if not value.verified:
                    yield model.links.name, value.source


def find_unverified_term_source(plan: Plan, hosts: tuple[str, ...], name: str) -> str | None:
    """The source of a limit by this term that was not read; None if all of them were read."""
    for host in hosts:
        for part, source in list_unverified_terms(plan, host) if host in plan.hosts else ():
            if part in name:
                return source
    return None
