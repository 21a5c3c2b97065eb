"""Every page names its readers and questions, its links lead somewhere, and its commands exist."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import typer
from pages import DOCS, HAND_WRITTEN, PAGES, ROOT, anchors
from typer.testing import CliRunner

from wirespeed.cli.app import app

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```(?:sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(?:\$ |> )?(?:sudo )?(?:\.venv/bin/)?(wirespeed [a-z-].*)$", re.MULTILINE)
_SPAN = re.compile(r"`(?:sudo )?(?:\.venv/bin/)?(wirespeed [^`\n]+)`")
_AS_ROOT = re.compile(r"\bsudo wirespeed\b")
_BEFORE_AND_AFTER = re.compile(r"\s(?:\||>|<|#|&&|\|\|)(?:\s|$).*|;.*")


@pytest.mark.parametrize("page", [page for page in HAND_WRITTEN if page != "README.md"])
def test_a_page_begins_with_its_readers_and_questions(page: str) -> None:
    title, empty, opening = PAGES[page].split("\n", 2)
    assert title.startswith("# ")
    assert not empty
    paragraph = opening.partition("\n\n")[0]
    assert paragraph.startswith("**For** ")
    assert "**Answers:** " in paragraph


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    folder = PurePosixPath(page).parent
    for link in _LINK.findall(PAGES[page]):
        if link.startswith(("http://", "https://")):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / folder / name).resolve() if name else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_page_is_reached_from_the_index() -> None:
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in _LINK.findall(PAGES["docs/README.md"])}
    missing = set(DOCS.rglob("*.md")) - linked - {DOCS / "README.md"}
    assert not missing


def test_readme_is_a_front_page() -> None:
    assert len(PAGES["README.md"].splitlines()) <= 120


def test_the_front_page_names_the_file_that_sudo_runs() -> None:
    """sudo does not search the PATH that the page exports."""
    assert not _AS_ROOT.search(PAGES["README.md"])


@pytest.mark.parametrize("page", [page for page in HAND_WRITTEN if page.startswith("docs/guides/")])
def test_a_guide_states_where_sudo_finds_wirespeed(page: str) -> None:
    if _AS_ROOT.search(PAGES[page]) and page != "docs/guides/install.md":
        assert "(install.md#run-as-root)" in PAGES[page]


def test_every_example_has_a_page() -> None:
    examples = [path for path in (ROOT / "examples").iterdir() if list(path.glob("*.yaml")) + list(path.glob("*.json"))]
    assert len(examples) > 5
    assert [path.name for path in examples if not (path / "README.md").exists()] == []


def test_the_architecture_states_what_each_package_and_crate_does_not_know() -> None:
    _, _, invariants = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("deliberately does not know\n")
    rows = "\n".join(line.split("|")[1] for line in invariants.split("## Inside")[0].splitlines() if "|" in line)
    package = ROOT / "python" / "wirespeed"
    modules = [path for path in package.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    names = [path.stem for path in modules if not path.stem.startswith("_")]
    names += [f"crates/{path.name}" for path in (ROOT / "crates").iterdir()]
    assert [name for name in names if f"`{name}`" not in rows] == []


def test_files_in_the_tables_of_the_architecture_exist() -> None:
    """A path begins in the folder that heads its table, in that of the file before it, in the package or the root."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    tables = re.findall(r"^\| \w+ \| file in `(.+)` \|\n\| --- .*\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert len(tables) > 5
    rows = [(ROOT / folder, row.split(" | ")[1]) for folder, table in tables for row in table.splitlines()]
    assert [name for folder, row in rows for name in _find_missing_files(folder, row)] == []


def _find_missing_files(folder: Path, row: str) -> Iterator[str]:
    folders = [folder, ROOT / "python" / "wirespeed", ROOT, folder]
    for name in re.findall(r"`([\w./-]+(?:\.py|\.rs|\.txt|/))`", row):
        path = next((path for base in folders if (path := base / name).exists()), None)
        if path is None:
            yield f"{folder.relative_to(ROOT)}/{name}"
        else:
            folders[-1] = path.parent


def test_a_missing_file_of_a_row_is_found() -> None:
    row = "`build.py`; `lab/state.py`, `bench.py`, `gone.py`; `leaves/`; `<tool>/reader.py` |"
    assert list(_find_missing_files(ROOT / "python/wirespeed/plan", row)) == [
        "python/wirespeed/plan/gone.py",
        "python/wirespeed/plan/leaves/",
    ]


@pytest.mark.parametrize("page", HAND_WRITTEN)
def test_commands_and_options_exist(page: str) -> None:
    text = "\n".join(_FENCED.findall(PAGES[page].replace("\\\n", " ")))
    root = typer.main.get_command(app)
    for line in [*_COMMAND.findall(text), *_SPAN.findall(PAGES[page])]:
        words = shlex.split(_BEFORE_AND_AFTER.sub("", line), posix=True)[1:]
        command: Any = root
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]
        names = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        options = words[: words.index("--")] if "--" in words else words
        unknown = {word for word in options if word.startswith("-") and word != "-"} - names - {"--help"}
        assert not unknown, line
        if getattr(command, "commands", {}) and words:
            assert words[0].startswith("-") or words[0].isupper(), f"no such command: {line}"


_PLATFORM_LISTS = [
    (page, block)
    for page in HAND_WRITTEN
    for block in re.findall(
        r"^```console\n(\$ wirespeed list platforms\n.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL
    )
]


@pytest.mark.parametrize(("page", "block"), _PLATFORM_LISTS)
def test_the_shown_list_of_platforms_is_what_the_program_prints(page: str, block: str) -> None:
    """WIRESPEED_ACCEPT=1 writes the page anew."""
    command, _, listed_text = block.partition("\n")
    printed = CliRunner().invoke(app, shlex.split(command)[2:], env={"COLUMNS": "200", "NO_COLOR": "1"}).stdout
    if os.environ.get("WIRESPEED_ACCEPT"):
        path = ROOT / page
        path.write_text(path.read_text(encoding="utf-8").replace(listed_text, printed), encoding="utf-8")
    assert listed_text == printed
