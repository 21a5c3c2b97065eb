"""Documents of results are read back as they were written; what is none is refused."""

import dataclasses
import json

import history_sample
import pytest

from wirespeed.errors import Refusal
from wirespeed.results import documents
from wirespeed.results.json import document

RESULTS = {
    "peers": ("bench-peers", history_sample.PEERS),
    "comparison": ("bench-comparison", history_sample.COMPARISON),
    "history": ("bench-history", history_sample.HISTORY),
}


@pytest.mark.parametrize("name", RESULTS)
def test_what_was_written_is_read(name):
    kind, result = RESULTS[name]
    assert documents.read(document(kind, documents.SCHEMAS[kind], **{name: result}), "a.json") == result


@pytest.mark.parametrize("name", RESULTS)
def test_unknown_keys_are_ignored_and_defaults_filled_in(name):
    kind, result = RESULTS[name]
    body = json.loads(document(kind, documents.SCHEMAS[kind], **{name: result}))
    body["later"] = body[name]["later"] = 1
    body[name].pop("notes", None)
    restored_result = documents.read(json.dumps(body), "a.json")
    assert restored_result == (dataclasses.replace(result, notes=()) if name == "peers" else result)


def _document_without(*path):
    body = json.loads(document("bench-peers", documents.SCHEMAS["bench-peers"], peers=history_sample.PEERS))
    inner = body
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
    return json.dumps(body)


def _document_with(value, *path):
    body = json.loads(document("bench-peers", documents.SCHEMAS["bench-peers"], peers=history_sample.PEERS))
    inner = body
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(body)


@pytest.mark.parametrize(
    ("text", "problem_text"),
    [
        ("{", "broken JSON"),
        ("[" * 5000, "broken JSON"),
        ("[]", "the kind None"),
        ('{"kind": "bench-runs", "schema": 1}', "the kind 'bench-runs'"),
        ('{"kind": "bench-peers", "schema": 1}', "schema 1 of bench-peers"),
        (_document_without("peers"), "no peers"),
        (_document_without("peers", "matrices", 0, "cells", 3, "group"), "no peers.matrices[0].cells[3].group"),
        (
            _document_with("fast", "peers", "matrices", 0, "cells", 0, "fraction"),
            "'fast' for peers.matrices[0].cells[0].fraction",
        ),
        (_document_with("speed", "peers", "matrices", 0, "metric"), "'speed' is not a valid Metric"),
        (
            _document_with(True, "peers", "matrices", 0, "cells", 0, "value"),
            "True for peers.matrices[0].cells[0].value",
        ),
        (_document_with({}, "peers", "matrices"), "{} for peers.matrices"),
    ],
)
def test_what_is_none_is_refused(text, problem_text):
    with pytest.raises(Refusal) as refusal:
        documents.read(text, "a.json")
    (problem,) = refusal.value.problems
    assert problem.location == ("a.json:1" if problem_text == "broken JSON" else "a.json")
    assert problem.found.startswith(problem_text)


def test_a_number_beyond_the_range_of_a_float_is_refused():
    text = document("bench-comparison", documents.SCHEMAS["bench-comparison"], comparison=history_sample.COMPARISON)
    number = json.dumps(history_sample.COMPARISON.significance)
    with pytest.raises(Refusal, match="a number that is not finite"):
        documents.read(text.replace(f'"significance": {number}', f'"significance": {"9" * 400}'), "a.json")


@pytest.mark.parametrize("number", ["0", "-0.5", "1", "1e-400"])
def test_a_history_of_a_significance_that_is_no_probability_is_refused(number):
    """The minimum number of campaigns would be searched for without end."""
    text = document("bench-history", documents.SCHEMAS["bench-history"], history=history_sample.HISTORY)
    with pytest.raises(Refusal, match=f"{float(number)} for history.significance"):
        documents.read(text.replace('"significance": 0.01', f'"significance": {number}'), "a.json")


def test_an_integer_of_more_than_64_bits_is_refused():
    text = document("bench-history", documents.SCHEMAS["bench-history"], history=history_sample.HISTORY)
    with pytest.raises(Refusal, match=r"an integer of more than 64 bits for history\.series\[0\]\.series\.size_bytes"):
        documents.read(text.replace(f'"size_bytes": {1 << 30}', f'"size_bytes": {"9" * 400}'), "a.json")
