"""Source rule

Every planned routing rule is there, with its table and priority.

Why it hurts:
    On a host with several rails the kernel chooses the interface by destination. Without the rule for a NIC's own
    address its replies leave through another NIC: the rail works in one direction, or only with itself.

How to fix:
    Apply the rendered network configuration; to act at once, add the rule.

Example:
    $ ip rule
    0:      from all lookup local
    1002:   from 10.1.0.3 lookup 102

Source:
    Broadcom 957608-AN210, 2.4.1 and 2.4.2; https://github.com/NVIDIA/nccl/issues/1348
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Rule

over = Rule
needs = ("rule.table", "rule.priority", "host.rules")
failures = ("OS-05",)
presence = True
check = compare("rule.table", "rule.priority", wrong="the source rule is not as planned", fix="set the source rule")
