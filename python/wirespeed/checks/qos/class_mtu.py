"""MTU of the traffic classes

The traffic classes of the switch forward packets at least as large as planned.

Impact:
    Some switches limit the packets of a traffic class besides those of a port, in one policy for all ports: larger
    packets are dropped without a message, although the MTU of every port is right.

Fix:
    Set the MTU of every class of the policy that is in effect on the whole switch.

Example:
    $ show running-config
    policy-map type network-qos ROCE-NETWORK
      class type network-qos c-8q-nq3
        mtu 1500
        pause pfc-cos 3

Source:
    Microsoft Azure Local, reference configurations for Cisco Nexus 9000, policy-map type network-qos
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

subject = Switch
needs = ("switch.class_mtu",)
failures = ("SW-01",)
check = compare(*needs, wrong="a traffic class drops packets of the planned size", fix="set the MTU of all classes")
