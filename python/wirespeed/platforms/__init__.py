"""All that is known of vendors' words. One folder per platform, loaded by being there.

A platform folder ``platforms/{switch,host,nic,launcher}/<name>/`` has four parts. What several platforms of a kind
share is a folder beside them with ``shared.yaml`` in place of ``platform.yaml``; ``include`` names it.

* ``templates/``: how the device is told; rendered by `wirespeed.platforms.say`,
* ``platform.yaml``: the commands that ask it, and per setting *rendered / read / not supported*,
* ``answers/``: what a device with these settings prints, one template per command,
* ``parse.py``: ``parse(outputs) -> Iterator[Observation]``, text to observations,
* ``commands.py`` (optional): ``word(place, path, value, device) -> Worded | None``, one change as commands to type,
* ``view.py`` (optional): ``view(name, device) -> Mapping[str, Any]``, what its templates need computed,
* ``simulator_mapping.py`` (optional, of a NIC): ``SIMULATED``, what its driver runs in the simulator's names,
* ``job.py`` (optional, of a launcher): ``start(job) -> tuple[str, ...]``, the command that starts a job.
"""

from wirespeed.platforms.model import (
    Command,
    Counter,
    FileTemplate,
    Job,
    Output,
    Outputs,
    Platform,
    Simulated,
    Support,
    Word,
    Worded,
)
from wirespeed.platforms.registry import of_launch, of_system, platform, platforms

__all__ = [
    "Command",
    "Counter",
    "FileTemplate",
    "Job",
    "Output",
    "Outputs",
    "Platform",
    "Simulated",
    "Support",
    "Word",
    "Worded",
    "of_launch",
    "of_system",
    "platform",
    "platforms",
]
