"""The frame of the command line: exit codes, where text goes, and how long --help takes."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
import typer.main
from typer.testing import CliRunner

from wirespeed import cli
from wirespeed.cli.exit import Exit
from wirespeed.cli.help import takes_variable
from wirespeed.errors import Problem, Refusal


@dataclass(frozen=True)
class Result:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def wirespeed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line as a program does, in this process."""

    def run(*arguments: str, **environment: str) -> Result:
        for variable, value in {"NO_COLOR": "1", "COLUMNS": "120", **environment}.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.setattr(sys, "argv", ["wirespeed", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        printed = capsys.readouterr()
        return Result(int(exit_info.value.code or 0), printed.out, printed.err)

    return run


def test_the_program_prints_its_version_and_exits_with_the_code_of_an_error():
    for arguments, code, output in (("--version", Exit.PASSED, "wirespeed "), ("chekc", Exit.REFUSED, "error: ")):
        process = subprocess.run(
            [sys.executable, "-m", "wirespeed", arguments], capture_output=True, text=True, check=False
        )
        assert (process.returncode, (process.stdout + process.stderr).startswith(output)) == (code, True)


def test_help_names_every_verb_on_standard_output(wirespeed):
    result = wirespeed("--help")
    assert result.returncode == Exit.PASSED
    assert "lossless Ethernet RDMA" in result.stdout
    assert result.stderr == ""


def test_version(wirespeed):
    assert wirespeed("--version").stdout.startswith("wirespeed ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", ["list failures", "list failures --format json", "explain NIC-05", "--help", "list nope"]
)
def test_a_closed_pipe_ends_a_command_as_other_programs(arguments):
    with subprocess.Popen(
        [sys.executable, "-m", "wirespeed", *arguments.split()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        process.stdout.close()  # long before the first line
        assert process.wait() == Exit.CLOSED_PIPE


@pytest.mark.parametrize("value", ["1", "2.3.1", "bash"])
@pytest.mark.parametrize("option", ["VERSION", "HELP", "INSTALL_COMPLETION", "SHOW_COMPLETION", "LIST_HELP"])
def test_options_that_exit_take_no_variable(option, value, tmp_path):
    result = CliRunner().invoke(cli.app, ["list", "tools"], env={f"WIRESPEED_{option}": value, "HOME": str(tmp_path)})
    assert (result.exit_code, result.stderr) == (Exit.PASSED, "")
    assert result.stdout == CliRunner().invoke(cli.app, ["list", "tools"]).stdout
    assert list(tmp_path.iterdir()) == []


def test_of_no_verb_options_that_exit_or_choose_its_job_take_a_variable(monkeypatch):
    def verbs(command, path):
        context = click.Context(command, auto_envvar_prefix="_".join(path).upper())
        yield from ((path, option, context) for option in command.get_params(context))
        for name, verb in getattr(command, "commands", {}).items():
            yield from verbs(verb, (*path, name))

    without_variable = set()
    for path, option, context in verbs(typer.main.get_command(cli.app), ("wirespeed",)):
        variable = f"{context.auto_envvar_prefix}_{option.name}".upper()
        monkeypatch.setenv(variable, "1")
        if option.param_type_name == "option" and not takes_variable(option):
            without_variable.add(max(option.opts, key=len))
            assert option.resolve_envvar_value(context) is None, path
        elif option.param_type_name == "option":
            assert option.resolve_envvar_value(context) == "1", path
        monkeypatch.delenv(variable)
    exiting = {"--version", "--help", "--install-completion", "--show-completion"}
    assert without_variable == exiting | {"--show-commands", "--local", "--all", "--undo", "--dry-run"}


@pytest.mark.parametrize(
    ("arguments", "variable", "value", "message"),
    [
        (
            "check c.yaml b",
            "WIRESPEED_CHECK_FORMAT",
            "xml",
            "wirespeed check: --format (from WIRESPEED_CHECK_FORMAT): ",
        ),
        ("check c.yaml b", "WIRESPEED_CHECK_STATUS", "nope", "--status (from WIRESPEED_CHECK_STATUS): "),
        ("collect --local", "WIRESPEED_COLLECT_LAB", "x", "collect: --local and --lab (from WIRESPEED_COLLECT_LAB) "),
        ("check c.yaml b --status nope", "WIRESPEED_CHECK_FORMAT", "json", "--status: "),
    ],
)
def test_errors_of_variables_name_the_variable(wirespeed, arguments, variable, value, message):
    result = wirespeed(*arguments.split(), **{variable: value})
    assert result.returncode == Exit.REFUSED
    assert message in result.stderr


def test_collect_ignores_the_variable_of_an_option_that_chooses_its_job(wirespeed):
    result = wirespeed("collect", WIRESPEED_COLLECT_SHOW_COMMANDS="1")
    assert "no source to collect from" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("frobnicate", "wirespeed: no command named 'frobnicate'\n  hint: `wirespeed --help` shows the usage"),
        ("chekc", "wirespeed: no command named 'chekc'\n  hint: did you mean 'check'?"),
        ("check --fromat json", "wirespeed check: no option named '--fromat'\n  hint: did you mean '--format'?"),
        (
            "list",
            "wirespeed list: WHAT is missing\n  hint: WHAT is one of platforms, servers, nics, gpus, switches, cables, "
            "checks, tools, failures, suites, profiles, settings",
        ),
        (
            "schema nodes",
            "wirespeed schema: FILE_TYPE: found 'nodes'; expected one of cluster, traffic, scenario, summary, profile\n"
            "  hint: `wirespeed schema --help` shows the usage",
        ),
        (
            "sim run x.json --seed -1",
            "wirespeed sim run: --seed: the value must be at least 0\n"
            "  hint: `wirespeed sim run --help` shows the usage",
        ),
        (
            "sim run c.yaml --traffic",
            "wirespeed sim run: --traffic: no value; expected TRAFFIC.yaml\n"
            "  hint: `wirespeed sim run --help` shows the usage",
        ),
        (
            "collect c.yaml --as-planned -o bundle",
            "wirespeed collect: --as-planned: no value; expected CLUSTER.yaml\n"
            "  hint: `wirespeed collect --help` shows the usage",
        ),
        (
            "bench judge a.log --format",
            "wirespeed bench judge: --format: no value; expected one of table, json\n"
            "  hint: `wirespeed bench judge --help` shows the usage",
        ),
        (
            "plan c.yaml --headroom",
            "wirespeed plan: no option named '--headroom'\n"
            "  hint: `wirespeed plan CLUSTER.yaml --computed` prints these values",
        ),
        (
            "explain port.headrooms",
            "explain: no check, known failure, setting, counter or term named 'port.headrooms'\n"
            "  hint: did you mean 'port.headroom'?",
        ),
        (
            "check a b c",
            "wirespeed check: found a second bundle: c; expected one bundle\n"
            "  hint: docs/guides/check.md, Several hosts, joins the bundles of several hosts",
        ),
        (
            "check --local --name node1",
            "wirespeed check: no option named '--name'\n"
            "  hint: `wirespeed collect --local --name HOST` writes a bundle with this name; then check the bundle",
        ),
        (
            "bench judge a.log -c c.yaml -f junit",
            "wirespeed bench judge: --format: found 'junit'; expected one of table, json\n"
            "  hint: `wirespeed report CLUSTER.yaml --bench LOG --format junit`",
        ),
        (
            "report c.yaml a.log",
            "a.log: found more than one file; expected one cluster file, or result folders of `sim run -o`\n"
            "  hint: benchmark logs and bundles need an option: `wirespeed report c.yaml --bench a.log`",
        ),
        (
            "sim run cluster.yaml incast.yaml",
            "wirespeed sim run: too many arguments: incast.yaml\n"
            "  hint: `wirespeed sim run CLUSTER.yaml --traffic TRAFFIC.yaml`",
        ),
        (
            "sim run /nowhere/cluster.yaml",
            "/nowhere/cluster.yaml: no such file; expected a cluster file or a scenario\n  hint: no folder /nowhere",
        ),
        (
            "report /nowhere/out -o x.html",
            "/nowhere/out: no such file or folder; expected a cluster file, or result folders of `sim run -o`\n"
            "  hint: no folder /nowhere",
        ),
        *(
            (
                f"sim run incast.json {option}",
                f"wirespeed sim run: {problem}\n  hint: the congestion control is `congestion` of the class in the "
                "cluster file, or parameters.congestion.algorithm of the scenario; `wirespeed sim compare --algorithm` "
                "compares several",
            )
            for option, problem in (
                ("--algorithm dcqcn-d", "no option named '--algorithm'"),
                ("--preset dcqcn-d", "--preset: found 'dcqcn-d'; expected one of hpcc, roce"),
            )
        ),
        (
            "sim compare incast.json -o out",
            "wirespeed sim compare: no option named '-o'\n  hint: it writes no tables; for charts copy the "
            "cluster file, set another `congestion` of the class in each copy (in scenarios "
            "parameters.congestion.algorithm), run `wirespeed sim run -o DIR` with each, then "
            "`wirespeed report DIR DIR`",
        ),
        *(
            (
                f"sim {command} incast.json {option} 2",
                f"wirespeed sim {command}: no option named {option!r}\n  hint: did you mean {counterpart}?",
            )
            for command, option, counterpart in (
                ("run", "--jobs", "--threads"),
                ("run", "-j", "--threads"),
                ("compare", "--threads", "--jobs"),
            )
        ),
        ("bench parse /nowhere/a.log", "/nowhere/a.log: no such file or directory\n  hint: no folder /nowhere"),
    ],
)
def test_usage_errors_have_a_hint(wirespeed, arguments, message):
    result = wirespeed(*arguments.split())
    assert (result.returncode, result.stdout) == (Exit.REFUSED, "")
    assert result.stderr == f"error: {message}\n"


def test_swapped_files_of_a_simulation_are_named(wirespeed, tmp_path):
    cluster, traffic = tmp_path / "cluster.yaml", tmp_path / "traffic.yaml"
    cluster.write_text("version: 1\nname: small\n")
    traffic.write_text("version: 1\ntraffic:\n  - {pattern: permutation, size: 1 MiB}\n")
    result = wirespeed("sim", "run", str(traffic), "--traffic", str(cluster))
    assert (result.returncode, result.stdout) == (Exit.REFUSED, "")
    assert result.stderr == (
        f"error: {traffic}: found a traffic file; expected a cluster file\n"
        f"  hint: `wirespeed sim run {cluster} --traffic {traffic}`\n"
    )


def test_a_wrong_path_has_a_similar_name_as_hint(wirespeed, tmp_path):
    (tmp_path / "incast.json").write_text("{}")
    result = wirespeed("sim", "run", str(tmp_path / "incats.json"))
    assert result.stderr.endswith("incats.json: no such file or directory\n  hint: did you mean 'incast.json'?\n")


@pytest.mark.parametrize("command", ["explain port.mtu", "explain NIC-05", "plan"])
def test_text_in_a_pipe_is_wrapped_and_lines_have_no_trailing_spaces(monkeypatch, capsys, command):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "argv", ["wirespeed", *command.split()])
    if command == "plan":
        sys.argv.append(str(Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"))
    with pytest.raises(SystemExit) as exit_info:
        cli.main()
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert exit_info.value.code == Exit.PASSED
    assert lines and not [line for line in lines if line != line.rstrip()]
    assert "…" not in output
    assert command == "plan" or max(map(len, lines)) <= 100


def test_no_command_prints_the_help_page(wirespeed):
    result = wirespeed("bench")
    assert (result.returncode, result.stdout) == (Exit.REFUSED, "")
    assert result.stderr.startswith("Usage: wirespeed bench")


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (
            Refusal([Problem("cluster.yaml:3", "the key 'host'", "a known key", "did you mean 'hosts'?")]),
            Exit.REFUSED,
            "error: cluster.yaml:3: found the key 'host'; expected a known key\n  hint: did you mean 'hosts'?\n",
        ),
        (
            Refusal([Problem(f"c.csv:{line}", f"'Eth1/{line}'", "a port", "see c") for line in range(1, 14)]),
            Exit.REFUSED,
            "".join(f"error: c.csv:{n}: found 'Eth1/{n}'; expected a port\n  hint: see c\n" for n in range(1, 11))
            + "error: c.csv: found the same problem in 3 more lines; expected a port\n",
        ),
        (
            PermissionError(13, "Permission denied", "/etc/shadow"),
            Exit.REFUSED,
            "error: /etc/shadow: permission denied\n",
        ),
        (
            Refusal([Problem("a\x1b[31m.tar.gz", "b\x07", "c", "d\u202e")]),
            Exit.REFUSED,
            "error: a\\x1b[31m.tar.gz: found b\\x07; expected c\n  hint: d\\u202e\n",
        ),
        (
            OSError(28, "No space left on device"),
            Exit.REFUSED,
            "error: writing: no space left on device\n",
        ),
        (ZeroDivisionError("division by zero"), Exit.INTERNAL, "please report the lines above"),
        (OSError("no file"), Exit.INTERNAL, "please report the lines above"),
    ],
)
def test_how_a_command_that_raises_leaves(monkeypatch, capsys, raised, code, message):
    def run(**_: object) -> None:
        raise raised

    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(cli, "app", run)
    with pytest.raises(SystemExit) as exit_info:
        cli.main()
    assert exit_info.value.code == code
    printed = capsys.readouterr()
    assert message in printed.err
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
