import json
from importlib import resources
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator
from judge_support import MIB, find_verdict, perftest, plan
from typer.testing import CliRunner

from wirespeed.benchmarks.judge import profile as judge_profile
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.cli.app import app
from wirespeed.errors import Refusal
from wirespeed.results.verdicts import Judgement


def write_profile(tmp_path, text):
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def default_text():
    return (resources.files("wirespeed.benchmarks") / "profiles" / "default.yaml").read_text(encoding="utf-8")


def test_every_number_has_a_source():
    profile = judge_profile.default()
    numbers = [profile.plateau, profile.clock_tolerance, profile.curve.from_bytes, profile.curve.rising]
    numbers += [getattr(profile.floors, name) for name in type(profile.floors).model_fields]
    for thresholds in (profile.curve.dip, profile.curve.step, profile.curve.fall):
        numbers += [thresholds.passes, thresholds.warns]
    for name in type(profile.fractions).model_fields:
        thresholds = getattr(profile.fractions, name)
        numbers += [thresholds.passes, thresholds.warns]
    assert all(number.source for number in numbers)


def test_a_stricter_profile_judges_stricter(tmp_path):
    strict = judge_profile.read(write_profile(tmp_path, default_text().replace("value: 0.95", "value: 0.99")))
    run = perftest({MIB: 380.0})
    assert find_verdict(judge(run, plan())).judgement is Judgement.PASS
    assert find_verdict(judge(run, plan(), profile=strict)).judgement is Judgement.WARN


@pytest.mark.parametrize(
    ("change", "location", "expected"),
    [
        (("value: 0.95", "value: 1.5"), "fractions.rdma", "0 ≤ warn ≤ pass ≤ 1"),
        (("version: 1", "version: 2"), "version", "1"),
    ],
)
def test_refused(tmp_path, change, location, expected):
    file = write_profile(tmp_path, default_text().replace(*change))
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    problem = refusal.value.problems[0]
    assert (problem.location, problem.expected) == (f"{file}: {location}", expected)


def test_a_missing_key_is_named(tmp_path):
    file = write_profile(tmp_path, default_text().replace("plateau:", "plateu:"))
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    assert str(refusal.value.problems[0]) == (
        f"{file}: missing key 'plateau'\n  hint: `wirespeed schema profile` shows the keys"
    )


def test_a_problem_of_a_gate_has_its_position(tmp_path):
    gates = "gates: [{name: a, metric: busbw, at_least: 1, unit: GB/s, source: here}]\nrelative_gates: [{name: b}]"
    file = write_profile(tmp_path, f"version: 1\nbase: default\n{gates}\n")
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    assert [(problem.location, problem.statement) for problem in refusal.value.problems] == [
        (f"{file}: gate 1", "missing key 'tools'"),
        (f"{file}: relative gate 1", "missing key 'of'"),
        (f"{file}: relative gate 1", "missing key 'source'"),
    ]


def test_a_number_is_replaced_with_its_source(tmp_path):
    file = write_profile(tmp_path, "version: 1\nbase: default\nfractions: {tcp: {pass: {value: 0.8}}}\n")
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    assert [str(problem).partition("\n")[0] for problem in refusal.value.problems] == [
        f"{file}: fractions.tcp.pass: missing key 'source'"
    ]


@pytest.fixture(scope="module")
def validator():
    Draft202012Validator.check_schema(judge_profile.schema())
    return Draft202012Validator(judge_profile.schema())


@pytest.mark.parametrize("name", judge_profile.names())
def test_a_bundled_profile_fits_the_schema(name, validator):
    text = (resources.files("wirespeed.benchmarks") / "profiles" / f"{name}.yaml").read_text(encoding="utf-8")
    assert list(validator.iter_errors(yaml.safe_load(text))) == []


def test_the_profile_of_the_page_is_accepted(tmp_path, validator):
    page = (Path(__file__).parents[3] / "docs" / "concepts" / "limits.md").read_text(encoding="utf-8")
    (text,) = [
        block.partition("```")[0] for block in page.split("```yaml\n")[1:] if block.startswith("version: 1\nbase")
    ]
    mine = judge_profile.read(write_profile(tmp_path, text))
    assert (mine.fractions.tcp.passes.value, [gate.name for gate in mine.gates]) == (0.85, ["osu-latency"])
    assert list(validator.iter_errors(yaml.safe_load(text))) == []


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("version: 1\ntitle: mine", "floors"),
        ("version: 1\nbase: strickt", "strickt"),
        ("version: 1\nbase: strict\nclasses: {}", "classes"),
        ("version: 1\nbase: strict\nplateau: {value: 1}", "source"),
        ("version: 1\nbase: strict\ngates: [{name: a}]", "tools"),
    ],
)
def test_the_schema_refuses_what_wirespeed_refuses(tmp_path, content, key, validator):
    with pytest.raises(Refusal, match=key):
        judge_profile.read(write_profile(tmp_path, content))
    assert list(validator.iter_errors(yaml.safe_load(content)))


@pytest.mark.parametrize("kind", judge_profile.describe_kinds_of_run())
def test_every_kind_of_run_is_explained(kind):
    for name in (kind, kind.replace("-", "_")):
        result = CliRunner().invoke(app, ["explain", name])
        assert result.exit_code == 0
        assert f"{kind}  kind of run of an acceptance profile\n" in result.output


def test_the_list_prints_the_keys_of_the_file():
    result = CliRunner().invoke(app, ["list", "profiles", "default", "--format", "json"])
    assert list(json.loads(result.output)["profiles"][0]["fractions"]) == list(judge_profile.describe_kinds_of_run())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "titel: mine",
            "found the key 'titel'; expected one of clock_tolerance, curve, floors, fractions, gates, plateau, "
            "relative_gates, title, two-hosts-nvls-tree, version\n  hint: did you mean 'title'?",
        ),
        (
            "fractions: {colective-hosts: 1}",
            "fractions: found the key 'colective-hosts'; expected one of collective-hosts, collective-one-host, "
            "gpu-links, gpu-peers, host-copies, host-copies-bidirectional, host-copies-both, host-copies-kernel, "
            "kernel-copies, kernel-copies-at-once, message-rate, random-ring, rdma, tcp\n"
            "  hint: did you mean 'collective-hosts'?",
        ),
    ],
)
def test_an_unknown_key_is_refused_with_the_known_ones(tmp_path, content, message):
    file = write_profile(tmp_path, f"version: 1\nbase: strict\n{content}\n")
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    assert str(refusal.value) == f"{file}: {message}"


def test_what_is_no_yaml_is_refused(tmp_path):
    with pytest.raises(Refusal, match="YAML syntax error: "):
        judge_profile.read(write_profile(tmp_path, "a: [1"))
    with pytest.raises(Refusal, match="month must be in"):
        judge_profile.read(write_profile(tmp_path, "name: 2001-99-99"))
    with pytest.raises(Refusal, match="expected a profile"):
        judge_profile.read(write_profile(tmp_path, f"plateau: {'9' * 5000}"))
    with pytest.raises(Refusal, match="'base'"):
        judge_profile.read(write_profile(tmp_path, "base: strict\nbase: loose"))
    with pytest.raises(Refusal, match="expected a readable profile"):
        judge_profile.read(tmp_path / "absent.yaml")


@pytest.mark.parametrize("name", judge_profile.names())
def test_every_number_of_a_profile_that_comes_along_has_a_source(name):
    profile = judge_profile.load_bundled_profile(name)
    for thresholds in (getattr(profile.fractions, field) for field in type(profile.fractions).model_fields):
        assert thresholds.passes.source and thresholds.warns.source
    assert all(gate.source for gate in profile.gates)


def test_strict_requires_no_less_than_default_and_loose_no_more():
    strict, default, loose = (
        judge_profile.load_bundled_profile(name).fractions for name in ("strict", "default", "loose")
    )
    for field in ("rdma", "collective_one_host", "collective_hosts", "tcp"):
        limits_by_class = [getattr(classes, field) for classes in (loose, default, strict)]
        assert [gate_class.passes.value for gate_class in limits_by_class] == sorted(
            gate_class.passes.value for gate_class in limits_by_class
        )
        assert [gate_class.warns.value for gate_class in limits_by_class] == sorted(
            gate_class.warns.value for gate_class in limits_by_class
        )


@pytest.mark.parametrize(
    ("name", "judgement"), [("strict", Judgement.WARN), ("default", Judgement.PASS), ("loose", Judgement.PASS)]
)
def test_a_profile_is_chosen_by_name(name, judgement):
    assert find_verdict(judge(perftest({MIB: 376.0}), plan(), profile=judge_profile.read(name))).judgement is judgement


def test_a_profile_states_only_in_what_it_differs(tmp_path):
    mine = judge_profile.read(
        write_profile(tmp_path, "version: 1\nbase: strict\ntitle: mine\nplateau: {value: 0.5, source: here}\n")
    )
    assert (mine.plateau.value, mine.fractions) == (0.5, judge_profile.load_bundled_profile("strict").fractions)


def test_an_unknown_name_is_refused():
    with pytest.raises(Refusal) as refusal:
        judge_profile.read("stric")
    assert str(refusal.value) == (
        "--profile: found 'stric'; expected one of default, field, lab, loose, strict, or a file\n"
        "  hint: did you mean 'strict'?"
    )


def test_an_unknown_base_is_refused(tmp_path):
    file = write_profile(tmp_path, "version: 1\nbase: strickt\n")
    with pytest.raises(Refusal, match=r"mine.yaml: base: found 'strickt'; expected one of default"):
        judge_profile.read(file)
