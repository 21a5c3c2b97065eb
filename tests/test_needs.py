"""A missing tool skips a test, and fails it where everything is required."""

import _pytest.outcomes
import pytest

from needs import needs


@pytest.mark.parametrize(
    ("required", "outcome"),
    [(None, _pytest.outcomes.Skipped), ("0", _pytest.outcomes.Skipped), ("1", _pytest.outcomes.Failed)],
)
def test_a_missing_tool(required: str | None, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WIRESPEED_REQUIRE_ALL", raising=False)
    if required is not None:
        monkeypatch.setenv("WIRESPEED_REQUIRE_ALL", required)
    with pytest.raises(outcome, match=r"^needs no-such-tool \(package no-such-tool\)$"):
        needs("sh", "no-such-tool")


def test_nothing_happens_when_all_is_there() -> None:
    needs("sh")
