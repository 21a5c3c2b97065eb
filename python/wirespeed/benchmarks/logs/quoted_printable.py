"""Mail in quoted-printable encoding (RFC 2045, 6.7), as archives of mailing lists store it: ``=3D`` for ``=``."""

from __future__ import annotations

import quopri
import re

ENCODED_EQUALS = "=3D"
_ESCAPE = re.compile(r"=(?:[0-9A-F]{2}|\r?(?=\n|$))")
_FEWEST = 0.9  # of the equals signs of an encoded text; the others are in headers of the mail


def decode_quoted_printable(text: str) -> str:
    """The decoded text; any other text unchanged. A line that was continued is followed by blank ones: numbers stay."""
    if ENCODED_EQUALS not in text or len(_ESCAPE.findall(text)) < _FEWEST * text.count("="):
        return text
    decoded = []
    pending, continued = "", 0
    for line in text.split("\n"):
        stripped = line.rstrip()
        if stripped.endswith("="):
            pending += stripped[:-1]
            continued += 1
            continue
        decoded.append(_decode(pending + line))
        decoded += [""] * continued
        pending, continued = "", 0
    if continued:
        decoded += [_decode(pending), *[""] * (continued - 1)]
    return "\n".join(decoded)


def _decode(line: str) -> str:
    return quopri.decodestring(line.encode()).decode("utf-8", errors="replace")
