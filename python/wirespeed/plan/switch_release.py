"""The oldest release of a switch's operating system that understands what is rendered for it."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.catalogue import Catalogue
from wirespeed.catalogue.model import SourcedValue, SwitchModel, SwitchSystem
from wirespeed.plan.combination import parse_version
from wirespeed.settings import Switch


def list_oldest_releases(
    system: SwitchSystem, model: SwitchModel, model_name: str, system_name: str
) -> Iterator[tuple[str, SourcedValue[str]]]:
    """The first release of the system, and the first with files of the model; each with what messages append to it."""
    if system.oldest_release is not None:
        yield "", system.oldest_release
    if model.oldest_releases is not None and system_name in model.oldest_releases.value:
        oldest = model.oldest_releases
        yield f" on {model_name}", SourcedValue(value=oldest.value[system_name], source=oldest.source)


def find_oldest_release(hardware: Catalogue, switch: Switch) -> SourcedValue[str] | None:
    """The oldest release for which a switch without ``os_version`` is rendered. None if no source names one."""
    model, system = hardware.switches.get(switch.model or ""), hardware.switch_systems.get(switch.os or "")
    if model is None or system is None:
        return None
    releases = [oldest for _, oldest in list_oldest_releases(system, model, switch.model or "", switch.os or "")]
    if system.newest_commands is not None:
        releases.append(system.newest_commands)
    return max(releases, key=lambda oldest: parse_version(oldest.value), default=None)
