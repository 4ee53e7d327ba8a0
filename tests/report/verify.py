"""Opens the page that verifies in a headless Chromium and checks it.

Usage: verify.py DROSTE FOLDER PAGE, the command, a folder for what it makes, and verify.html.
"""

import base64
import json
import math
import os
import random
import re
import sys
import unittest
from pathlib import Path

from playwright.sync_api import expect

from check import DROSTE, FOLDER, HOSTILE, PROGRAM, ROOT, Browser, aggregate, droste
from timing import median_ms

PAGE = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
MUTATIONS = 200
# A join at `proven-120` takes the command a minute of CPU time in the development profile.
PRESETS = os.environ.get("PRESETS", "toy").split()
LARGEST = 64 * 2**20
NOBODY = "not verified: nobody vouches for these keys"
OTHER = "11" * 32
RULES = ROOT / "programs/src/folds/repeat.rs"

# Calls the verifier on files in base64, and says how each call ended: with what it said of the file,
# the kind of a refusal, or what else was thrown, as a panic is.
CALLS = """([files, expected, name]) => files.map((file) => {
    const bytes = Uint8Array.from(atob(file), (one) => one.charCodeAt(0));
    try {
        const said = droste[name](bytes, ...(expected ? [expected] : []));
        return `accepted: ${JSON.stringify({ ...said, verify_ms: 0 })}`;
    } catch (error) {
        return error.name === "Refusal" ? error.kind : `failed: ${error}`;
    }
})"""


def fold(preset):
    """A fold: a start and one step. It is made once for a command."""
    path = FOLDER / f"{preset}.fold"
    if not path.exists() or path.stat().st_mtime < DROSTE.stat().st_mtime:
        hints = FOLDER / "x.json"
        hints.write_text(json.dumps([{"slice": [[1, 2, 3, 4, 5, 6, 7, 8]]}]))
        droste("fold", "step", RULES, "start", "--hints", hints, "--preset", preset, "-o", "start.fold")
        droste("fold", "step", RULES, "step", "start.fold", "--preset", preset, "-o", path)
    return path


def mutations(content):
    """Files that are almost `content`, the same ones in every run."""
    chance = random.Random(1)
    for number in range(MUTATIONS):
        changed = bytearray(content)
        match number % 8:
            case 0:
                del changed[chance.randrange(len(changed)) :]
            case 1:
                changed += chance.randbytes(chance.randrange(1, 64))
            case 2:
                start = chance.randrange(len(changed))
                del changed[start : start + chance.randrange(1, 16)]
            case 3:
                place = chance.randrange(len(changed))
                changed[place:place] = chance.randbytes(chance.randrange(1, 16))
            case _:
                # Half of them near the start, where keys and tree are.
                within = min(len(changed), 1024) if number % 2 else len(changed)
                for _ in range(chance.choice([1, 1, 2, 8])):
                    changed[chance.randrange(within)] ^= chance.randrange(1, 256)
        # Two changes of one byte can cancel.
        if changed != content:
            yield bytes(changed)


def trees(content):
    """The toy aggregate with trees as deep and as wide as files may have them, and deeper, and with
    numbers of children that are those of a tree modulo 2^32."""
    # Five nodes: a root, and two times a wrap and its leaf.
    nodes = re.search(rb"\x05(\x01.)\x02((\x01.\x01)(\x00..{32}))\2", content, re.DOTALL)
    root, wrap, leaf = nodes[1], nodes[3], nodes[4]
    number = lambda value: bytes([value]) if value < 251 else b"\xfb" + value.to_bytes(2, "little")
    for count, tree in [
        (1024, wrap * 1023 + leaf),
        (1025, wrap * 1024 + leaf),
        (60000, wrap * 59999 + leaf),
        (60000, root + number(59999) + leaf * 59999),
        (4, root + b"\x03" + root + b"\xfc\xff\xff\xff\xff" + wrap + leaf),
    ]:
        yield content[: nodes.start()] + number(count) + tree + content[nodes.end() :]


class Verify(Browser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = aggregate("toy")
        cls.said = json.loads(droste("inspect", cls.path, "--format", "json"))
        leaf = json.loads(droste("key", PROGRAM, "--preset", "toy", "--format", "json"))
        cls.expected = {"key": cls.said["key"], "claim": cls.said["claim"], "leaves": [leaf["key"]], "min_bits": cls.said["proven_bits"]}
        cls.member = FOLDER / "one.member"
        droste("member", cls.path, "--leaf", "1", "-o", cls.member)
        cls.fold = fold("toy")
        cls.folded = json.loads(droste("fold", "inspect", cls.fold, "--format", "json"))
        limits = {"min_bits": cls.folded["proven_bits"], "min_tree_bits": 0, "max_proofs": 2, "max_depth": 1}
        cls.of_fold = {"key": cls.folded["key"], "state": cls.folded["state"]} | limits

    def open(self, path=PAGE, width=1280, theme="light"):
        page = super().open(path, width, theme)
        expect(page.locator("#verdict")).to_have_attribute("data-state", "waiting", timeout=60000)
        return page

    def give(self, page, path, **changes):
        """Chooses a file and says what is expected, and waits for the verdict."""
        honest = self.of_fold if path == self.fold else self.expected
        expected = honest | changes if changes.get("key", "") is not None else {}
        page.fill("#all", json.dumps(expected))
        page.set_input_files("#file", path)
        return self.verdict(page)

    def verdict(self, page):
        # On a busy machine the page may begin later than after the first wait.
        for _ in range(2):
            page.wait_for_timeout(300)
            expect(page.locator("#verdict")).not_to_have_attribute(
                "data-state", re.compile("working|waiting"), timeout=60000
            )
        return page.locator("#verdict")

    def calls(self, page, files, expected, name="verifyAggregate"):
        encoded = [base64.b64encode(file).decode() for file in files]
        return page.evaluate(CALLS, [encoded, expected, name])

    def test_an_honest_aggregate_is_verified(self):
        page = self.open()
        verdict = self.give(page, self.path)
        expect(verdict.locator("h2")).to_have_text("verified")
        self.assertEqual(verdict.get_attribute("data-state"), "verified")
        self.assertIn("fewer than 100 bits", verdict.inner_text())
        self.assertRegex(verdict.inner_text(), r"It took [\d.,]+ m?s")
        text = page.locator("#result").inner_text()
        root = self.said["root_security"]
        for part in [self.said["key"], self.said["claim"], "the expected ones", "toy.wrap", root["with_eprint_2026_2056"]["weakest"]]:
            self.assertIn(part, text)
        row = lambda name: page.locator(f"tr:has(th:text-is('{name}')) td").first.get_attribute("data-value")
        self.assertEqual(int(row("without ePrint 2026/2056")), root["without_eprint_2026_2056"]["bits"])
        self.assertEqual(int(row("with ePrint 2026/2056")), root["with_eprint_2026_2056"]["bits"])
        # Rounded down.
        sums = page.locator("td[data-name='bits of the sum']").all_inner_texts()
        bounds = [root[name]["sum"] for name in ["without_eprint_2026_2056", "with_eprint_2026_2056"]]
        self.assertEqual(sums, [f"{math.floor(10 * bits) / 10:.1f}" for bits in bounds])
        self.assertIn("collisions of digests leave 123.9 bits", text)
        self.assertIn(f"{self.said['proven_bits']} proven bits, the tree {self.said['tree_bits']}", verdict.inner_text())
        leaves = page.locator("[role=treeitem]:not([aria-expanded])")
        self.assertEqual(leaves.count(), 2)
        self.assertIn("5, 120", leaves.first.inner_text())
        self.assertIn(self.expected["leaves"][0][:8], leaves.first.inner_text())
        # Another file takes the place of what was shown.
        page.set_input_files("#file", self.member)
        self.verdict(page)
        self.assertEqual(page.locator("[role=treeitem]").count(), 0)
        self.quiet(page, PAGE)

    def test_what_is_not_expected_is_refused_with_its_reason(self):
        page = self.open()
        for kind, changes, words in [
            ("key", {"key": OTHER}, f"the key set is {self.said['key']}, expected {OTHER}"),
            ("claim", {"claim": OTHER}, f"the claim is {self.said['claim']}, expected {OTHER}"),
            ("leaf", {"leaves": [OTHER]}, "but not one of the keys accepted for leaves"),
            ("bits", {"min_bits": 100}, f"have {self.said['proven_bits']} proven bits of security, expected at least 100"),
            ("bits", {"min_tree_bits": 100}, "expected at least 100"),
            ("expected", {"claim": OTHER[1:]}, "expected 64 hexadecimal digits"),
            ("expected", {"claim": ""}, "there is no claim"),
            ("expected", {"leaves": []}, "there is no leaves"),
            ("expected", {"min_bits": "many"}, "is no number of bits"),
            ("expected", {"leaves": ["any"]}, "not an object with these fields"),
            ("expected", {"more": 1}, "not an object with these fields"),
            ("expected", {"toString": 1}, "not an object with these fields"),
        ]:
            verdict = self.give(page, self.path, **changes)
            expect(verdict.locator("h2")).to_have_text("not verified")
            self.assertEqual(verdict.get_attribute("data-kind"), kind, changes)
            self.assertIn(words, verdict.inner_text())
            self.assertEqual(page.locator("#result > *").count(), 0, changes)
        self.assertEqual(self.give(page, self.path).get_attribute("data-state"), "verified")
        # What was wrong with a JSON text is forgotten with it.
        for text, state in [("{", "unasked"), ("", "verified")]:
            page.fill("#all", text)
            self.assertEqual(self.verdict(page).get_attribute("data-state"), state)
        # Whoever calls the verifier is told of a misspelt field, too, and of values that are none.
        content = [self.path.read_bytes()]
        for changes in [{"minBits": 100}, {"min_bits": "100"}, {"min_bits": -1}, {"min_bits": 0.5}, {"leaves": ["any"]}, {"leaves": 0}]:
            self.assertEqual(self.calls(page, content, self.expected | changes), ["expected"], changes)
        self.quiet(page, PAGE)

    def test_fields_are_typed_and_files_dropped(self):
        page = self.open()
        page.evaluate(
            """([file, name]) => {
                const bytes = Uint8Array.from(atob(file), (one) => one.charCodeAt(0));
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([bytes], name));
                document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
            }""",
            [base64.b64encode(self.path.read_bytes()).decode(), HOSTILE],
        )
        verdict = self.verdict(page)
        expect(verdict.locator("h2")).to_have_text(NOBODY)
        self.assertIn("claimed by the file", page.locator("#result").inner_text())
        self.assertIn(HOSTILE, page.locator("#result").inner_text())
        for name in ["key", "claim", "leaves", "min_bits"]:
            value = self.expected[name]
            page.fill(f"#{name}", "\n".join([OTHER, *value]) if name == "leaves" else f" {value}\n" if name == "key" else str(value))
        expect(verdict.locator("h2")).to_have_text("verified", timeout=60000)
        page.fill("#leaves", "any")
        expect(verdict).to_contain_text("Leaves may have any key", timeout=60000)
        page.fill("#key", HOSTILE)
        expect(verdict.locator("h2")).to_have_text("not verified", timeout=60000)
        page.fill("#all", json.dumps({name: HOSTILE for name in self.expected}))
        page.wait_for_timeout(400)
        expect(verdict.locator("h2")).to_have_text("not verified")
        self.quiet(page, PAGE)

    def test_files_of_other_kinds_are_named(self):
        page = self.open()
        last = FOLDER / "toy.exit"
        droste("exit", self.path, "--preset", "toy", "--exit-preset", "toy", "-o", last)
        for path, words in [(last, "a last proof, as droste exit writes it"), (FOLDER / "five.proof", "the proof of a program")]:
            for key in [self.expected["key"], None]:
                verdict = self.give(page, path, key=key)
                self.assertEqual(verdict.get_attribute("data-kind"), "file")
                self.assertIn(words, verdict.inner_text())
        self.quiet(page, PAGE)

    def test_on_a_phone_the_verdict_follows_what_is_expected(self):
        for width, below in [(390, True), (1280, False)]:
            page = self.open(width=width)
            self.give(page, self.path)
            verdict, form = (page.locator(name).bounding_box() for name in ["#verdict", "form"])
            self.assertEqual(verdict["y"] >= form["y"] + form["height"], below)
            # Nothing of the table of bits has to be scrolled to.
            table = page.locator("td[data-name='bits of the sum']").first.locator("xpath=ancestor::div[1]")
            self.assertLessEqual(*table.evaluate("one => [one.scrollWidth, one.clientWidth]"))
            self.quiet(page, PAGE)

    def test_memberships_are_verified(self):
        page = self.open()
        verdict = self.give(page, self.member)
        expect(verdict.locator("h2")).to_have_text("verified")
        self.assertIn("5, 120", page.locator("#result").inner_text())
        for kind, changes in [("key", {"key": OTHER}), ("claim", {"claim": OTHER}), ("leaf", {"leaves": [OTHER]}), ("bits", {"min_bits": 100})]:
            self.assertEqual(self.give(page, self.member, **changes).get_attribute("data-kind"), kind)
        expect(self.give(page, self.member, key=None).locator("h2")).to_have_text(NOBODY)
        changed = list(mutations(self.member.read_bytes()))
        ends = self.calls(page, changed, self.expected, "verifyMembership")
        self.assertEqual([end for end in ends if end.startswith(("accepted", "failed"))], [])
        self.quiet(page, PAGE)

    def test_folds_are_verified(self):
        page = self.open()
        self.assertEqual([page.locator(name).is_visible() for name in ["#claim", "#state"]], [True, False])
        verdict = self.give(page, self.fold)
        expect(verdict.locator("h2")).to_have_text("verified")
        self.assertEqual([page.locator(name).is_visible() for name in ["#claim", "#state"]], [False, True])
        self.assertIn("It says the state that you expect", verdict.inner_text())
        self.assertIn("fewer than 100 bits", verdict.inner_text())
        text = page.locator("#result").inner_text()
        first = "".join(f"{number:02x}000000" for number in range(1, 9))
        for part in [self.folded["key"], *self.folded["rules"], "the expected ones", "1, 2, 3, 4, 5, 6, 7, 8", first]:
            self.assertIn(part, text)
        self.assertIn("One proof stands for 2 proofs", text)
        for kind, changes, words in [
            ("key", {"key": OTHER}, f"the fold key is {self.folded['key']}, expected {OTHER}"),
            ("key", {"key": self.folded["rules"][0]}, "has as a rule key"),
            ("state", {"state": [[0] * 8, *self.folded["state"][1:]]}, "first in block 0"),
            ("state", {"state": self.folded["state"][1:]}, "expected 2"),
            ("state", {"state": []}, "expected 0"),
            ("bits", {"max_proofs": 1}, "2 proofs were made for it, expected at most 1"),
            ("bits", {"max_depth": 0}, "expected at most 0"),
            ("bits", {"min_bits": 100}, "expected at least 100"),
            ("bits", {"min_tree_bits": 100}, "expected at least 100"),
            ("expected", {"key": ""}, "there is no key"),
            ("expected", {"claim": OTHER}, "so it has no claim"),
            ("expected", {"state": ""}, "there is no state"),
            ("expected", {"state": "null"}, "must be a list of lists of eight integers or `any`"),
            ("expected", {"state": "all"}, "nor a JSON list"),
            ("expected", {"state": '"all"'}, "a list of blocks or `any`, not `all`"),
            ("expected", {"state": "[1, 2"}, "nor a JSON list"),
            ("expected", {"state": [[1]]}, "has 1 integers, expected 8"),
            ("expected", {"state": [[1] * 9]}, "has 9 integers, expected 8"),
            ("expected", {"state": [[2**31] * 8]}, "not below"),
            ("expected", {"max_proofs": "many"}, "is no number of proofs"),
        ]:
            verdict = self.give(page, self.fold, **changes)
            expect(verdict.locator("h2")).to_have_text("not verified")
            self.assertEqual(verdict.get_attribute("data-kind"), kind, changes)
            self.assertIn(words, verdict.inner_text())
            self.assertEqual(page.locator("#result > *").count(), 0, changes)
        verdict = self.give(page, self.fold, state="any")
        expect(verdict.locator("h2")).to_have_text("verified")
        self.assertIn("You accept any state", verdict.inner_text())
        verdict = self.give(page, self.fold, key=None)
        expect(verdict.locator("h2")).to_have_text(NOBODY)
        self.assertIn("claimed by the file", page.locator("#result").inner_text())
        # Of an aggregate no state is expected.
        self.assertIn("no fold, so it has no state", self.give(page, self.path, state="[]").inner_text())
        content = self.fold.read_bytes()
        [honest] = self.calls(page, [content], self.of_fold, "verifyFold")
        self.assertTrue(honest.startswith("accepted"), honest)
        changed = list(mutations(content))
        ends = self.calls(page, changed, self.of_fold, "verifyFold") + self.calls(page, changed, None, "inspectFold")
        self.assertEqual([end for end in ends if end.startswith(("accepted", "failed"))], [])
        for changes in [{"maxProofs": 1}, {"max_proofs": "1"}, {"max_depth": -1}, {"max_depth": 2**32}, {"state": [[0.5] * 8]}, {"state": None}]:
            self.assertEqual(self.calls(page, [content], self.of_fold | changes, "verifyFold"), ["expected"], changes)
        # A field that was never set is not `any`.
        kind = page.evaluate(
            """(expected) => {
                try { return droste.verifyFold(new Uint8Array(), { ...expected, state: undefined }); } catch (error) { return error.kind; }
            }""",
            self.of_fold,
        )
        self.assertEqual(kind, "expected")
        self.quiet(page, PAGE)

    def test_changed_files_are_refused_and_none_stops_the_verifier(self):
        page = self.open()
        content = self.path.read_bytes()
        [honest] = self.calls(page, [content], self.expected)
        self.assertTrue(honest.startswith("accepted"), honest)
        changed = list(mutations(content))
        self.assertGreaterEqual(len(changed), MUTATIONS - 2)
        ends = []
        for start in range(0, len(changed), 20):
            ends += self.calls(page, changed[start : start + 20], self.expected)
        self.assertEqual([end for end in ends if end.startswith("failed")], [])
        # The recipes of recursion keys, which are not read if the keys are the expected ones: nothing else
        # can change, and the command accepts the same files.
        accepted = [file for file, end in zip(changed, ends, strict=True) if end.startswith("accepted")]
        self.assertLess(len(accepted), 5)
        self.assertLessEqual({end for end in ends if end.startswith("accepted")}, {honest})
        for file in accepted:
            (FOLDER / "changed.wrap").write_bytes(file)
            leaf, bits = self.expected["leaves"][0], str(self.expected["min_bits"])
            droste("verify", "changed.wrap", "--key", self.expected["key"], "--leaf", leaf, "--claim", self.expected["claim"], "--min-bits", bits)
        # Not all fail for one reason.
        kinds = {kind: ends.count(kind) for kind in sorted({end.split(":")[0] for end in ends} - {"accepted"})}
        print(f"changed files: {kinds}, and {len(accepted)} in their recipes only")
        self.assertGreater(len(kinds), 2, kinds)
        # Under the keys of the file itself some are consistent; none may stop the verifier.
        ends = self.calls(page, changed[:40], None, "inspectAggregate")
        self.assertEqual([end for end in ends if end.startswith("failed")], [])
        self.assertEqual(self.calls(page, [content], self.expected), [honest])
        self.quiet(page, PAGE)

    def test_deep_and_wide_trees_are_refused(self):
        page = self.open()
        files = list(trees(self.path.read_bytes()))
        kinds = ["tree", "file", "file", "tree", "file"]
        self.assertEqual(self.calls(page, files, self.expected), kinds)
        self.assertEqual(self.calls(page, files, None, "inspectAggregate"), kinds)
        self.quiet(page, PAGE)

    def test_memory_does_not_grow_with_the_number_of_files(self):
        page = self.open()
        content = self.path.read_bytes()
        size = lambda: page.evaluate("droste.memory.buffer.byteLength")
        files = [content, content[:-1], content + b"\0"]
        self.calls(page, files, self.expected)
        before = size()
        for _ in range(25):
            self.calls(page, files[:2], self.expected)
        self.assertEqual(size(), before)

    def test_large_files_are_refused(self):
        page = self.open()
        page.evaluate(
            """() => {
                const read = Blob.prototype.arrayBuffer;
                window.reads = 0;
                Blob.prototype.arrayBuffer = function () { window.reads += 1; return read.call(this); };
            }"""
        )
        for number, magic in enumerate([b"droste\0a\6\0\0\0", b"droste\0m\1\0\0\0", HOSTILE.encode()]):
            path = FOLDER / f"large-{number}.wrap"
            self.addCleanup(path.unlink)
            path.write_bytes((magic + b"\xfb\xff\xff\xff\x7f" + b"\xff\xff\xff\xff" * (LARGEST // 4))[:LARGEST])
            verdict = self.give(page, path)
            self.assertEqual(verdict.get_attribute("data-kind"), "file", verdict.inner_text())
        reads = page.evaluate("window.reads")
        self.assertGreaterEqual(reads, 3)
        path = FOLDER / "larger.wrap"
        self.addCleanup(path.unlink)
        with path.open("wb") as file:
            file.truncate(LARGEST + 1)
        page.set_input_files("#file", path)
        verdict = self.verdict(page)
        self.assertIn("at most 64 MiB are read", verdict.inner_text())
        self.assertEqual(page.evaluate("window.reads"), reads)
        empty = FOLDER / "empty.wrap"
        empty.write_bytes(b"")
        self.assertEqual(self.give(page, empty).get_attribute("data-kind"), "file")
        # The same page still verifies.
        self.assertEqual(self.give(page, self.path).get_attribute("data-state"), "verified")
        self.quiet(page, PAGE)

    def test_the_policy_allows_nothing_more_than_to_compile_the_module(self):
        text = PAGE.read_text()
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
        rules = [rule.strip() for rule in policy.split(";")]
        self.assertEqual(rules[0], "default-src 'none'")
        self.assertRegex(rules[1], r"^script-src 'nonce-[0-9a-f]{64}' 'wasm-unsafe-eval'$")
        self.assertFalse([rule for rule in rules if "http" in rule or "unsafe-eval'" in rule.replace("'wasm-unsafe-eval'", "")])
        for remote in ['src="', 'href="http', "@import", "url(http"]:
            self.assertNotIn(remote, text)
        # A script without the nonce does not run, nor does one that is made of text.
        page = self.open()
        ran = page.evaluate(
            """() => {
                const script = document.createElement("script");
                script.textContent = "window.injected = 1";
                document.body.append(script);
                return window.injected ?? null;
            }"""
        )
        self.assertIsNone(ran)
        self.assertTrue(any("Content Security Policy" in message for message in self.messages))

    def test_everything_has_a_name_and_is_reached_by_keyboard(self):
        page = self.open()
        controls = page.locator("button, select, input, textarea").all()
        for control in controls:
            self.assertTrue(control.evaluate("one => (one.labels?.[0] ?? one).textContent.trim()"))
        self.assertEqual(page.locator("#verdict").get_attribute("aria-live"), "polite")
        reached = set()
        for _ in range(len(controls) + 3):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.id"))
        self.assertLessEqual({"file", "key", "claim", "leaves", "min_bits", "min_tree_bits", "all"}, reached)
        self.give(page, self.path)
        page.locator("[role=treeitem][tabindex='0']").focus()
        page.keyboard.press("End")
        self.assertIn("5, 120", page.locator("[role=treeitem]:focus").inner_text())
        self.quiet(page, PAGE)

    def test_looks(self):
        self.looks(PAGE, "verify-empty")
        self.looks(PAGE, "verify-good", lambda page: self.give(page, self.path))
        self.looks(PAGE, "verify-bad", lambda page: self.give(page, self.path, claim=OTHER))
        self.looks(PAGE, "verify-member", lambda page: self.give(page, self.member))
        self.looks(PAGE, "verify-fold", lambda page: self.give(page, self.fold))

    def test_each_preset_and_how_long_it_takes(self):
        page = self.open()
        for preset in PRESETS:
            path = aggregate(preset)
            said = json.loads(droste("inspect", path, "--format", "json"))
            expected = {"key": said["key"], "claim": said["claim"], "leaves": "any"}
            if preset == "toy":
                expected["min_bits"] = said["proven_bits"]
            page.fill("#all", json.dumps(expected))
            page.set_input_files("#file", path)
            verdict = self.verdict(page)
            expect(verdict.locator("h2")).to_have_text("verified")
            self.assertEqual("fewer than 100 bits" in verdict.inner_text(), preset == "toy")
            print(f"{preset}: {path.stat().st_size} bytes, {median_ms(page, path, expected, 'verifyAggregate'):.1f} ms")
            path = fold(preset)
            said = json.loads(droste("fold", "inspect", path, "--format", "json"))
            expected = {"key": said["key"], "state": said["state"], "min_bits": 0 if preset == "toy" else 100}
            page.set_input_files("#file", path)
            page.fill("#all", json.dumps(expected))
            expect(self.verdict(page).locator("h2")).to_have_text("verified")
            print(f"{preset}, fold: {path.stat().st_size} bytes, {median_ms(page, path, expected, 'verifyFold'):.1f} ms")
        self.quiet(page, PAGE)


if __name__ == "__main__":
    if PAGE is None:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1])
