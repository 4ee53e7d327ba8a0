"""A shell in a folder of its own, and the comparison of outputs."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Figures that differ from run to run.
MEASURED = re.compile(r"\d+(\.\d+)? (ms|s)\b")


@dataclass(frozen=True)
class Done:
    """What came of a command."""

    status: int
    output: str
    errors: str
    seconds: float

    def values(self) -> dict[str, str]:
        """The values of the tables that were printed, by name, without remarks after a comma. The
        last of each name counts."""
        rows = re.findall(r"^(\S.*?)  +(.*?)(?:, .*)?$", self.output, re.MULTILINE)
        return dict(rows)


class Shell:
    """Runs commands one after the other. It ends with the first that fails."""

    def __init__(self, folder: Path, outputs: Path, variables: Mapping[str, str]) -> None:
        self._output, self._errors = outputs / "output", outputs / "errors"
        # The shell writes a byte after each command.
        self._done, done = os.pipe()
        self._say_done = f"printf . >&{done}"
        self._process = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail"],
            stdin=subprocess.PIPE,
            cwd=folder,
            env=variables,
            pass_fds=[done],
            text=True,
        )
        os.close(done)

    def run(self, command: str) -> Done:
        """Runs a command, as if it were typed."""
        begin = time.monotonic()
        assert self._process.stdin is not None
        self._process.stdin.write(
            f"{{\n{command}\n}} </dev/null >{self._output} 2>{self._errors}\n{self._say_done}\n"
        )
        self._process.stdin.flush()
        status = 0 if os.read(self._done, 1) else self._process.wait()
        output, errors = (
            path.read_text(errors="replace") if path.exists() else ""
            for path in (self._output, self._errors)
        )
        return Done(status, output, errors, time.monotonic() - begin)

    def close(self) -> None:
        """Ends the shell."""
        self._process.kill()
        self._process.communicate()
        os.close(self._done)


@contextmanager
def shell(root: Path, tools: Path, variables: Mapping[str, str]) -> Iterator[Shell]:
    """A shell in a new folder in which everything in the root of the repository seems to be, and
    the tools in target/release. They are found without a path."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "folder"
        (folder / "target").mkdir(parents=True)
        (folder / "target/release").symlink_to(tools)
        listed = subprocess.run(
            ["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True
        )
        for name in {path.split("/")[0] for path in listed.stdout.splitlines()}:
            (folder / name).symlink_to(root / name)
        variables = {**variables, "PATH": f"{tools}:{variables['PATH']}"}
        begun = Shell(folder, Path(temporary), variables)
        try:
            yield begun
        finally:
            begun.close()


def plain(lines: list[str]) -> list[str]:
    """Lines without what may differ: figures that are measured, and the widths of columns."""
    return [" ".join(MEASURED.sub(r"0 \2", line).split()) for line in lines]


def difference(shown: list[str], printed: str) -> list[str]:
    """How an output differs from what a document shows. It does not if this is empty."""
    return list(
        difflib.unified_diff(
            plain(shown), plain(printed.splitlines()), "document", "command", lineterm="", n=1
        )
    )
