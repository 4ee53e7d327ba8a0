"""Whether what commands name exists: commands and options of droste; packages, targets, features
and tests of cargo."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

# What stands for something else.
PLACEHOLDER = re.compile(r"[A-Z]+")


class Droste:
    """The names of the command droste, as its help lists them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._of = cache(self._read)

    def _read(self, command: tuple[str, ...]) -> tuple[set[str], set[str]]:
        """The commands below a command, and its options."""
        words = [str(self._path), *command, "--help"]
        text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        _, _, list_of_commands = text.partition("\nCommands:\n")
        commands = re.findall(r"^  ([a-z-]+) ", list_of_commands.split("\n\n")[0], re.MULTILINE)
        options = re.findall(r"^ +(?:(-\w), )?(--[\w-]+)", text, re.MULTILINE)
        aliases = re.findall(r"--[\w-]+", " ".join(re.findall(r"\[alias(?:es)?: ([^]]*)]", text)))
        return set(commands), {name for pair in options for name in pair} | set(aliases)

    def is_mention(self, words: list[str]) -> bool:
        """Whether there are only names of commands and options: words that mention a command and
        are not meant to be typed."""
        command, rest = self._command(words)
        return bool(command) and all(word.startswith("-") for word in rest)

    def _command(self, words: list[str]) -> tuple[tuple[str, ...], list[str]]:
        """The command that the words begin with, and the other words."""
        length = 0
        while length < len(words) and words[length] in self._of(tuple(words[:length]))[0]:
            length += 1
        return tuple(words[:length]), words[length:]

    def missing(self, words: list[str]) -> Iterator[str]:
        """What the words name but droste does not have."""
        command, rest = self._command(words)
        commands, options = self._of(command)
        if commands and rest and not rest[0].startswith("-"):
            yield f"droste has no command {' '.join([*command, rest[0]])}"
        for word in rest:
            name = word.split("=")[0]
            if re.fullmatch(r"-\w|--[\w-]+", name) and name not in options:
                yield f"droste {' '.join(command)} has no option {name}"


class Cargo:
    """The packages of the workspace."""

    def __init__(self, root: Path) -> None:
        words = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
        read = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
        self._metadata: dict[str, Any] = json.loads(read.stdout)
        self._packages = {package["name"]: package for package in self._metadata["packages"]}

    def is_default(self, name: str) -> bool:
        """Whether cargo takes this package if none is named."""
        package = self._packages.get(name)
        return package is not None and package["id"] in self._metadata["workspace_default_members"]

    def missing(self, words: list[str]) -> Iterator[str]:
        """What the words after `cargo` name but the workspace does not have."""
        words = words[: words.index("--")] if "--" in words else words
        taken = dict(pairwise(words))
        name = taken.get("-p", taken.get("--package"))
        packages = list(self._packages.values())
        if name is not None and not PLACEHOLDER.fullmatch(name):
            packages = [package for package in packages if package["name"] == name]
            if not packages:
                yield f"there is no package {name}"
        targets = [target for package in packages for target in package["targets"]]
        features = {feature for package in packages for feature in package["features"]}
        filters = words[1:] if words[0] == "test" else []
        for option, value in pairwise(words):
            if option in ("-p", "--package", "--features", "--test", "--example", "--bench"):
                filters = [word for word in filters if word not in (option, value)]
            if PLACEHOLDER.fullmatch(value):
                continue
            if option in ("--test", "--example", "--bench") and not any(
                target["name"] == value and option[2:] in target["kind"] for target in targets
            ):
                yield f"there is no {option[2:]} {value}"
            if option == "--features":
                for feature in set(value.split(",")) - features:
                    yield f"there is no feature {feature}"
        for part in "::".join(word for word in filters if not word.startswith("-")).split("::"):
            if part and not any(has_test(package, part) for package in packages):
                yield f"there is no test or module {part}"


def has_test(package: dict[str, Any], name: str) -> bool:
    """Whether a function or module of a package has this in its name."""
    defined = re.compile(rf"\b(fn|mod) \w*{re.escape(name)}")
    files = Path(package["manifest_path"]).parent.rglob("*.rs")
    return any(defined.search(path.read_text()) for path in files)
