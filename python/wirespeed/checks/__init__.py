"""Checks compare what is planned with what was found.

One file is one check: ``checks/nic/pcie_width.py`` is ``nic.pcie-width``. Its docstring is its manual page.
"""

from wirespeed.checks.model import Check, Manual
from wirespeed.checks.registry import checks
from wirespeed.checks.run import run

__all__ = ["Check", "Manual", "checks", "run"]
