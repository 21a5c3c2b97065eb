"""NIC ports that jobs leave out; Broadcom 957608-AN210, 8.7.3.4: NCCL_IB_HCA deselects a NIC to isolate a problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cluster import read_text
from wirespeed.cluster.launch import LaunchPart
from wirespeed.errors import Refusal
from wirespeed.plan import build
from wirespeed.platforms.launcher.library_variables import environment, library_variables, variable_settings
from wirespeed.platforms.launcher.variables import KEYS
from wirespeed.render import Jobs, files

FILE = Path(__file__).parents[2] / "examples" / "mi300x-4node" / "cluster.yaml"


def change(nics: str) -> str:
    text = FILE.read_text(encoding="utf-8")
    assert "nics: 8 x" in text
    return text.replace("nics: 8 x", f"nic: {nics}, nics: 8 x")


def test_jobs_leave_a_nic_out() -> None:
    launch = build(read_text(change("{enp67s0np0: {jobs: false}}"), "cluster.yaml")).hosts["node1"].launch
    assert dict(library_variables(launch))["NCCL_IB_HCA"] == (
        "=bnxt_re0:1,bnxt_re2:1,bnxt_re3:1,bnxt_re4:1,bnxt_re5:1,bnxt_re6:1,bnxt_re7:1"
    )


EXCEPTION = "except: {node2: {nic: {enp67s0np0: {jobs: false}}}}, nics: 8 x"
DEVICES = {"NCCL_IB_HCA", "UCX_NET_DEVICES"}


def test_the_nics_of_a_job_are_left_to_each_host_where_they_differ() -> None:
    """A variable on the command line would override the configuration file of every host."""
    plan = build(read_text(FILE.read_text(encoding="utf-8").replace("nics: 8 x", EXCEPTION), "cluster.yaml"))
    for name, device in (("node1", "bnxt_re1:1"), ("node2", "bnxt_re2:1")):
        launch = plan.hosts[name].launch
        assert launch.host_settings == ("rdma_devices",)
        assert dict(library_variables(launch))["NCCL_IB_HCA"].split(",")[1] == device  # of the host's file
        assert {name for name, _ in environment(launch)} & {*DEVICES, "NCCL_IB_GID_INDEX"} == {"NCCL_IB_GID_INDEX"}
    exported = {
        hosts: DEVICES & {word.partition("=")[0] for word in Jobs(plan).job(hosts, 8, ("./all_reduce_perf",))}
        for hosts in (("node1", "node2"), ("node1", "node3"), ("node2",))
    }
    assert exported == {("node1", "node2"): set(), ("node1", "node3"): DEVICES, ("node2",): DEVICES}


@pytest.mark.parametrize("launcher", ["mpirun", "slurm"])
def test_mpi_below_collectives_gets_the_nics_of_each_host_by_a_file(launcher: str) -> None:
    """UCX would open the NIC that jobs leave out: no variable of the job names its devices."""
    text = FILE.read_text(encoding="utf-8")

    def list_ucx_files(cluster: str) -> dict[str, list[str]]:
        plan = build(read_text(f"{cluster}launch: {{launcher: {launcher}}}\n", "cluster.yaml"))
        return {
            file.device: [line for line in file.text.splitlines() if not line.startswith("#")]
            for file in files(plan)
            if file.path == "/etc/ucx/ucx.conf"
        }

    devices = [f"bnxt_re{number}:1" for number in range(8)]
    files_by_host = list_ucx_files(text.replace("nics: 8 x", EXCEPTION))
    assert files_by_host["node1"] == [f"UCX_NET_DEVICES={','.join(devices)}"]
    assert files_by_host["node2"] == [f"UCX_NET_DEVICES={','.join(device for device in devices if '1:' not in device)}"]
    assert list_ucx_files(text) == {}  # the job exports the devices


def test_a_library_without_a_file_cannot_have_nics_of_each_host() -> None:
    text = FILE.read_text(encoding="utf-8").replace("nics: 8 x", EXCEPTION)
    plan = build(read_text(f"{text}launch: {{library: mvapich3}}\n", "cluster.yaml"))
    (warning,) = (str(problem) for problem in plan.warnings if "differ between" in str(problem))
    assert warning.partition(": found ")[2] == (
        "rdma_devices of jobs over mvapich3 that differ between hosts; expected the same on all hosts: the library has "
        "no configuration file of a host, so each host uses its defaults\n"
        "  hint: set them in the environment of each host, or choose a library with a configuration file"
    )


def test_jobs_need_a_nic() -> None:
    interfaces = [f"enp{bus}s0np0" for bus in (29, 67, 86, 105, 159, 195, 213, 231)]
    excluded = ", ".join(f"{interface}: {{jobs: false}}" for interface in interfaces)
    with pytest.raises(Refusal) as refusal:
        build(read_text(change(f"{{{excluded}}}"), "cluster.yaml"))
    assert "found jobs: false on every NIC; expected a NIC that jobs use" in str(refusal.value)


@pytest.mark.parametrize("library", ["rccl", "nccl", "openmpi", "mvapich2", "mvapich3"])
def test_every_variable_has_a_key_in_the_cluster_file(library: str) -> None:
    """Consistency only: a refused variable names a key that exists."""
    assert set(variable_settings(library).values()) <= {*LaunchPart.model_fields, *KEYS}
