"""A page in a real browser."""

import re
import subprocess

from needs import find, needs

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--enable-logging=stderr", "--virtual-time-budget=1000"),
)
COMPLAINT = re.compile(r":CONSOLE[:(\]].*|Refused to .*", re.MULTILINE)


FILES_MEET = "--allow-file-access-from-files"
"""A page may look into another one beside it."""


def load_page(tmp_path, text, *flags):
    """The page as the browser built it, and the errors on its console."""
    needs("chromium")
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    result = subprocess.run(
        [find("chromium"), *FLAGS, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", file.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return result.stdout, COMPLAINT.findall(result.stderr)
