import pytest
from judge_support import MIB, one, perftest, plan

from wirespeed.benchmarks import judge_profile
from wirespeed.benchmarks.judge import judge
from wirespeed.errors import Refused
from wirespeed.results.verdicts import Judgement


def written(tmp_path, text):
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def default_text():
    from importlib import resources

    return (resources.files("wirespeed.benchmarks") / "profiles" / "default.yaml").read_text(encoding="utf-8")


def test_every_number_has_a_source():
    profile = judge_profile.default()
    numbers = [profile.plateau, profile.clock_tolerance, profile.floors.collective_us, profile.floors.message_rate]
    for name in type(profile.classes).model_fields:
        thresholds = getattr(profile.classes, name)
        numbers += [thresholds.passes, thresholds.warns]
    assert all(number.source for number in numbers)


def test_a_stricter_profile_judges_stricter(tmp_path):
    strict = judge_profile.read(written(tmp_path, default_text().replace("value: 0.95", "value: 0.99")))
    run = perftest({MIB: 380.0})
    assert one(judge(run, plan())).judgement is Judgement.PASS
    assert one(judge(run, plan(), profile=strict)).judgement is Judgement.WARN


@pytest.mark.parametrize(
    ("change", "place", "expected"),
    [
        (("value: 0.95", "value: 1.5"), "classes.rdma", "Value error, expected 0 ≤ warn ≤ pass ≤ 1"),
        (("version: 1", "version: 2"), "version", "Input should be 1"),
        (("plateau:", "plateu:"), "plateau", "Field required"),
    ],
)
def test_refused(tmp_path, change, place, expected):
    file = written(tmp_path, default_text().replace(*change))
    with pytest.raises(Refused) as refused:
        judge_profile.read(file)
    problem = refused.value.problems[0]
    assert (problem.place, problem.expected) == (f"{file}: {place}", expected)


def test_what_is_no_yaml_is_refused(tmp_path):
    with pytest.raises(Refused, match="expected YAML"):
        judge_profile.read(written(tmp_path, "a: [1"))
    with pytest.raises(Refused, match="expected a readable profile"):
        judge_profile.read(tmp_path / "absent.yaml")
