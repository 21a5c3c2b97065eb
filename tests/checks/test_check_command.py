"""``wirespeed check`` and ``wirespeed explain`` as commands."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import command_line
from wirespeed.checks import checks
from wirespeed.cli.exit import Exit

CLUSTER = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"


def wirespeed(*arguments: str) -> CompletedProcess[str]:
    return command_line.wirespeed(*arguments, columns=100)


def test_explain_prints_the_manual_page() -> None:
    page = wirespeed("explain", "nic.pcie-width").stdout
    for part in (
        "nic.pcie-width  PCIe width of the NIC\n",
        "\nImpact\n    Half the lanes halve the rate",
        "\nFix\n    Reseat card and riser",
        "    LnkSta: Speed 32GT/s, Width x8 (downgraded)\n",
        "\nSettings that it uses\n    pcie.link.width, pcie.link.speed",
        "    PCI-03  A PCIe link trained narrower or slower than its slot\n",
        "\nSource\n    Broadcom 957608-AN210, 2.6 items 13 and 14",
    ):
        assert part in page


def test_explain_shows_a_failure_with_what_finds_it() -> None:
    page = wirespeed("explain", "OS-02").stdout
    for part in (
        "OS-02  The locked-memory limit is too small to register buffers\n",
        "\nLayer of the cause\n    host OS\n",
        "\nImpact\n    Registration of buffers fails",
        "\nFix\n    Set memlock to unlimited",
        "\nChecks that detect it\n    host.memlock  Locked-memory limit\n",
        "\nLog messages of this failure only\n",
        "\nSource\n    https://github.com/NVIDIA/nccl-tests/issues/206",
    ):
        assert part in page


def test_explain_lists_lines_that_the_judge_reads() -> None:
    page = wirespeed("explain", "NCCL-01").stdout
    assert "\nLog messages of this failure only\n    Using network Socket\n" in page
    assert "\n    NET/IB : No device found\n" in page


def test_explain_finds_what_contains_a_term() -> None:
    page = wirespeed("explain", "PFC").stdout
    for part in (
        "PFC (priority-based flow control)\n    Pauses one priority of a link, so that the receiver does not drop.\n",
        "\nPFC watchdog (watchdog)\n    Detects a queue that is paused too long",
        "\nChecks with 'PFC'\n",
        "\n    qos.pfc      ",
        "\n    nic.qos-pfc  ",
        "\nKnown failures with 'PFC'\n",
        "\n    QOS-08  ECN marking thresholds do not fit PFC\n",
        "\nSettings with 'PFC'\n",
        "\n    port.qos.pfc ",
        "\n`wirespeed explain NAME` explains each.\n",
    ):
        assert part in page
    assert wirespeed("explain", "pfc").stdout == page.replace("with 'PFC'", "with 'pfc'")


@pytest.mark.parametrize(
    ("term", "begin"),
    [
        ("pause", "pause (pauses, pausing, XOFF, XON, resume)\n"),
        ("dcqcn-p", "DCQCN (DCQCN-P, DCQCN-D)\n"),
        ("go-back-N", "go-back-N"),
        ("sysctl", "sysctl (sysctl setting)\n"),
    ],
)
def test_explain_knows_terms_of_the_glossary(term: str, begin: str) -> None:
    assert wirespeed("explain", term).stdout.startswith(begin)


def test_explain_prints_none_for_a_failure_without_a_check() -> None:
    assert "\nChecks that detect it\n    none\n" in wirespeed("explain", "SW-06").stdout


def test_explain_shows_several_pages() -> None:
    page = wirespeed("explain", "NIC-05", "QOS-08").stdout
    assert page.startswith("NIC-05  A job uses a wrong GID index\n")
    assert "    launch.gid-index  GID index of a job\n" in page
    assert "\n\nQOS-08  ECN marking thresholds do not fit PFC\n" in page
    assert "Set the upper threshold (Kmax) below the queue depth at which PFC pauses." in page


def test_explain_without_an_id_lists_all() -> None:
    lines = wirespeed("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(checks())


def test_explain_shows_a_counter_with_the_checks_that_use_it() -> None:
    page = wirespeed("explain", "nic.counters.retries").stdout
    assert page.startswith("nic.counters.retries  ")
    for part in (
        "\nUnit\n    timeouts\n",
        "\nNormal value\n    0\n",
        "\nCounters of the drivers\n    rxe: completer_retry_err\n    mlx5: local_ack_timeout_err\n",
        "\nCommands that read it\n    ",
        "rdma -j -p statistic show (",
        "\nChecks that use it\n    nic.rdma-losses  ",
    ):
        assert part in page


@pytest.mark.parametrize("counter", ["local_ack_timeout_err", "to_retransmits"])
def test_explain_finds_a_setting_by_a_counter_of_a_driver(counter: str) -> None:
    assert wirespeed("explain", counter).stdout == wirespeed("explain", "nic.counters.retries").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["explain", "nic.pcie-widht"],
            "error: explain: no check, known failure, setting, counter or term named 'nic.pcie-widht'\n"
            "  hint: did you mean 'nic.pcie-width'?\n",
        ),
        (
            ["explain", "zzz", "NIC-05", "nic.mtuu"],
            "error: explain: no check, known failure, setting, counter or term named 'zzz'\n"
            "  hint: `wirespeed list checks`, `wirespeed list failures` and `wirespeed list settings` print all; terms "
            "are in docs/reference/glossary.md, values of the cluster file in docs/reference/cluster-file.md\n"
            "error: explain: no check, known failure, setting, counter or term named 'nic.mtuu'\n"
            "  hint: did you mean 'nic.rdma_mtu'?\n",
        ),
        (
            ["explain", "rx_ring"],
            "error: explain: no check, known failure, setting, counter or term named 'rx_ring'\n"
            "  hint: did you mean 'nic.ring.rx'?\n",
        ),
        (
            ["explain", "slow receiver"],
            "error: explain: no check, known failure, setting, counter or term named 'slow receiver'\n"
            "  hint: `wirespeed explain receiver` lists what contains that word\n",
        ),
        (
            ["explain", "np_cnp_sent"],
            "error: explain: no check, known failure, setting, counter or term named 'np_cnp_sent'\n"
            "  hint: the counters of drivers that are read: nic.counters.sent, nic.counters.retries, "
            "nic.counters.sequence_errors; on congestion: `wirespeed explain nic.congestion-control qos.pfc`\n",
        ),
        (
            ["explain", "port.counters.pfc_rx"],
            "error: explain: no check, known failure, setting, counter or term named 'port.counters.pfc_rx'\n"
            "  hint: `wirespeed list settings nic.counters` prints the counters that are read\n",
        ),
        (
            ["check"],
            "error: check: cluster file and bundle are missing\n"
            "  hint: `wirespeed check CLUSTER.yaml BUNDLE`; `wirespeed collect` writes a bundle\n",
        ),
        (
            ["check", "cluster.yaml"],
            "error: check: the bundle is missing\n"
            "  hint: `wirespeed check CLUSTER.yaml BUNDLE`; `wirespeed collect` writes a bundle\n",
        ),
        (
            ["check", "--local", "cluster.yaml", "bundle"],
            "error: check: both --local and the bundle bundle are given\n  hint: omit one of them\n",
        ),
        (
            ["check", "--local", "/tmp"],
            "error: /tmp: found a bundle; expected a cluster file or nothing: --local checks this machine\n"
            "  hint: omit --local: `wirespeed check CLUSTER.yaml /tmp`\n",
        ),
        (
            ["collect", "--local", "-o", "x.zip"],
            "error: x.zip: found the name of another kind of archive; expected the name of a folder, or one that ends "
            "in .tar.gz\n",
        ),
        (
            ["check", "--local", "--only", "link.mut", "--only", "link.up"],
            "error: --only: no check named 'link.mut'\n  hint: did you mean 'link.mtu'?\n",
        ),
        (
            ["check", "--local", "--only", "link.up, link.mut", "--status", "fail"],
            "error: --only: no check named 'link.mut'\n  hint: did you mean 'link.mtu'?\n",
        ),
        (
            ["check", "--local", "--only", "launch"],
            "error: --only: no check named 'launch'\n  hint: 'launch.*' selects all checks of this group\n",
        ),
        (
            ["check", "--local", "--only", "lanch.*"],
            "error: --only: no group of checks named 'lanch'\n  hint: did you mean 'launch.*'?\n",
        ),
        (
            ["check", "--local", "--only", ""],
            "error: --only: no check named ''\n  hint: `wirespeed list checks` lists them\n",
        ),
        (
            ["check", "--local", "--status", "fail", "--status", "nope"],
            "error: --status: no status named 'nope'; expected one of pass, warn, fail, unknown, skip, error\n"
            "  hint: separate several with commas: `--status fail,unknown`\n",
        ),
        (
            ["check", "--local", "--status", "fail,warm"],
            "error: --status: no status named 'warm'; expected one of pass, warn, fail, unknown, skip, error\n"
            "  hint: did you mean 'warn'?\n",
        ),
    ],
)
def test_refusals(arguments: list[str], message: str) -> None:
    result = wirespeed(*arguments)
    assert (result.returncode, result.stdout, result.stderr) == (Exit.REFUSED, "", message)


def test_a_group_selects_all_of_its_checks(tmp_path: Path) -> None:
    arguments = (str(CLUSTER), str(bundle(tmp_path / "b", "node1", "node2", "node3", "node4", "leaf1")))
    result = wirespeed("check", *arguments, "--only", "launch.*, qos.pfc", "-f", "json")
    checked = {finding["check"] for finding in json.loads(result.stdout)["findings"]}
    assert checked == {"qos.pfc", *(check for check in checks() if check.startswith("launch."))}
    local = wirespeed("check", "--local", "--only", "launch.*")
    assert "0 of 11 checks were run: none" in " ".join(local.stdout.split())


def test_a_check_that_needs_a_plan_is_named() -> None:
    result = wirespeed("check", "--local", "--only", "qos.pfc")
    assert result.returncode == Exit.INCOMPLETE
    text = " ".join(result.stdout.split())
    assert (
        "qos.pfc was not run: it needs a cluster file, or concerns devices that this machine lacks; "
        "`wirespeed explain qos.pfc` explains it" in text
    )


def test_this_machine_gets_a_sensible_answer() -> None:
    result = wirespeed("check", "--local", "--format", "json")
    document = json.loads(result.stdout)
    assert (document["kind"], document["schema"], document["cluster"]) == ("findings", 2, "as found")
    assert document["recorded"].endswith("Z")
    assert "RDMA device" in document["notes"][1]
    ran = {finding["check"]: finding["status"] for finding in document["findings"]}
    (note,) = (note for note in document["notes"] if " checks were run: " in note)
    assert set(note.rpartition(": ")[2].split(", ")) == set(ran)
    assert "software.conflicting-stacks" in ran
    assert "skip" not in ran.values()  # without a plan, these only need a cluster file
    unread = {"unknown", "error"} & set(ran.values())
    expected = Exit.FAILED if "fail" in ran.values() else Exit.INCOMPLETE if unread else Exit.PASSED
    assert result.returncode == expected


def bundle(folder: Path, *devices: str, complete: bool = True) -> Path:
    """A bundle in which devices of these names printed nothing."""
    manifest = {
        "kind": "bundle",
        "schema": 1,
        "tool": "wirespeed 0.1.0",
        "cluster": None,
        "complete": complete,
        "devices": [
            {"name": name, "platforms": [{"kind": "host", "name": "ubuntu"}], "outputs": []} for name in devices
        ],
    }
    folder.mkdir()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_what_bundle_and_cluster_file_do_not_share_is_reported(tmp_path: Path) -> None:
    result = wirespeed("check", str(CLUSTER), str(bundle(tmp_path / "b", "node2", "gw1", complete=False)))
    assert " ".join(result.stdout.split()).startswith(
        "not in the cluster file, not checked: gw1 "
        f"not in the bundle, all settings unknown: leaf1, node[1,3-4] "
        f"collection was interrupted, some settings are unknown: {tmp_path}/b "
    )
    assert result.returncode == Exit.INCOMPLETE


def test_a_bundle_of_other_machines_is_refused(tmp_path: Path) -> None:
    result = wirespeed("check", str(CLUSTER), str(bundle(tmp_path / "b", "node1.example.com")))
    assert (result.returncode, result.stdout) == (Exit.REFUSED, "")
    assert result.stderr == (
        f"error: {tmp_path}/b: found the devices node1.example.com, none of them in mi300x-4node; "
        "expected some of leaf1, node[1-4]\n"
        "  hint: `wirespeed collect --name HOST` sets the name that the cluster file uses\n"
    )


def test_nothing_that_ran_is_incomplete() -> None:
    result = wirespeed("check", "--local", "--only", "port.mtu", "--format", "json")
    assert json.loads(result.stdout)["findings"] == []
    assert result.returncode == Exit.INCOMPLETE


def test_one_wrong_line_of_a_switch_has_one_fix(tmp_path: Path) -> None:
    """The commands of 32 ports are one session; JSON has those of each port."""
    cluster = tmp_path / "cluster.yaml"
    text = CLUSTER.read_text().replace("dell-z9664f, os: dell-sonic", "cisco-n9k-c9364d-gx2a")
    cluster.write_text(text)
    command_line.wirespeed("collect", "--as-planned", str(cluster), "-o", str(tmp_path / "bundle"))
    config = tmp_path / "bundle" / "leaf1" / "running-config.out"
    config.write_text(config.read_text().replace("set qos-group 3", "set qos-group 0"))
    arguments = ("check", str(cluster), str(tmp_path / "bundle"), "--only", "qos.roce-queue")
    table = wirespeed(*arguments).stdout
    assert table.count("fix  ") == table.count("copy running-config startup-config") == 1
    assert "interface Ethernet1/1-32\n" in table
    findings = json.loads(wirespeed(*arguments, "-f", "json").stdout)["findings"]
    commands = [fix["commands"] for finding in findings for fix in finding["fix"]]
    assert [lines[-4] for lines in commands] == [f"interface Ethernet1/{port}" for port in range(1, 33)]
