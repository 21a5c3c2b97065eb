"""Hosts as virtual machines with soft-RoCE: real RDMA between real kernels, on a machine that has neither.

The emulator needs nothing of the processor, and the kernel is Debian's own, unpacked and not installed.
"""
