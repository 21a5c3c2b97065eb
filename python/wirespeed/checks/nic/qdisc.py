"""Queueing discipline of the interface

Each transmit queue has the planned discipline.

Why it hurts:
    fq paces every TCP flow by itself. Under another discipline a flow sends its window in bursts, which overflow the
    first shallow buffer on a long path.

How to fix:
    Set net.core.default_qdisc, then give the interface a new mq: it takes the default for its queues.

Example:
    $ tc qdisc show dev eth100
    qdisc mq 0: root
    qdisc pfifo_fast 0: parent :1 bands 3

Source:
    ESnet, 400G Testbed Configuration, sysctl settings: net.core.default_qdisc
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

over = Nic
needs = ("nic.qdisc",)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="transmit queues have another discipline",
    fix="give the queues the planned discipline",
)
