"""Store campaigns of benchmark runs in SQLite or PostgreSQL, with the settings of devices at that time."""

from wirespeed.store.batch import Batch
from wirespeed.store.queries import Filters
from wirespeed.store.raw_output import RawLog, pack
from wirespeed.store.store import Store
from wirespeed.store.writer import AddedLogs

__all__ = ["AddedLogs", "Batch", "Filters", "RawLog", "Store", "pack"]
