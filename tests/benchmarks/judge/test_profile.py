import pytest
from judge_support import MIB, find_verdict, perftest, plan

from wirespeed.benchmarks.judge import profile as judge_profile
from wirespeed.benchmarks.judge.runs import judge
from wirespeed.errors import Refusal
from wirespeed.results.verdicts import Judgement


def write_profile(tmp_path, text):
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def default_text():
    from importlib import resources

    return (resources.files("wirespeed.benchmarks") / "profiles" / "default.yaml").read_text(encoding="utf-8")


def test_every_number_has_a_source():
    profile = judge_profile.default()
    numbers = [profile.plateau, profile.clock_tolerance, profile.curve.from_bytes, profile.curve.rising]
    numbers += [getattr(profile.floors, name) for name in type(profile.floors).model_fields]
    for thresholds in (profile.curve.dip, profile.curve.step, profile.curve.fall):
        numbers += [thresholds.passes, thresholds.warns]
    for name in type(profile.classes).model_fields:
        thresholds = getattr(profile.classes, name)
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
        (("value: 0.95", "value: 1.5"), "classes.rdma", "0 ≤ warn ≤ pass ≤ 1"),
        (("version: 1", "version: 2"), "version", "1"),
        (("plateau:", "plateu:"), "plateau", "a value"),
    ],
)
def test_refused(tmp_path, change, location, expected):
    file = write_profile(tmp_path, default_text().replace(*change))
    with pytest.raises(Refusal) as refusal:
        judge_profile.read(file)
    problem = refusal.value.problems[0]
    assert (problem.location, problem.expected) == (f"{file}: {location}", expected)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "titel: mine",
            "found the key 'titel'; expected one of classes, clock_tolerance, curve, floors, gates, plateau, "
            "relative_gates, title, two-hosts-nvls-tree, version\n  hint: did you mean 'title'?",
        ),
        (
            "classes: {colective-hosts: 1}",
            "classes: found the key 'colective-hosts'; expected one of collective-hosts, collective-one-host, "
            "gpu-links, gpu-peers, host-copies-bidirectional, host-copies-both, kernel-copies, kernel-copies-at-once, "
            "message-rate, "
            "random-ring, rdma, tcp\n"
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
    for thresholds in (getattr(profile.classes, field) for field in type(profile.classes).model_fields):
        assert thresholds.passes.source and thresholds.warns.source
    assert all(gate.source for gate in profile.gates)


def test_strict_requires_no_less_than_default_and_loose_no_more():
    strict, default, loose = (
        judge_profile.load_bundled_profile(name).classes for name in ("strict", "default", "loose")
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
    assert (mine.plateau.value, mine.classes) == (0.5, judge_profile.load_bundled_profile("strict").classes)


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
