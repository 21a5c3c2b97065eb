"""Computes the plan, the intended settings of a cluster, from cluster file and catalogue. Pure arithmetic."""

from wirespeed.plan.build import build
from wirespeed.plan.class_table import ClassNumbers, class_numbers, has_nic_class
from wirespeed.plan.model import Cable, ComputedValue, End, Plan

__all__ = ["Cable", "ClassNumbers", "ComputedValue", "End", "Plan", "build", "class_numbers", "has_nic_class"]
