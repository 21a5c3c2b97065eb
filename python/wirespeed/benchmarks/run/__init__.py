"""Run benchmarks on a cluster: steps with their commands, order and hosts, and the conclusions.

Planning is pure: `make` gives the steps of a suite without access to a machine. `run` runs them through
`wirespeed.reach`.
"""

from wirespeed.benchmarks.endpoints.fabric import Fabric, build_fabric
from wirespeed.benchmarks.run.campaign import CampaignResult, make, read_mesh, run
from wirespeed.benchmarks.run.execution import Progress, RunOptions, open_steps
from wirespeed.benchmarks.run.grade import GradeOptions, grade
from wirespeed.benchmarks.run.mesh.counters import ByteCounters, add_counters
from wirespeed.benchmarks.run.queue import duration, schedule
from wirespeed.benchmarks.run.result_folder import Folder, create_folder, open_folder, resume_folder
from wirespeed.benchmarks.steps.request import FIRST_PORT, JobCommands, Request

__all__ = [
    "FIRST_PORT",
    "ByteCounters",
    "CampaignResult",
    "Fabric",
    "Folder",
    "GradeOptions",
    "JobCommands",
    "Progress",
    "Request",
    "RunOptions",
    "add_counters",
    "build_fabric",
    "create_folder",
    "duration",
    "grade",
    "make",
    "open_folder",
    "open_steps",
    "read_mesh",
    "resume_folder",
    "run",
    "schedule",
]
