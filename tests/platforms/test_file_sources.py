"""Every file of a host, NIC or launcher names the authority of its form, or what no public source confirms."""

from __future__ import annotations

import re

import pytest
from tests.render.test_software_scripts import CLUSTER
from typer.testing import CliRunner

from wirespeed import render
from wirespeed.cli.app import app
from wirespeed.cluster import read_text
from wirespeed.plan import build
from wirespeed.platforms import FileTemplate, Platform, platforms

PLATFORMS = [entry for (kind, _), entry in platforms().items() if kind != "switch"]
MVAPICH = CLUSTER + "launch: {library: LIBRARY, OPTIONS}\n"
DOUBT = "variables of MVAPICH's Broadcom build, known from a talk (2024 OFA workshop) only"


@pytest.mark.parametrize("entry", PLATFORMS, ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_every_file_has_a_source(entry: Platform) -> None:
    assert [file.path for file in entry.files if not file.source] == []
    for file in entry.files:
        assert all(entry.support(path).rendered for path in file.unverified), file.path


def test_a_doubt_needs_settings() -> None:
    with pytest.raises(ValueError, match="expected unverified and doubt, or none of them"):
        FileTemplate("a.j2", "/etc/a", doubt="unknown")


def render_host(library: str, options: str) -> dict[str, str]:
    text = MVAPICH.replace("LIBRARY", library).replace("OPTIONS", options)
    return {file.path: file.text for file in render.files(build(read_text(text, "small.yaml")), ["node1"])}


def test_a_planned_setting_without_a_source_is_named_in_the_file_and_by_apply() -> None:
    files = render_host("mvapich2", "eager_sgl: true")
    line = f"{DOUBT} (for host.launch.eager_sgl)"
    assert files["/etc/mvapich2.conf"].startswith(f"# No public source confirms: {line}.\n# MVAPICH2 reads")
    assert f"#\n# What no public source confirms:\n# /etc/mvapich2.conf: {line}\nset -eu\n" in files["apply.sh"]
    script = render_host("mvapich3", "rdma: true")["/usr/local/bin/wirespeed-mpiexec"]
    assert re.match(
        r"#!/bin/sh\n# No public source confirms: variables of the CH3 device .* \(for host\.launch\.[\w, .]+\)\.\n",
        script,
    )


def test_without_such_a_setting_nothing_is_named() -> None:
    assert not any("no public source" in text for text in render_host("mvapich2", "coalescing: true").values())


def test_names_of_packages_from_memory_are_marked() -> None:
    text = CLUSTER.replace("ubuntu-22.04", "sles-15.6")
    files = {file.path: file.text for file in render.files(build(read_text(text, "small.yaml")), ["node1"])}
    assert (
        "# No public source confirms these names of packages: kernel-default-devel, dkms"
        in files["software-install.sh"]
    )


def test_list_platforms_shows_sources_and_doubts() -> None:
    text = CliRunner().invoke(app, ["list", "platforms", "mvapich2"]).stdout
    assert "host.launch.eager_sgl in /etc/mvapich2.conf" in text and DOUBT in text
    assert "MVAPICH2 2.3.7 user guide, section 11; ibv_param.c" in text


def test_apply_names_the_source_of_each_file() -> None:
    files = {file.path: file.text for file in render.files(build(read_text(CLUSTER, "small.yaml")), ["node1"])}
    lines = files["apply.sh"].splitlines()
    start = lines.index("# Where the format of each file is documented:")
    documented = [line.removeprefix("# ").partition(": ")[0] for line in lines[start + 1 : lines.index("set -eu")]]
    assert documented == [path for path in files if path.startswith("/")]
    assert "# /etc/modules-load.d/90-wirespeed.conf: modules-load.d(5)" in lines[start:]
