"""Running benchmarks on a cluster: what is measured with what, in which order, where, and what follows from it.

Planning is pure: `make` gives the steps of a suite, and knows no machine. `run` runs them through a way to reach hosts.
"""

from wirespeed.benchmarks.endpoints.fabric import Fabric, fabric_of
from wirespeed.benchmarks.run.campaign import Done, make, mesh_of, run
from wirespeed.benchmarks.run.execute import How, Progress, open_steps
from wirespeed.benchmarks.run.grade import Bar, grade
from wirespeed.benchmarks.run.mesh.counters import Moved, with_counters
from wirespeed.benchmarks.run.queue import duration
from wirespeed.benchmarks.run.result_folder import Folder, begin, opened, resume
from wirespeed.benchmarks.steps.request import FIRST_PORT, Ask, Words

__all__ = [
    "FIRST_PORT",
    "Ask",
    "Bar",
    "Done",
    "Fabric",
    "Folder",
    "How",
    "Moved",
    "Progress",
    "Words",
    "begin",
    "duration",
    "fabric_of",
    "grade",
    "make",
    "mesh_of",
    "open_steps",
    "opened",
    "resume",
    "run",
    "with_counters",
]
