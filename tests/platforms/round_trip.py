"""Asking a device that has certain settings, without the device."""

from __future__ import annotations

from collections.abc import Iterator

import jinja2

from wirespeed.catalogue.model import NicModel
from wirespeed.collect.simulated_addresses import assign_addresses
from wirespeed.facts import Facts, Source, assemble_facts
from wirespeed.platforms import Command, Output, Outputs, Platform
from wirespeed.platforms.templates import AnswerTemplates
from wirespeed.settings import ENTITIES, Device, Host, Place, list_settings, walk

SETTINGS = {path: setting for entity in ENTITIES for path, setting in list_settings(entity).items()}


def with_nic(cluster: str, name: str, model: NicModel) -> str:
    """The text of an example's cluster file with another NIC model in its hosts."""
    text = cluster.replace("8 x broadcom-bcm957608-p1400gd", f"8 x {name}")
    assert text != cluster or name == "broadcom-bcm957608-p1400gd"
    if not model.qos_package and not model.congestion_by_priority:  # one whose congestion control cannot be configured
        text = text.replace(", congestion: dcqcn-p", "").replace("  cnp: {dscp: 48, priority: 7, strict: true}\n", "")
    return text


def answers(platform: Platform, name: str, device: Device) -> Outputs:
    """What the device answers to the commands of the platform whose output is simulated.

    Those that a setting is read from all are; planned bundles, too, lack outputs that are collected for people alone.
    """
    templates = AnswerTemplates(platform, name, device)
    replies = (answered for command in platform.commands for answered in _ask(templates, command, name, device))
    return Outputs(name, dict(replies))


def _ask(templates: AnswerTemplates, command: Command, name: str, device: Device) -> Iterator[tuple[str, Output]]:
    source = Source(name, " ".join(command.run), f"{name}/{command.id}.out")
    if not command.per_nic:
        try:
            text = templates.fill(command.id)
        except jinja2.TemplateNotFound:
            assert not command.reads, f"{command.id}: settings are read from it, and it has no simulated output"
            return
        yield command.id, Output(command.id, text, source)
        return
    assert isinstance(device, Host)
    for interface, nic in device.nics.items():
        text = templates.fill(command.id, interface=interface, nic=nic)
        yield f"{command.id}@{interface}", Output(command.id, text, source)


def build_facts(platform: Platform, outputs: Outputs) -> Facts:
    """What the platform reads from outputs."""
    return assemble_facts(platform.parse(outputs), devices=[outputs.device])


def find_losses(platform: Platform, name: str, device: Device) -> list[str]:
    """Settings the platform declares as read that are not the same after being answered and read."""
    device = assign_addresses(device) if isinstance(device, Host) else device
    facts = build_facts(platform, answers(platform, name, device))
    losses: list[str] = []
    for place, path, value in walk(device, Place(name)):
        if value is None or not platform.support(path).read:
            continue
        got = facts.value(place, path)
        if got is None or not SETTINGS[path].compare.holds(value, got):
            losses.append(f"{place} {path}: {value!r} came back as {got!r}")
    return losses
