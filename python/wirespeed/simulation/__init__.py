"""A scenario through the simulator, packet by packet: the result as Arrow tables, and as files.

Scenarios of a plan are made by `wirespeed.simulation.planned_scenario`, which is not loaded for others.
"""

from wirespeed.simulation.compare import ALGORITHMS, compare
from wirespeed.simulation.folder import Folder, prepare
from wirespeed.simulation.recording import Recording
from wirespeed.simulation.run import Progress, Result, run
from wirespeed.simulation.schema import scenario_schema, summary_schema
from wirespeed.simulation.tables import digest

__all__ = [
    "ALGORITHMS",
    "Folder",
    "Progress",
    "Recording",
    "Result",
    "compare",
    "digest",
    "prepare",
    "run",
    "scenario_schema",
    "summary_schema",
]
