"""wirespeed: gets lossless Ethernet RDMA (RoCEv2) clusters to wire speed, and keeps them there."""

__version__ = "0.1.0"
