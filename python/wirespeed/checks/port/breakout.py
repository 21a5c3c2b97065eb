"""Breakout of the switch port

The front-panel port is split into the planned number of ports.

Impact:
    Without the planned breakout, some of the planned ports do not exist, and the others have another speed or number
    of lanes: their links stay down or run slower.

Fix:
    Set the breakout of the front-panel port, and configure its ports again: the change removes their configuration on
    most systems.

Example:
    $ show running-configuration | grep breakout
    interface breakout port 1/1 mode 1x800G

Source:
    SONiC, dynamic port breakout (doc/dynamic-port-breakout); NVIDIA Cumulus Linux documentation, Switch Port
    Attributes, Breakout Ports
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.breakout",)
failures = ("NIC-06", "CAB-04")
check = compare(
    *needs,
    wrong="the front-panel port is split into another number of ports than planned",
    fix="set the breakout of the front-panel port",
    consequence="link flap",
)
