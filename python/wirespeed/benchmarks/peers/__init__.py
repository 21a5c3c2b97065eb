"""Like pairs and nodes compared with each other: outliers, and what explains them with fewest causes.

Start reading at `compare`.
"""

from wirespeed.benchmarks.endpoints.members import MemberDirectory
from wirespeed.benchmarks.peers.comparison import compare, compare_all
from wirespeed.benchmarks.peers.retest import ComparisonOptions
from wirespeed.benchmarks.peers.samples import Log, SampleSet, gather

__all__ = ["ComparisonOptions", "Log", "MemberDirectory", "SampleSet", "compare", "compare_all", "gather"]
