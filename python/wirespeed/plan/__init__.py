"""Cluster to settings: pure arithmetic. What is rendered, checked, judged and simulated is this one object."""

from wirespeed.plan.build import build
from wirespeed.plan.class_table import ClassNumbers, class_numbers
from wirespeed.plan.model import Cable, ComputedValue, End, Plan

__all__ = ["Cable", "ClassNumbers", "ComputedValue", "End", "Plan", "build", "class_numbers"]
