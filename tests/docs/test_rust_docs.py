"""Reading doc comments of Rust data: what is understood, and that everything else is refused."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from wirespeed.errors import Refused

SOURCE = Path(__file__).parents[2] / "docs" / "rust_docs.py"
STRUCT = """
/// What a port is.
#[derive(Debug)]
pub struct Port {
    /// Its rate, in
    /// Gb/s.
    pub gbps: u32,
    // Of no interest to a reader.
    /// How it stops.
    pub stop: Option<Stop>,
    /// One for each.
    pub weights: [u32; PRIORITIES],
}

/// How a port stops.
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Stop {
    /// At once.
    AtOnce {},
    /// Later.
    Later {
        /// Nanoseconds.
        ns: u64,
    },
}
"""


@pytest.fixture(scope="module")
def rust_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rust_docs", SOURCE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def written(folder: Path, text: str) -> Path:
    path = folder / "source.rs"
    path.write_text(text)
    return path


def test_a_struct_of_a_module_that_the_file_passes_on(rust_docs: ModuleType, tmp_path: Path) -> None:
    inner = tmp_path / "source" / "ports.rs"
    inner.parent.mkdir()
    inner.write_text(STRUCT)
    outer = written(tmp_path, "//! Of ports.\n\nmod ports;\npub use ports::Port;\n")
    port = rust_docs.item(outer, "Port")
    assert (port.path, port.fields) == (outer, rust_docs.item(inner, "Port").fields)


def test_a_struct_and_what_is_in_it(rust_docs: ModuleType, tmp_path: Path) -> None:
    port = rust_docs.item(written(tmp_path, STRUCT), "Port")
    assert [(field.name, field.doc) for field in port.fields] == [
        ("gbps", "Its rate, in Gb/s."),
        ("stop", "How it stops."),
        ("weights", "One for each."),
    ]
    rate, stop, weights = (field.item() for field in port.fields)
    assert rate is None and weights is None
    assert stop.tag == "rule"
    assert [(one.word, one.doc, [field.name for field in one.fields]) for one in stop.variants] == [
        ("at-once", "At once.", []),
        ("later", "Later.", ["ns"]),
    ]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("    /// How it stops.\n", "", "a doc comment"),
        ("pub gbps: u32,", "gbps: u32,", "a field or variant"),
        ("pub gbps: u32,", "pub gbps: (u32, u32),", "a field or variant"),
        ("pub gbps: u32,", "#[serde(flatten)]\n    pub gbps: u32,", "renamed fields"),
        ("#[derive(Debug)]", '#[serde(rename_all = "camelCase")]', "renamed fields"),
        (', rename_all = "kebab-case"', "", "Stop without kebab-case"),
        ('tag = "rule", ', "", "Stop with values and no tag"),
        ("Option<Stop>", "Option<Halt>", "0 definitions of Halt"),
        ("Option<Stop>", "Option<other::Stop>", "other::Stop"),
        ("AtOnce {}", "AtOnce = 1", "a field or variant"),
    ],
)
def test_what_is_not_understood_is_refused(
    rust_docs: ModuleType, tmp_path: Path, old: str, new: str, found: str
) -> None:
    path = written(tmp_path, STRUCT.replace(old, new))
    with pytest.raises(Refused, match=found):
        for field in rust_docs.item(path, "Port").fields:
            field.item()


def test_keys_that_json_has_and_the_struct_has_not_are_refused(rust_docs: ModuleType, tmp_path: Path) -> None:
    port = rust_docs.item(written(tmp_path, STRUCT), "Port")
    port.must_have([{"gbps": 1, "stop": None, "weights": []}])
    with pytest.raises(Refused, match="the fields of Port"):
        port.must_have([{"gbps": 1, "stop": None}])


@pytest.mark.parametrize(
    "text", ['const KEYS: [&str; 2] = ["a"];', "const KEYS: [&str; 1] = OTHER;", 'const KEYS: &[&str] = &["a"];']
)
def test_other_constants_are_refused(rust_docs: ModuleType, tmp_path: Path, text: str) -> None:
    good = 'const KEYS: [&str; 2] = [\n    "a",\n    "b",\n];\n'
    assert rust_docs.strings(written(tmp_path, good), "KEYS") == [["a", "b"]]
    with pytest.raises(Refused, match="another KEYS"):
        rust_docs.strings(written(tmp_path, good + text), "KEYS")
