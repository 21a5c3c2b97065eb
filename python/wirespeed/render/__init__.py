"""A plan as configuration files with apply and rollback scripts. Nothing is applied."""

from wirespeed.render.ansible import INVENTORY, ansible
from wirespeed.render.commands import commands_for
from wirespeed.render.differences import Difference, FileDifference, SettingDifference, compare_files, compare_settings
from wirespeed.render.files import RenderedFile, check, files, select_devices
from wirespeed.render.job import Jobs, LabJobs
from wirespeed.render.output_folder import MANIFEST, WriteResult, is_rendered, write
from wirespeed.render.routing_daemons import routing_daemons
from wirespeed.render.simulator_mapping import simulator_mappings
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
    "WriteResult",
    "ansible",
    "check",
    "commands_for",
    "compare_files",
    "compare_settings",
    "files",
    "is_rendered",
    "routing_daemons",
    "select_devices",
    "simulator_mappings",
    "stack",
    "write",
]
