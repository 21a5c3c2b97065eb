"""Queueing discipline (qdisc) of the interface

Each transmit queue has the planned qdisc.

Impact:
    fq paces every TCP flow. With another qdisc a flow sends its window in bursts, which overflow the first small buffer
    on a long path.

Fix:
    Set net.core.default_qdisc, delete the root qdisc of the interface, then add a new mq, which uses the default for
    its queues.

Example:
    $ tc qdisc show dev eth100
    qdisc mq 0: root
    qdisc pfifo_fast 0: parent :1 bands 3

Source:
    ESnet, 400G Testbed Configuration, sysctl settings: net.core.default_qdisc
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Nic

subject = Nic
needs = ("nic.qdisc",)
failures = ("TCP-01",)
check = compare(
    *needs,
    wrong="transmit queues have another qdisc",
    fix="set the planned qdisc of the transmit queues",
)
