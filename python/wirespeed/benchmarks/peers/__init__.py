"""Compare peer pairs and nodes with each other: find outliers, and the fewest causes that explain them.

Start reading at `compare`.
"""

from wirespeed.benchmarks.endpoints.members import MemberDirectory
from wirespeed.benchmarks.peers.comparison import compare, compare_samples
from wirespeed.benchmarks.peers.retest import ComparisonOptions
from wirespeed.benchmarks.peers.samples import Log, SampleSet, gather

__all__ = ["ComparisonOptions", "Log", "MemberDirectory", "SampleSet", "compare", "compare_samples", "gather"]
