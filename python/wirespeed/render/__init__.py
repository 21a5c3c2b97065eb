"""A plan as files: every setting in its device's own words, with the way in and the way back. Nothing is applied."""

from wirespeed.render.ansible import INVENTORY, ansible
from wirespeed.render.commands import word
from wirespeed.render.differences import Difference, FileDifference, SettingDifference, compare_files, compare_settings
from wirespeed.render.files import RenderedFile, check, devices_of, files
from wirespeed.render.job import Jobs, LabJobs
from wirespeed.render.output_folder import MANIFEST, Written, is_rendered, write
from wirespeed.render.routing_daemons import speaker
from wirespeed.render.simulator_mapping import simulated
from wirespeed.render.stack import stack

__all__ = [
    "INVENTORY",
    "MANIFEST",
    "Difference",
    "FileDifference",
    "Jobs",
    "LabJobs",
    "RenderedFile",
    "SettingDifference",
    "Written",
    "ansible",
    "check",
    "compare_files",
    "compare_settings",
    "devices_of",
    "files",
    "is_rendered",
    "simulated",
    "speaker",
    "stack",
    "word",
    "write",
]
