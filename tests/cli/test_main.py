"""The frame of the command line: exit codes, where text goes, and what --help costs."""

import subprocess
import sys

import pytest

from wirespeed import cli
from wirespeed.cli.exit import Exit
from wirespeed.errors import Problem, Refused


def wirespeed(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    return subprocess.run(
        [sys.executable, "-m", "wirespeed", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **environment},
        check=False,
    )


def test_help_names_every_verb_on_standard_output():
    result = wirespeed("--help")
    assert result.returncode == Exit.PASSED
    assert "lossless Ethernet RDMA" in result.stdout
    assert result.stderr == ""


def test_version():
    assert wirespeed("--version").stdout.startswith("wirespeed ")


def test_an_unknown_verb_is_a_usage_error():
    result = wirespeed("frobnicate")
    assert result.returncode == Exit.REFUSED
    assert "frobnicate" in result.stderr


@pytest.mark.parametrize(
    ("raised", "code", "says"),
    [
        (
            Refused([Problem("cluster.yaml:3", "the key 'host'", "a known key", "did you mean 'hosts'?")]),
            Exit.REFUSED,
            "error: cluster.yaml:3: found the key 'host'; expected a known key\n  hint: did you mean 'hosts'?\n",
        ),
        (
            PermissionError(13, "Permission denied", "/etc/shadow"),
            Exit.REFUSED,
            "error: /etc/shadow: found permission denied; expected a file or folder that can be read or written\n",
        ),
        (
            Refused([Problem("a\x1b[31m.tar.gz", "b\x07", "c", "d\u202e")]),
            Exit.REFUSED,
            "error: a\\x1b[31m.tar.gz: found b\\x07; expected c\n  hint: d\\u202e\n",
        ),
        (
            OSError(28, "No space left on device"),
            Exit.REFUSED,
            "error: writing: no space left on device; expected a file or folder that can be read or written\n",
        ),
        (ZeroDivisionError("division by zero"), Exit.INTERNAL, "please report the lines above"),
        (OSError("no file"), Exit.INTERNAL, "please report the lines above"),
    ],
)
def test_how_a_command_that_raises_leaves(monkeypatch, capsys, raised, code, says):
    def run(**_: object) -> None:
        raise raised

    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(cli, "app", run)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == code
    printed = capsys.readouterr()
    assert says in printed.err
    assert printed.out == ""


@pytest.mark.parametrize(
    ("codes", "wins"),
    [
        ((), Exit.PASSED),
        ((Exit.PASSED, Exit.INCOMPLETE), Exit.INCOMPLETE),
        ((Exit.INCOMPLETE, Exit.FAILED), Exit.FAILED),
        ((Exit.FAILED, Exit.REFUSED), Exit.REFUSED),
        ((Exit.INTERNAL, Exit.INTERRUPTED), Exit.INTERRUPTED),
    ],
)
def test_which_exit_code_wins(codes, wins):
    assert Exit.worst(*codes) is wins


def test_help_leaves_heavy_packages_unloaded():
    heavy = ("pydantic", "jinja2", "yaml", "ClusterShell", "pyarrow", "wirespeed._core")
    probe = (
        "import sys\n"
        "from wirespeed.cli.app import app\n"
        "try:\n    app(['--help'], prog_name='wirespeed')\n"
        "except SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
