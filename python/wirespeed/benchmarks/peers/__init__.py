"""Like pairs and nodes compared with each other: outliers, and what explains them with fewest causes.

Start reading at `compare`.
"""

from wirespeed.benchmarks.endpoints.members import MemberDirectory
from wirespeed.benchmarks.peers.comparison import compare, compare_all
from wirespeed.benchmarks.peers.retest import Given
from wirespeed.benchmarks.peers.samples import Gathered, Log, gather

__all__ = ["Gathered", "Given", "Log", "MemberDirectory", "compare", "compare_all", "gather"]
