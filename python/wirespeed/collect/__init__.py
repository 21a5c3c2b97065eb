"""Evidence: what devices print, kept raw in a bundle, and bundles read into facts.

A live machine is a bundle just written, so live, recorded and simulated evidence take one path.
"""

from wirespeed.collect.bundle import Bundle, open_bundle
from wirespeed.collect.bundle_facts import facts_of, read
from wirespeed.collect.collection import Machine, local, machines, system_of
from wirespeed.collect.commands import Published, published
from wirespeed.collect.simulated_bundle import as_planned, simulate

__all__ = [
    "Bundle",
    "Machine",
    "Published",
    "as_planned",
    "facts_of",
    "local",
    "machines",
    "open_bundle",
    "published",
    "read",
    "simulate",
    "system_of",
]
