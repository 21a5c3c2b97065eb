"""What was measured, kept: campaigns of runs in SQLite or PostgreSQL, with the facts of their time."""

from wirespeed.store.batch import Batch
from wirespeed.store.raw import RawLog, pack
from wirespeed.store.read import Wanted
from wirespeed.store.store import Store
from wirespeed.store.write import Added

__all__ = ["Added", "Batch", "RawLog", "Store", "Wanted", "pack"]
