"""``python -m wirespeed`` is ``wirespeed``."""

from wirespeed.cli import main

main()
