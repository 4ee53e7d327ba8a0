"""The commands that documents print, and what documents print of their outputs."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# What a command begins with where it stands between backticks in a sentence or a table.
PROGRAM = re.compile(
    r"""(time\ |[A-Z_]+=("[^"]*"|\S+)\ )*
    (droste|droste-bench|cargo|pip|python3?|(\.ci|scripts|tests/report|python/bench)/\S+)\ """,
    re.VERBOSE,
)
SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
COMMENT = re.compile(r"(^|\s+)#( .*)?$")


@dataclass(frozen=True)
class Command:
    """A command as a document prints it, without comments."""

    document: str
    line: int
    text: str
    in_block: bool

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def words(self) -> str:
        """The text on one line, with single spaces."""
        return " ".join(self.text.replace("\\\n", " ").split())


@dataclass(frozen=True)
class Output:
    """What one of the commands before it, in the same section, prints."""

    document: str
    line: int
    lines: list[str]

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"


# Commands and outputs under one heading, in the order of the document.
Section = list[Command | Output]


def is_complete(text: str) -> bool:
    """Whether the shell takes the lines so far for whole commands."""
    if text.rstrip("\n").endswith("\\"):
        return False
    return subprocess.run(["bash", "-n", "-c", text], capture_output=True).returncode == 0


def commands_of_block(first: int, lines: list[str]) -> Iterator[tuple[int, str]]:
    """The commands of a block, each with its line."""
    start, text = first, ""
    for number, line in enumerate(lines, first):
        line = COMMENT.sub("", line)
        if not text and not line.strip():
            continue
        start = start if text else number
        text += line + "\n"
        if is_complete(text):
            yield start, text.strip()
            text = ""
    if text:
        # The shell says what is wrong with it.
        yield start, text.strip()


def commands_of_paragraph(first: int, lines: list[str]) -> Iterator[tuple[int, str]]:
    """The commands between backticks, each with its line."""
    text = "\n".join(lines)
    for span in SPAN.finditer(text):
        words = " ".join(span[1].split())
        if PROGRAM.match(words):
            yield first + text.count("\n", 0, span.start()), words


def read(root: Path, document: str) -> list[Section]:
    """The sections of a document. A block of code that is marked `sh` has commands, one that is
    marked `text` an output, if its section has commands."""
    sections: list[Section] = [[]]
    paragraph: list[str] = []
    block: list[str] = []
    fence: str | None = None
    first = 1

    def end_of_paragraph() -> None:
        for line, text in commands_of_paragraph(first, paragraph):
            sections[-1].append(Command(document, line, text, False))
        paragraph.clear()

    def end_of_block() -> None:
        items = sections[-1]
        if fence == "sh":
            for line, text in commands_of_block(first, block):
                items.append(Command(document, line, text, True))
        elif fence == "text" and any(isinstance(item, Command) for item in items):
            items.append(Output(document, first, list(block)))
        block.clear()

    for number, line in enumerate((root / document).read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            if fence is None:
                end_of_paragraph()
                fence, first = line.strip().removeprefix("```"), number + 1
            else:
                end_of_block()
                fence = None
        elif fence is not None:
            block.append(line)
        elif not line.strip() or line.startswith("#"):
            end_of_paragraph()
            if line.startswith("#"):
                sections.append([])
        elif not paragraph and line.startswith("    ") and PROGRAM.match(line.strip()):
            # Of a block that is not marked.
            sections[-1].append(Command(document, number, line.strip(), True))
        else:
            if not paragraph:
                first = number
            paragraph.append(line)
    end_of_paragraph()
    return sections


def documents(root: Path) -> list[str]:
    """All documents, in the order of their names."""
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=root, capture_output=True, text=True, check=True
    )
    return listed.stdout.split()
