"""Link training of the switch port

Link training of the port is as planned: on for copper cables.

Impact:
    Both ends of a copper link adapt their equalisation to the cable during link training. If only one end trains, the
    link stays down, flaps or corrects many errors.

Fix:
    Set the link training of the port.

Example:
    interface Eth1/1
     no standalone-link-training

Source:
    IEEE 802.3, 136.8.11; SONiC, port link training design
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Port

subject = Port
needs = ("port.link.training",)
failures = ("CAB-01", "CAB-05")
check = compare(
    *needs,
    wrong="link training of the port is not as planned",
    fix="set the link training of the port",
    consequence="link flap",
    labels={True: "on", False: "off"},
)
