"""Keywords of NVUE that differ between its releases.

NVIDIA's OpenAPI files of NVUE 5.3 to 5.18 (models of the package nvueschema 0.1.0): since 5.15 features have
``state enabled``, addresses a family, and BGP neighbours a BFD profile; before, ``enable on``, ``ip address`` and
``bfd enable``.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.platforms.releases import parse_release
from wirespeed.settings import Switch

_SINCE = (5, 15)


@dataclass(frozen=True, slots=True)
class ReleaseKeywords:
    """The keywords of one release."""

    is_new: bool  # 5.15 or later

    def format_releases(self, has_watchdog: bool) -> str:
        """The releases that have these keywords, and the PFC watchdog if the switch has it."""
        return "5.15 or later" if self.is_new else f"{'5.6' if has_watchdog else '5.3'} to 5.14"

    @property
    def state(self) -> str:
        """The key that turns a feature on."""
        return "state" if self.is_new else "enable"

    def format_state(self, is_on: bool) -> str:
        """The value of a feature's state."""
        return ("enabled" if is_on else "disabled") if self.is_new else ("on" if is_on else "off")

    def family(self, address: str) -> str:
        """The key of an interface's address."""
        return ("ipv6" if ":" in address else "ipv4") if self.is_new else "ip"


def find_keywords(switch: Switch) -> ReleaseKeywords:
    """The keywords of a switch's release; without a release, of the newest."""
    return ReleaseKeywords(switch.os_version is None or parse_release(switch.os_version) >= _SINCE)
