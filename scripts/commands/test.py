#!/usr/bin/env python3
"""What is wrong in a document is found."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path

from documents import Command, Output, read
from names import Cargo
from shell import difference, shell

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = """
A `cargo test -p a` in a sentence, a bare `scripts/wasm`, and

    droste run unmarked

# Section

```sh
# Only a comment.
droste prove a.rs \\
    -o a.proof  # with a comment
for name in a b; do
    echo $name
done
```

```text
a    1.5 s
```

# No commands

```text
a picture
```
"""


class Documents(unittest.TestCase):
    """What is read."""

    def test_commands_and_outputs_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.md").write_text(DOCUMENT)
            sections = read(Path(folder), "a.md")
        items = [item for section in sections for item in section]
        commands = [(item.line, item.words) for item in items if isinstance(item, Command)]
        expected = [
            (4, "droste run unmarked"),
            (2, "cargo test -p a"),
            (10, "droste prove a.rs -o a.proof"),
            (12, "for name in a b; do echo $name done"),
        ]
        self.assertEqual(sorted(commands), sorted(expected))
        self.assertEqual(
            [item.lines for item in items if isinstance(item, Output)], [["a    1.5 s"]]
        )


class Shells(unittest.TestCase):
    """What is run."""

    def test_state_is_kept_until_a_command_fails(self) -> None:
        with tempfile.TemporaryDirectory() as tools, shell(ROOT, Path(tools), os.environ) as typed:
            self.assertEqual(
                typed.run("a=1; echo 'key set   2, derived'").values(), {"key set": "2"}
            )
            self.assertEqual(typed.run("echo $a; cat; ls README.md").output, "1\nREADME.md\n")
            failed = typed.run("echo b >&2; false | true; echo c")
            self.assertEqual((failed.status, failed.output, failed.errors), (1, "", "b\n"))

    def test_times_may_differ_and_nothing_else(self) -> None:
        shown = ["step    cycles  prove", "leaf    48      11 ms"]
        self.assertEqual(difference(shown, "step  cycles  prove\nleaf  48  1.25 ms\n"), [])
        for printed in ("step  cycles  prove\n", "step  cycles  prove\nleaf  49  11 ms\n"):
            self.assertNotEqual(difference(shown, printed), [])


class Names(unittest.TestCase):
    """What commands name."""

    def test_what_cargo_does_not_have_is_missing(self) -> None:
        cargo = Cargo(ROOT)
        right = "test -p droste-tests --test vm forged::"
        self.assertEqual(list(cargo.missing(right.split())), [])
        for found, other in [
            ("droste-tests", "droste-test"),
            ("--test vm", "--test vms"),
            ("--test vm", "--example vm"),
            ("--test vm", "--features vm"),
            ("forged", "forgotten"),
        ]:
            wrong = right.replace(found, other)
            self.assertNotEqual(list(cargo.missing(wrong.split())), [], wrong)


if __name__ == "__main__":
    unittest.main()
