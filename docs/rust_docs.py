"""Doc comments of Rust structs and enums that serde writes as JSON. What is not understood is refused."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wirespeed.errors import refuse

Doc = str
"""A doc comment as one line."""

PLAIN = {"u8", "u16", "u32", "u64", "i8", "f64", "bool"}
_DERIVE = re.compile(r"#\[derive\([\w, ]+\)\]")


@dataclass(frozen=True)
class Field:
    """A field of a struct or of an enum's variant."""

    path: Path
    name: str
    type: str
    doc: Doc

    def item(self) -> Struct | Enum | None:
        """What its type is; None for a number, a truth value or a list of numbers."""
        inner = re.fullmatch(r"Option<(.+)>", self.type)
        name = inner[1] if inner else self.type
        if name in PLAIN or re.fullmatch(r"\[(\w+); [A-Z]+\]", name):
            return None
        return item(*_located(self.path, name))


@dataclass(frozen=True)
class Variant:
    """A variant of an enum; ``word`` is its name in JSON."""

    path: Path
    word: str
    doc: Doc
    fields: tuple[Field, ...]
    type: str | None

    def item(self) -> Struct | None:
        """The struct it holds."""
        if self.type is None:
            return None
        found = item(*_located(self.path, self.type))
        if not isinstance(found, Struct):
            raise refuse(str(self.path), self.type, "a struct")
        return found


@dataclass(frozen=True)
class Struct:
    """A struct with named fields."""

    path: Path
    name: str
    fields: tuple[Field, ...]

    def must_have(self, values: list[Any]) -> None:
        """Refuse JSON objects with other keys."""
        names = [field.name for field in self.fields]
        for value in values:
            if sorted(value) != sorted(names):
                raise refuse(str(self.path), f"the keys {sorted(value)}", f"the fields of {self.name}, {sorted(names)}")


@dataclass(frozen=True)
class Enum:
    """An enum: its variants by a tag among their fields, or words alone."""

    path: Path
    name: str
    tag: str | None
    variants: tuple[Variant, ...]


def module_doc(path: Path) -> Doc:
    """The first paragraph of what a file says of itself."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//! "):
            break
        lines.append(line[4:])
    if not lines:
        raise refuse(str(path), "no comment", "//! in its first line")
    return " ".join(lines)


def strings(path: Path, constant: str) -> list[list[str]]:
    """The words of every array constant of that name, in the order of the file."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(rf"const {constant}: \[&str; (\d+)\] = \[([^\]]*)\];", text)
    lists = [re.findall(r'"(\w+)"', words) for _, words in found]
    if len(lists) != text.count(f"const {constant}:") or [len(one) for one in lists] != [
        int(size) for size, _ in found
    ]:
        raise refuse(str(path), f"another {constant}", "arrays of words")
    return lists


def item(path: Path, name: str) -> Struct | Enum:
    """The struct or enum of that name in a file, or in one of its modules that the file passes on."""
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [n for n, line in enumerate(lines) if re.fullmatch(rf"pub (struct|enum) {name} {{", line)]
    passed_on = [found[1] for line in lines if (found := re.fullmatch(rf"pub use (\w+)::{name};", line))]
    if not starts and len(passed_on) == 1:
        return replace(item(path.with_suffix("") / f"{passed_on[0]}.rs", name), path=path)
    if len(starts) != 1:
        raise refuse(str(path), f"{len(starts)} definitions of {name}", "one struct or enum")
    start = starts[0]
    end = lines.index("}", start)
    attributes = _attributes(lines[:start])
    body = _Body(path, lines[start + 1 : end])
    if lines[start].startswith("pub struct"):
        if "rename" in attributes or "flatten" in "".join(body.lines):
            raise refuse(str(path), f"renamed fields of {name}", "fields as JSON has them")
        return Struct(path, name, tuple(body.fields(r"pub ")))
    if 'rename_all = "kebab-case"' not in attributes:
        raise refuse(str(path), f"{name} without kebab-case", "words as JSON has them")
    tag = re.search(r'tag = "(\w+)"', attributes)
    variants = tuple(body.variants())
    if tag is None and any(variant.fields or variant.type for variant in variants):
        raise refuse(str(path), f"{name} with values and no tag", "a tag")
    return Enum(path, name, tag[1] if tag else None, variants)


def _attributes(lines: list[str]) -> str:
    """The attributes of an item, which stand right above it."""
    found = []
    for line in reversed(lines):
        if not re.fullmatch(r"#\[.*\]", line):
            break
        found.append(line)
    return " ".join(found)


def _located(path: Path, name: str) -> tuple[Path, str]:
    """File and name of a type: in the file itself, or ``module::Type`` in a file of its folder or the folder above."""
    module, _, last = name.rpartition("::")
    if not module:
        return path, last
    for folder in (path.parent, path.parent.parent):
        for file in (folder / f"{module}.rs", folder / module / "mod.rs"):
            if file.is_file():
                return file, last
    raise refuse(str(path), name, "a type in this file, in its folder or in the folder above")


class _Body:
    """The lines between the braces of an item, read in turn."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self.path = path
        self.lines = [line.strip() for line in lines]
        self._at = 0

    def fields(self, visibility: str) -> list[Field]:
        """Fields up to the end, or to the brace that closes a variant."""
        found = []
        while (line := self._next()) not in (None, "},"):
            doc = self._doc(line)
            renamed = re.fullmatch(r'#\[serde\(rename = "(\w+)"\)\]', self._line)
            if renamed and (line := self._next()) is not None:
                self._line = line
            name, type_ = self._match(rf"{visibility}(\w+): ([^,]+),|{visibility}(\w+): (\[\w+; \w+\]),")
            found.append(Field(self.path, renamed[1] if renamed else name, type_, doc))
        return found

    def variants(self) -> list[Variant]:
        """Variants up to the end."""
        found = []
        while (line := self._next()) is not None:
            doc = self._doc(line)
            name, rest = self._match(r"([A-Z]\w*)( \{\},| \{|\([\w:]+\),|,)")
            fields = self.fields("") if rest == " {" else []
            type_ = rest[1:-2] if rest.startswith("(") else None
            word = re.sub(r"(?<!^)([A-Z])", r"-\1", name).lower()
            found.append(Variant(self.path, word, doc, tuple(fields), type_))
        return found

    def _doc(self, line: str | None) -> Doc:
        """The comment that begins with ``line``; what it explains is the current line after it."""
        said = []
        while line is not None and line.startswith("///"):
            said.append(line[3:].strip())
            line = self._next()
        if not said or line is None:
            raise refuse(str(self.path), f"{line!r}", "a doc comment and what it explains")
        self._line = line
        return " ".join(said)

    def _match(self, pattern: str) -> list[str]:
        found = re.fullmatch(pattern, self._line)
        if found is None:
            raise refuse(str(self.path), f"{self._line!r}", "a field or variant with its doc comment")
        return [group for group in found.groups() if group is not None]

    def _next(self) -> str | None:
        """The next line that says something to serde or to a reader; ordinary comments do not."""
        while self._at < len(self.lines):
            line = self.lines[self._at]
            self._at += 1
            if line and not re.match(r"//(?!/)", line):
                return line
        return None
