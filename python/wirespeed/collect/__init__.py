"""Collects raw output of devices in a bundle, and reads bundles into facts.

Live machines are collected into a bundle first, so live, recorded and simulated output are read in the same steps.
"""

from wirespeed.collect.bundle import Bundle, open_bundle
from wirespeed.collect.bundle_facts import extract_facts, read_facts
from wirespeed.collect.collection import Machine, collect_local, collect_machines, platform_key
from wirespeed.collect.commands import PublishedCommand, list_published_commands
from wirespeed.collect.simulated_bundle import write_planned_bundle, write_simulated_bundle

__all__ = [
    "Bundle",
    "Machine",
    "PublishedCommand",
    "collect_local",
    "collect_machines",
    "extract_facts",
    "list_published_commands",
    "open_bundle",
    "platform_key",
    "read_facts",
    "write_planned_bundle",
    "write_simulated_bundle",
]
