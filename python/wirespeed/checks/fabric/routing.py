"""Routing of the switch

The switch routes between its ports.

Why it hurts:
    With a subnet per link or per rail every path between hosts, or between rails, is routed. A switch that only
    bridges answers its own addresses and forwards nothing.

How to fix:
    Switch routing on; on some systems it is off until told.

Example:
    $ show running-config | include routing
    no ip routing

Source:
    Broadcom 957608-AN210, 2.4
"""

from wirespeed.checks.compare import compare
from wirespeed.settings import Switch

over = Switch
needs = ("switch.routing",)
failures = ("RT-10",)
check = compare(*needs, wrong="the switch does not route", fix="switch routing on")
