"""Version of iperf3

The iperf3 in PATH has the planned version.

Impact:
    Releases before 3.16 send all streams of a process from one thread: a core limits the sum of -P 8. Results of
    another release are not comparable with earlier ones.

Fix:
    Install the planned release, or write the installed one in the cluster file.

Example:
    $ iperf3 --version
    iperf 3.13-mt-beta2 (cJSON 1.7.15)

Source:
    ESnet, 400G Testbed Configuration, Example: the multi-threaded iperf 3.13-mt-beta2; iperf3, release notes of 3.16:
    one thread for each stream
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Host

subject = Host
needs = ("host.software.iperf3",)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="iperf3 has another version",
    fix="install the planned release of iperf3",
    by_hand=True,
)
