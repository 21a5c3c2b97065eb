"""Versions of drivers and of the vendor's releases that contain them."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"1\.10\.[0-9]+[.-](?=[0-9])")
"""What Broadcom puts before the release in the version of its Ethernet driver alone.

``dkms status`` prints ``bnxt_en/1.10.3.234.0.171.0`` beside ``bnxt_re/234.0.171.0`` (957608-AN210, section 2.2.2.1).
The loaded modules of release 232.0.155.5 report 1.10.3-232.0.155.5 (bnxt_en) and 232.0.155.5 (bnxt_re, ib_peer_mem):
the public page "Broadcom NIC Driver Installation on Ubuntu 24.04.2".
"""


def find_release(version: str) -> str:
    """The vendor's release in a driver's version: 234.0.154.0 of 1.10.3.234.0.154.0 and of 1.10.3-234.0.154.0."""
    return _PREFIX.sub("", version, count=1) if _PREFIX.match(version) else version


def is_of_version(version: str, prefix: str) -> bool:
    """Whether a version is this one or one of its builds: 25.10-1.7.1 is of 25.10, 25.101 is not."""
    return version.startswith(prefix) and not version[len(prefix) :][:1].isalnum()
