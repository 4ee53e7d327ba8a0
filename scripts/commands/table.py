"""How each command of a document is run, as table.toml and .ci/run say."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from documents import Command
from names import Cargo

# What builds the command and runs it.
FROM_SOURCE = "cargo run --release -p droste-cli -- "
# A word in capitals, with the option before it.
WORD = re.compile(r"(?:(--[\w-]+) )?(?<![\w$./'\"-])([A-Z]+)(?![\w=(])")


@dataclass(frozen=True)
class Way:
    """How a command is run: `why` says who runs it, or why nobody does."""

    why: str
    is_run: bool = False
    is_long: bool = False
    in_folder: bool = False


class Table:
    """What table.toml says."""

    def __init__(self, root: Path, cargo: Cargo) -> None:
        path = Path(__file__).with_name("table.toml")
        self._table: dict[str, Any] = tomllib.loads(path.read_text())
        self._root = root
        self._cargo = cargo
        self._unused: set[str] = set()
        self._listed: dict[str, Way] = {}
        for group in self._table["listed"]:
            why = "; ".join(group[key] for key in ("by", "why") if key in group)
            way = Way(why, False, group.get("long", False), group.get("in_folder", False))
            self._listed |= dict.fromkeys(group["commands"], way)
        self._unused.update(self._listed)
        steps = re.findall(r"^(?:\w+=\".*\" )?step (.*)$", (root / ".ci/run").read_text(), re.M)
        self._steps = [step.split(' "$')[0] for step in steps]

    def way(self, command: Command) -> Way | None:
        """How the command is run, if that is known."""
        words = command.words
        listed = self._listed_as(words)
        if listed is not None:
            self._unused.discard(listed)
            return self._listed[listed]
        reason = self._document(command.document).get("not_run")
        if reason is not None:
            return Way(reason)
        for step in self._steps:
            if f"{words} ".startswith(f"{step} "):
                return Way(f"a step of .ci/run: {step}")
        if words.startswith("cargo test ") and self._is_of_all_tests(words.split()):
            return Way("a step of .ci/run: cargo test --all-features")
        if words.startswith(FROM_SOURCE) or words.split()[0] in self._table["programs"]:
            return Way("", is_run=True, in_folder=not words.startswith(FROM_SOURCE))
        return None

    def _listed_as(self, words: str) -> str | None:
        """What lists the words: themselves, or the longest of what they begin with."""
        beginnings = (
            listed
            for listed in self._listed
            if listed.endswith(" ..") and f"{words} ".startswith(listed[:-2])
        )
        return words if words in self._listed else max(beginnings, key=len, default=None)

    def _is_of_all_tests(self, words: list[str]) -> bool:
        """Whether `cargo test --all-features` has all that this runs."""
        package = words[words.index("-p") + 1] if "-p" in words else ""
        return not {"--", "--release"} & set(words) and self._cargo.is_default(package)

    def faults(self) -> Iterator[str]:
        """What is listed but in no document, or refers to a test that is not there. All commands
        must have been asked for before."""
        for command in sorted(self._unused):
            yield f"no document has this command of table.toml: {command}"
        for group in self._table["listed"]:
            for path, _, name in (by.partition("::") for by in group.get("by", "").split(", ")):
                file = self._root / path
                if not file.exists() or (name and not defines(file, name)):
                    yield f"there is no {path}::{name}, which table.toml names"

    def _document(self, document: str) -> dict[str, Any]:
        found: dict[str, Any] = self._table["documents"].get(document, {})
        return found

    def before(self, document: str) -> str:
        """What is run before a document's commands."""
        functions: str = self._table["functions"]
        return functions + str(self._document(document).get("before", ""))

    def filled(self, command: Command, printed: Mapping[str, str]) -> str:
        """The command, with values in place of words in capitals. A `KeyError` names a value that
        no command has printed."""
        words: dict[str, str] = self._document(command.document).get("words", {})

        def value(found: re.Match[str]) -> str:
            option, word = found[1], found[2]
            if option in self._table["printed"]:
                return f"{option} {printed[self._table['printed'][option]]}"
            return f"{option} " * (option is not None) + words.get(word, word)

        return WORD.sub(value, command.text)


def defines(file: Path, name: str) -> bool:
    """Whether a file defines a function of this name."""
    return re.search(rf"\b(fn|def) {re.escape(name)}\b", file.read_text()) is not None
