"""Cluster to settings: pure arithmetic. What is rendered, checked, judged and simulated is this one object."""

from wirespeed.plan.build import build
from wirespeed.plan.model import Cable, Computed, End, Plan
from wirespeed.plan.numbers import ClassNumbers, class_numbers

__all__ = ["Cable", "ClassNumbers", "Computed", "End", "Plan", "build", "class_numbers"]
