"""A leaf with the configuration rendered for it, not with the plan."""

from __future__ import annotations

from pathlib import Path

from wirespeed.facts import Source, assemble_facts
from wirespeed.plan import Plan
from wirespeed.platforms import Output, Outputs, platform, platform_of_system
from wirespeed.settings import Switch

CONFIGURATION = "wirespeed.cfg"
_COMMAND = "running-config"


def leaf_as_rendered(plan: Plan, leaf: str, folder: Path) -> Switch:
    """The switch whose running configuration would be the rendered one: read by the parser that reads devices."""
    path = next((folder / leaf).rglob(CONFIGURATION))
    output = Output(_COMMAND, path.read_text(), Source(leaf, _COMMAND, path.name))
    system = platform("switch", platform_of_system("switch", plan.switches[leaf].os or "") or "")
    switch = assemble_facts(system.parse(Outputs(leaf, {_COMMAND: output}))).devices[leaf]
    assert isinstance(switch, Switch)
    return switch
