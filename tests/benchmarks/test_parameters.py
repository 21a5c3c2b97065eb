"""The dictionary of run parameters: each name has a meaning, and is used by the readers of the tools it names."""

from __future__ import annotations

from collections import defaultdict

import pytest
from tests.benchmarks.tools.samples import LOGS, load_expected

from wirespeed.benchmarks.tools.iperf3 import json_reader as iperf3_json
from wirespeed.benchmarks.tools.nccl_tests import json_reader as nccl_json
from wirespeed.benchmarks.tools.nccl_tests import patterns as nccl
from wirespeed.benchmarks.tools.osu import patterns as osu
from wirespeed.benchmarks.tools.perftest import json_reader as perftest_json
from wirespeed.benchmarks.tools.perftest import patterns as perftest
from wirespeed.benchmarks.tools.perftest.tables import ROCM_MEMORY
from wirespeed.results.json import plain
from wirespeed.results.parameters import MeshPair, Parameters, dictionary, flatten


def test_every_tool_that_states_a_parameter_is_named_in_the_dictionary() -> None:
    stated = defaultdict(set)
    for log in LOGS:
        for run in load_expected(log)["runs"]:
            for name in run["parameters"]:
                stated[name].add(run["tool"])
    dictionary_rows = dictionary()
    assert {name: extra for name, tools in stated.items() if (extra := tools - set(dictionary_rows[name].tools))} == {}


@pytest.mark.parametrize(
    "names",
    [
        *(perftest.SETTINGS.values(), perftest_json._SETTINGS.values(), nccl.OPTION_NAMES.values()),
        *(nccl_json._SETTINGS.values(), iperf3_json._SETTINGS.values()),
        [name for _, names in osu.SETTINGS for name in names],
    ],
)
def test_settings_of_tools_are_parameters(names: list[str]) -> None:
    assert set(names) - {ROCM_MEMORY} <= set(dictionary())


@pytest.mark.parametrize(
    ("name", "printed", "value"),
    [
        ("rdma_cm", "ON", True),
        ("rdma_cm", "OFF", False),
        ("rdma_cm", "perhaps", None),
        ("path_mtu_bytes", "4096", 4096),
        ("path_mtu_bytes", "4096[B]", None),
        ("root_rank", -1, -1),
        ("root_rank", "0,1", "0,1"),
        ("root_rank", "--1", "--1"),
        ("path_mtu_bytes", "9" * 5000, None),
        ("duration_s", 10, 10),
        ("duration_s", 1.4, 1.4),
        ("mpi_init_ms", 3, 3.0),
        ("rdma_device", "mlx5_0", "mlx5_0"),
        ("queue_pairs", True, None),
    ],
)
def test_a_setting_as_printed(name: str, printed: str | float | bool, value: object) -> None:
    parameters = Parameters()
    parameters.read_setting(name, printed)
    assert getattr(parameters, name) == value
    assert type(getattr(parameters, name)) is type(value)


def test_the_first_value_of_a_setting_stays() -> None:
    parameters = Parameters(iterations=5)
    parameters.read_setting("iterations", 10)
    assert parameters.iterations == 5


def test_a_setting_that_is_no_parameter() -> None:
    with pytest.raises(KeyError):
        Parameters().read_setting("qps", 1)


def test_json_has_what_is_stated_and_mappings_by_both_names() -> None:
    pair = MeshPair(0, route="10.1.0.17")
    parameters = Parameters(
        queue_pairs=1, bidirectional=False, environment={"NCCL_ALGO": "Ring"}, mesh_pairs={"a -> b": pair}
    )
    assert list(flatten(plain(parameters))) == [
        ("bidirectional", False),
        ("environment NCCL_ALGO", "Ring"),
        ("mesh_pairs a -> b exit_code", 0),
        ("mesh_pairs a -> b route", "10.1.0.17"),
        ("queue_pairs", 1),
    ]
