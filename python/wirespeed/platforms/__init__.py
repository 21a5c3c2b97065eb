"""Everything specific to a vendor. A platform is a folder; its presence registers it.

A platform folder ``platforms/{switch,host,nic,launcher}/<name>/`` has four parts. What several platforms of a kind
share is in a folder beside them with ``shared.yaml`` instead of ``platform.yaml``; ``include`` names it.

* ``platform.yaml``: read-only commands with the settings each shows, and per setting whether it is rendered,
* ``templates/``: the configuration of a device, rendered by `wirespeed.platforms.templates.fill_template`,
* ``forms.yaml`` (optional): the forms of the configuration's lines, each with its authority and its releases,
* ``answers/``: what a device with given settings prints, one template per command; those of a kind's own ``answers/``
  are for every platform of the kind, and a command without one prints what the command prints whose fallback it is,
* ``parse.py``: ``parse(outputs) -> Iterator[Observation]``, command output to observations,
* ``commands.py`` (optional): ``commands_for(place, path, value, device)``, the commands that change one setting,
* ``view.py`` (optional): ``view(name, device)``, values computed for the templates,
* ``simulator_mapping.py`` (optional, NIC): ``SIMULATOR_MAPPING``, the driver's algorithms in the simulator's names,
* ``job.py`` (optional, launcher): ``start(job)``, the command that starts a job.
"""

from wirespeed.platforms.model import (
    Command,
    CommandsFor,
    Counter,
    FileTemplate,
    Job,
    Output,
    Outputs,
    Platform,
    SettingCommands,
    SimulatorMapping,
    Support,
)
from wirespeed.platforms.registry import platform, platform_of_system, platforms, platforms_of_launch

__all__ = [
    "Command",
    "CommandsFor",
    "Counter",
    "FileTemplate",
    "Job",
    "Output",
    "Outputs",
    "Platform",
    "SettingCommands",
    "SimulatorMapping",
    "Support",
    "platform",
    "platform_of_system",
    "platforms",
    "platforms_of_launch",
]
