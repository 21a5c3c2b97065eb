"""What is on the disk when a campaign ends, however it does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from wirespeed.benchmarks.run import create_folder, open_folder, resume_folder
from wirespeed.errors import Refusal
from wirespeed.results.campaign import Attempt, Campaign, Command, Grade, Outcome, Step
from wirespeed.results.json import plain

STEP = Step(
    id="iperf3.a.b",
    test="iperf3",
    ends="a/x -> b/y",
    client=Command("a", ("iperf3", "-c", "10.0.0.1"), {"A": "b c"}),
    limit_s=60.0,
    seconds=13.0,
    server=Command("b", ("iperf3", "-s")),
    port=18600,
    uses={"NIC a/x": 1, "above leaf1": 400 * 10**9},
    source="a/x",
    target="b/y",
)
CAMPAIGN = Campaign(
    "", "tcp", "small", (STEP, replace(STEP, id="other")), {"above leaf1": 10**12}, ("a note",), "after"
)
ATTEMPT = Attempt(
    STEP.id,
    1,
    Outcome.DONE,
    0,
    "2026-01-02T03:04:05.678Z",
    13.1,
    Grade.GOOD,
    "logs/iperf3.a.b.1.log",
    "µ 1 Gb/s",
    "a/x -> b/y",
)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    folder = create_folder(tmp_path / "new" / "run", CAMPAIGN)
    folder.keep(STEP, 1, b"printed\n", b"server\n")
    folder.note(ATTEMPT)
    reopened = open_folder(tmp_path / "new" / "run")
    assert reopened.campaign == folder.campaign
    assert reopened.campaign == replace(CAMPAIGN, id=reopened.campaign.id, started=reopened.campaign.started)
    assert reopened.latest() == {STEP.id: ATTEMPT}
    assert reopened.text(ATTEMPT) == "printed\n"
    assert sorted(path.name for path in (tmp_path / "new" / "run" / "logs").iterdir()) == [
        "iperf3.a.b.1.log",
        "iperf3.a.b.1.server.log",
    ]
    line = json.loads((tmp_path / "new" / "run" / "journal.jsonl").read_text())
    assert list(line) == [
        "step",
        "attempt",
        "status",
        "rc",
        "started",
        "duration_s",
        "grade",
        "log",
        "detail",
        "ends",
    ]


@pytest.mark.parametrize("length", range(1, 40))
def test_a_line_cut_short_is_an_attempt_to_make_again(tmp_path: Path, length: int) -> None:
    folder = create_folder(tmp_path, CAMPAIGN)
    folder.note(ATTEMPT)
    folder.note(replace(ATTEMPT, step="other"))
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-length])
    second_result = resume_folder(tmp_path, CAMPAIGN)
    assert list(second_result.latest()) == [STEP.id]
    second_result.note(replace(ATTEMPT, step="other"))
    assert list(open_folder(tmp_path).latest()) == [STEP.id, "other"]


def refusal(path: Path, campaign: Campaign, is_resumed: bool) -> str:
    with pytest.raises(Refusal) as caught:
        (resume_folder if is_resumed else create_folder)(path, campaign)
    return str(caught.value).replace(str(path), "DIR")


@pytest.mark.parametrize(
    ("campaign", "is_resumed", "message"),
    [
        (
            CAMPAIGN,
            False,
            "DIR: found an earlier run; expected a new or an empty folder\n  hint: --resume continues it",
        ),
        (
            replace(CAMPAIGN, suite="pairs"),
            True,
            "DIR: found the suite tcp on small; expected pairs on small",
        ),
        (
            replace(CAMPAIGN, steps=(replace(STEP, port=1), CAMPAIGN.steps[1])),
            True,
            "DIR: found other steps than these, first iperf3.a.b; expected the same cluster file and the same options "
            "as when it began\n  hint: give another folder to begin anew",
        ),
        (
            replace(CAMPAIGN, steps=CAMPAIGN.steps[:1]),
            True,
            "DIR: found other steps than these, first their number; expected the same cluster file and the same "
            "options as when it began\n  hint: give another folder to begin anew",
        ),
    ],
)
def test_a_folder_that_holds_another_campaign(
    tmp_path: Path, campaign: Campaign, is_resumed: bool, message: str
) -> None:
    create_folder(tmp_path, CAMPAIGN)
    assert refusal(tmp_path, campaign, is_resumed) == message


def test_a_folder_with_something_else_in_it(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    expected = "DIR: found a folder that is not empty; expected a new or an empty folder"
    assert refusal(tmp_path, CAMPAIGN, False) == expected
    assert refusal(tmp_path, CAMPAIGN, True) == "DIR: no earlier run to continue\n  hint: start it without --resume"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "bench-campaign", "schema": 1}', "{"])
def test_a_document_that_is_no_campaign(tmp_path: Path, text: str) -> None:
    (tmp_path / "campaign.json").write_text(text)
    assert "expected what bench run wrote" in refusal(tmp_path, CAMPAIGN, True)


def test_a_line_of_the_journal_that_is_no_attempt(tmp_path: Path) -> None:
    create_folder(tmp_path, CAMPAIGN).note(ATTEMPT)
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('{"step": 1}\n')
    assert refusal(tmp_path, CAMPAIGN, True) == (
        "DIR/journal.jsonl:2: found a line that is no attempt; expected a line as bench run writes it"
    )


@pytest.mark.parametrize("log", ["", "/etc/passwd", "../a.log", "logs/../../a.log", "9" * 256, "a\0b", "\ud800"])
def test_an_attempt_whose_log_is_no_file_of_the_folder_is_refused(tmp_path: Path, log: str) -> None:
    create_folder(tmp_path, CAMPAIGN)
    (tmp_path / "journal.jsonl").write_text(json.dumps(plain(replace(ATTEMPT, log=log))) + "\n")
    assert refusal(tmp_path, CAMPAIGN, True) == (
        "DIR/journal.jsonl:1: found a line that is no attempt; expected a line as bench run writes it"
    )
