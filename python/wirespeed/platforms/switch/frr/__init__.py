"""FRRouting on a Linux kernel, as a lab's switches run it. No cluster file can name it: it has no traffic classes."""

from wirespeed.platforms.switch.frr.bgp import configuration

__all__ = ["configuration"]
