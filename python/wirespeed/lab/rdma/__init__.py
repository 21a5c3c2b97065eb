"""Hosts as virtual machines with soft-RoCE: real RDMA between real kernels, on a machine that has neither.

The emulator needs no support of the processor; the kernel is Debian's, unpacked and not installed.
"""
