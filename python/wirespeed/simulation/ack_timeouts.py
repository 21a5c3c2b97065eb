"""Count the ACK timeouts in the tables of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.results.simulation_types import QUEUE_PAIRS
from wirespeed.simulation.tables import columns

if TYPE_CHECKING:
    from wirespeed.simulation.result_folder import ResultFolder
    from wirespeed.simulation.run import Result


def count_ack_timeouts(result: Result) -> int:
    """ACK timeouts of all queue pairs of a run."""
    return sum(columns(result.tables, QUEUE_PAIRS, "timeouts")["timeouts"])


def count_stored_ack_timeouts(folder: ResultFolder) -> int:
    """ACK timeouts of all queue pairs of a stored run."""
    return sum(folder.columns(QUEUE_PAIRS, "timeouts")["timeouts"])
