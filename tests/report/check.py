"""Opens the reports of the command droste in a headless Chromium and checks what they show.

Usage: check.py DROSTE FOLDER, the command and a folder for what it makes. Screenshots are left there.
"""

import csv
import io
import json
import math
import subprocess
import sys
import unittest
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "tests/report/rows.json"
PROGRAM = ROOT / "programs/src/factorial.rs"
HOSTILE = "</script><script>window.injected = 1</script><img src=x onerror=\"window.injected = 1\">"
THEMES = ["light", "dark"]
WIDTHS = [390, 1280]
# All tables of the machine, and one of a precompile of the user's.
TABLES = """cpu ext ext4 poseidon16 poseidon16_tweaked low_24_bits power_weights binary_products
    baby_bear word_products carry_pairs poseidon2_parent poseidon2_sponge poseidon2_16 poseidon2_24
    limbs blake3_calls blake3 byte_pairs keccak_calls keccak_sponge_calls keccak spread program
    words blocks mine""".split()
# The colours that are seen, as red, green and blue.
COLOURS = """(swatches) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    return swatches.map((one) => {
        canvas.fillStyle = getComputedStyle(one).backgroundColor;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
    });
}"""

DROSTE = Path(sys.argv[1]).resolve() if len(sys.argv) > 2 else None
FOLDER = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None


def droste(*arguments, code=0):
    """Runs the command in the folder and returns what it printed."""
    done = subprocess.run([DROSTE, *arguments], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: {done.stderr}"
    return done.stdout if code == 0 else done.stderr


def aggregate(preset):
    """An aggregate of two proofs of a factorial. It is made once for a command."""
    path = FOLDER / f"{preset}.wrap"
    if not path.exists() or path.stat().st_mtime < DROSTE.stat().st_mtime:
        options = ["--preset", preset]
        droste("prove", PROGRAM, "--public", "5", *options, "-o", "five.proof")
        droste("wrap", "five.proof", "--program", PROGRAM, "--public", "5", *options, "-o", "five.wrap")
        droste("join", "five.wrap", "five.wrap", *options, "-o", path)
    return path


class Browser(unittest.TestCase):
    """Pages in which every message of the console and every request is noted."""

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path="/usr/bin/chromium")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()

    def open(self, path, width=1280, theme="light"):
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, accept_downloads=True
        )
        self.addCleanup(context.close)
        page = context.new_page()
        self.messages, self.requests = [], []
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("#main > *")
        return page

    def quiet(self, page, path):
        """Nothing failed, nothing was requested but the page, and no text of the data ran."""
        self.assertEqual(self.messages, [])
        outside = [url for url in self.requests if not url.startswith(("data:", "blob:"))]
        self.assertEqual(outside, [path.as_uri()])
        self.assertIsNone(page.evaluate("window.injected ?? null"))

    def looks(self, path, name, prepare=lambda page: None):
        """Screenshots at each width and theme; the page is never wider than the screen."""
        backgrounds = set()
        for width in WIDTHS:
            for theme in THEMES:
                page = self.open(path, width, theme)
                prepare(page)
                page.wait_for_timeout(150)
                page.screenshot(path=FOLDER / f"{name}-{width}-{theme}.png", full_page=True)
                wide = page.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(wide, width, f"{name} at {width}")
                backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
                self.quiet(page, path)
        self.assertEqual(len(backgrounds), 2)

    def saved(self, page, button):
        with page.expect_download() as download:
            button.click()
        return Path(download.value.path()).read_text()


def number(text):
    return None if text == "" else float(text)


class Cost(Browser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = json.loads(FIGURES.read_text())
        # A second machine, whose texts attack the page, with other figures.
        other = json.loads(FIGURES.read_text())
        for row in other:
            row["leaf_prove_ms"] *= 1.5
            row["run"]["command"] += f" {HOSTILE}"
            row["run"]["machine"]["processor"] = HOSTILE
            row["program"] = f"{row['program']}{HOSTILE}"
        cls.other = other
        cls.one = FOLDER / "one.html"
        cls.two = FOLDER / "two.html"
        # A slash cannot be in the name of a file.
        (FOLDER / "other <b>.json").write_text(json.dumps(other))
        droste("cost", "--from", FIGURES, "--report", cls.one)
        droste("cost", "--from", FIGURES, "other <b>.json", "--report", cls.two)

    def test_charts_have_a_line_for_each_series_and_a_point_for_each_row(self):
        series = {row["inner_hash"] for row in self.rows}
        for path, times in [(self.one, 1), (self.two, 2)]:
            page = self.open(path)
            self.assertEqual(page.locator(".legend button").count(), len(series) * times)
            for name in ["fft-cost-by-queries", "fft-cost-by-bits", "native-proving", "memory"]:
                chart = page.locator(f"#{name} .chart > svg")
                self.assertEqual(chart.locator("g[aria-label=line] path").count(), len(series) * times, name)
                self.assertEqual(chart.locator("g[aria-label=dot] circle").count(), len(self.rows) * times, name)
            self.quiet(page, path)

    def test_points_are_where_the_figures_say(self):
        page = self.open(self.one)
        for name, x, y in [
            ("fft-cost-by-queries", "queries", "fft_cost"),
            ("fft-cost-by-bits", "proven_bits_inner", "fft_cost"),
            ("native-proving", "queries", "leaf_prove_ms"),
            ("memory", "queries", "peak_rss_bytes"),
        ]:
            points = page.evaluate(
                """(id) => {
                    const chart = document.querySelector(`#${id} .chart > svg`);
                    const at = (axis, pixel) => chart.scale(axis).invert(Number(pixel));
                    return [...chart.querySelectorAll("g[aria-label=dot] circle")]
                        .map((one) => [at("x", one.getAttribute("cx")), at("y", one.getAttribute("cy"))]);
                }""",
                name,
            )
            expected = sorted([row[x], row[y]] for row in self.rows)
            for found, wanted in zip(sorted(points), expected, strict=True):
                # Within rounding of the coordinates.
                self.assertAlmostEqual(found[0], wanted[0], delta=0.6)
            found = sorted(point[1] for point in points)
            for one, wanted in zip(found, sorted(row[y] for row in self.rows), strict=True):
                self.assertAlmostEqual(one / wanted, 1, delta=0.01)

    def cells(self, page, name):
        """The exact values of a figure's table, a list for each row."""
        return page.evaluate(
            """(id) => [...document.querySelectorAll(`#${id} tbody tr`)]
                .map((row) => [...row.children].map((cell) => cell.dataset.value))""",
            name,
        )

    def test_tables_have_the_values_of_the_json(self):
        page = self.open(self.one)
        order = ["poseidon16", "poseidon2", "blake3", "keccak"]
        rows = sorted(self.rows, key=lambda row: (order.index(row["inner_hash"]), row["queries"]))
        for name, value in [
            ("fft-cost-by-queries", lambda row: [row["fft_cost"]]),
            ("native-proving", lambda row: [row["leaf_prove_ms"]]),
            ("memory", lambda row: [row["peak_rss_bytes"]]),
            ("stages", lambda row: list(row["stages_ms"].values())),
            ("tables", lambda row: [table["fft_cost"] for table in row["tables"]] + [row["fft_cost"]]),
        ]:
            cells = self.cells(page, name)
            self.assertEqual(len(cells), len(rows), name)
            for found, row in zip(cells, rows, strict=True):
                self.assertEqual(float(found[1]), row["queries"])
                values = [number(text) for text in found[2:]]
                values = [one for one in values if one is not None]
                if name in ["fft-cost-by-queries", "native-proving", "memory"]:
                    self.assertEqual(values.pop(0), row["proven_bits_inner"])
                # Tables come in the order in which they first appear.
                self.assertEqual(sorted(values), sorted(value(row)), name)

    def test_bars_are_stacked_by_their_parts(self):
        page = self.open(self.one)
        largest = max(row["queries"] for row in self.rows)
        shown = [row for row in self.rows if row["queries"] == largest]
        bars = page.locator("#stages g[aria-label=bar] rect")
        self.assertEqual(bars.count(), 7 * len(shown))
        names = page.locator("#tables .key li").all_inner_texts()
        self.assertIn("poseidon16", names)
        self.assertIn("keccak", names)
        # The longest bar ends where the axis says, when bars are absolute.
        page.locator("#scale").select_option("absolute")
        end = page.evaluate(
            """() => {
                const chart = document.querySelector("#tables .chart > svg");
                const ends = [...chart.querySelectorAll("g[aria-label=bar] rect")]
                    .map((bar) => Number(bar.getAttribute("x")) + Number(bar.getAttribute("width")));
                return chart.scale("x").invert(Math.max(...ends));
            }"""
        )
        self.assertAlmostEqual(end / max(row["fft_cost"] for row in shown), 1, delta=0.01)
        smallest = min(row["queries"] for row in self.rows)
        page.locator("#queries").select_option(str(smallest))
        self.assertGreater(page.locator("#tables g[aria-label=bar] rect").count(), 0)
        self.quiet(page, self.one)

    def test_every_table_has_a_colour_of_its_own(self):
        rows = json.loads(FIGURES.read_text())
        for row in rows:
            like = row["tables"][0]
            row["tables"] = [like | {"name": name, "fft_cost": 1000} for name in TABLES]
            row["fft_cost"] = 1000 * len(TABLES)
        (FOLDER / "tables.json").write_text(json.dumps(rows))
        path = FOLDER / "tables.html"
        droste("cost", "--from", "tables.json", "--report", path)
        for theme in THEMES:
            page = self.open(path, theme=theme)
            for figure, names in [("tables", TABLES), ("stages", list(rows[0]["stages_ms"]))]:
                key = page.locator(f"#{figure} .key li")
                self.assertEqual(sorted(key.all_inner_texts()), sorted(names))
                colours = page.locator(f"#{figure} .key .swatch").evaluate_all(COLOURS)
                pairs = [(math.dist(one, other), place) for place, one in enumerate(colours) for other in colours[:place]]
                self.assertGreater(min(pairs)[0], 25, f"{figure}, {theme}: {key.all_inner_texts()[min(pairs)[1]]}")
            bars = page.locator("#tables g[aria-label=bar] rect")
            fills = {bar.evaluate("one => getComputedStyle(one).fill") for bar in bars.all()}
            self.assertEqual(len(fills), len(TABLES))
            self.quiet(page, path)

    def test_series_can_be_hidden_and_values_shown(self):
        page = self.open(self.one)
        button = page.locator(".legend button").first
        button.click()
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        self.assertEqual(page.locator("#memory .chart > svg g[aria-label=line] path").count(), 2)
        button.click()
        point = page.locator("#fft-cost-by-queries g[aria-label=dot] circle").first
        point.scroll_into_view_if_needed()
        point.hover(force=True)
        page.wait_for_selector("#fft-cost-by-queries g[aria-label=tip] text")
        tip = page.locator("#fft-cost-by-queries g[aria-label=tip]").text_content()
        self.assertIn("fft_cost", tip)
        self.assertIn("queries", tip)
        self.quiet(page, self.one)

    def test_the_head_names_machine_version_and_command(self):
        page = self.open(self.two)
        run = self.rows[0]["run"]
        text = page.locator("#head").inner_text()
        for part in [run["machine"]["processor"], run["version"], run["command"], HOSTILE, "other <b>.json"]:
            self.assertIn(part, text)
        for part in [*run["machine"]["features"], *run["machine"]["kernels"].values()]:
            self.assertIn(part, text)
        self.assertEqual(page.locator("img").count(), 0)
        self.quiet(page, self.two)

    def test_what_is_saved_can_be_read_again(self):
        page = self.open(self.two)
        text = self.saved(page, page.get_by_role("button", name="Save JSON"))
        rows = self.rows + self.other
        self.assertEqual(json.loads(text), rows)
        (FOLDER / "saved.json").write_text(text)
        self.assertEqual(json.loads(droste("cost", "--from", "saved.json", "--format", "json")), rows)
        lines = list(csv.DictReader(io.StringIO(self.saved(page, page.get_by_role("button", name="Save CSV")))))
        self.assertEqual([float(line["fft_cost"]) for line in lines], [row["fft_cost"] for row in rows])
        self.assertEqual(lines[-1]["run.machine.processor"], HOSTILE)
        self.assertEqual(lines[0]["tables.cpu.height"], str(self.rows[0]["tables"][0]["height"]))
        svg = self.saved(page, page.locator("#fft-cost-by-queries button", has_text="Save SVG"))
        self.assertIn("<title>In-circuit cost by queries</title>", svg)
        self.assertNotIn("var(", svg)
        self.quiet(page, self.two)

    def test_early_rows_and_rows_without_an_outer_proof_are_shown(self):
        rows = json.loads(FIGURES.read_text())
        for row in rows:
            del row["run"]
            for name in ["outer_prove_ms", "stages_ms", "outer_verify_ms", "outer_proof_bytes", "peak_rss_bytes"]:
                row[name] = None
        (FOLDER / "early.json").write_text(json.dumps(rows))
        path = FOLDER / "early.html"
        droste("cost", "--from", "early.json", "--report", path)
        page = self.open(path)
        self.assertIn("not recorded", page.locator("#head").inner_text())
        self.assertIn("only executed", page.locator("#stages").inner_text())
        self.assertEqual(page.locator("#memory g[aria-label=dot] circle").count(), len(rows))
        # One number of queries: bars where curves would be single points.
        few = [row for row in rows if row["queries"] == rows[0]["queries"]]
        (FOLDER / "few.json").write_text(json.dumps(few))
        path = FOLDER / "few.html"
        droste("cost", "--from", "few.json", "--report", path)
        page = self.open(path)
        self.assertEqual(page.locator("#fft-cost-by-queries g[aria-label=bar] rect").count(), len(few))
        # Bars begin at zero, and only curves have a logarithmic axis.
        self.assertNotIn("logarithmic", page.locator("#main").inner_text())
        self.quiet(page, path)
        curves = self.open(self.one)
        for name in ["fft-cost-by-queries", "fft-cost-by-bits", "native-proving", "memory"]:
            self.assertIn("logarithmic", curves.locator(f"#{name} > p").inner_text())

    def test_bits_are_rounded_down(self):
        page = self.open(self.one)
        for value, text in [(120.69, "120.6"), (123.9547, "123.9"), (99.9999, "99.9"), (100, "100.0")]:
            self.assertEqual(page.evaluate("bitsText", value), text)

    def test_readers_without_eyes_have_names_and_tables(self):
        page = self.open(self.one)
        for figure in page.locator("figure").all():
            self.assertTrue(figure.locator("table caption").count() == 1)
            self.assertTrue(page.locator(f"#{figure.get_attribute('aria-labelledby')}").inner_text())
            self.assertIn("same values", figure.locator(".chart > svg").get_attribute("aria-label"))
        for control in page.locator("button, select, input").all():
            self.assertTrue(control.evaluate("one => (one.labels?.[0] ?? one).textContent.trim()"))

    def test_looks(self):
        self.looks(self.one, "cost-one")
        self.looks(self.two, "cost-two")


class Tree(Browser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.small = FOLDER / "tree.html"
        cls.said = json.loads(droste("inspect", aggregate("toy"), "--report", cls.small, "--format", "json"))

    def of(self, leaves):
        """The page of a full binary tree of this many leaves, each below a wrap."""
        text = self.small.read_text()
        before, rest = text.split('id="data">', 1)
        data, after = rest.split("</script>", 1)
        data = json.loads(data)
        nodes, statements = [], []

        def add(number):
            nodes.append([0, 2 if number > 1 else 1])
            if number > 1:
                add(number // 2)
                add(number - number // 2)
            else:
                nodes.append([1 + len(statements) % 3, 0])
                statements.append([len(statements), 7 * len(statements), 0, 0, 0, 0, 0, 0])

        add(leaves)
        keys = [data["keys"][0]] + [f"{number:064x}" for number in (0xABCDEF, 0xBCDEF1, 0xCDEF12)]
        data |= {"keys": keys, "nodes": nodes, "statements": statements, "file": HOSTILE}
        path = FOLDER / f"tree-{leaves}.html"
        path.write_text(before + 'id="data">' + json.dumps(data).replace("<", "\\u003c") + "</script>" + after)
        return path

    def test_the_tree_is_that_of_the_command(self):
        page = self.open(self.small)
        text = page.locator("body").inner_text()
        for part in [self.said["key"], self.said["claim"], str(self.said["tree_bits"]), "toy.wrap"]:
            self.assertIn(part, text)
        shown = page.evaluate(
            """() => JSON.parse(document.getElementById("data").textContent).statements"""
        )
        self.assertEqual(shown, [self.said["tree"]["children"][0]["children"][0]["statement"]] * 2)
        leaves = page.locator("[role=treeitem]:not([aria-expanded])")
        self.assertEqual(leaves.count(), 2)
        self.assertIn("5, 120", leaves.first.inner_text())
        self.quiet(page, self.small)

    def test_a_large_tree_opens_at_once_and_is_searched(self):
        for leaves in [1024, 65536]:
            path = self.of(leaves)
            page = self.open(path)
            ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
            self.assertLess(ready, 5000, "milliseconds to open")
            self.assertLess(page.locator("[role=treeitem]").count(), 200)
            last = leaves - 1
            status = page.locator("[role=status]")
            page.fill("#search", f"#{last}")
            expect(status).to_have_text("1 found")
            page.locator(".results button").click()
            focused = page.locator("[role=treeitem]:focus")
            self.assertIn(f"{last}, {7 * last}", focused.inner_text())
            page.fill("#search", "100, 700")
            expect(page.locator(".results li").first).to_contain_text("#100")
            expect(status).to_have_text("1 found")
            page.fill("#search", "abcdef")
            found = f"{(leaves + 2) // 3:,} found, the first 100 of which are listed"
            expect(status).to_have_text(found)
            self.assertEqual(page.locator(".results li").count(), 100)
            self.quiet(page, path)

    def test_the_keyboard_walks_through_the_tree(self):
        page = self.open(self.of(1024))
        page.locator("[role=treeitem][tabindex='0']").focus()
        level = lambda: page.locator("[role=treeitem]:focus").get_attribute("aria-level")
        self.assertEqual(level(), "1")
        for _ in range(12):
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowRight")
        self.assertEqual(level(), "12")
        self.assertIn("#0", page.locator("[role=treeitem]:focus").inner_text())
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Home")
        self.assertEqual(level(), "1")

    def test_leaves_are_saved(self):
        page = self.open(self.of(1024))
        lines = list(csv.DictReader(io.StringIO(self.saved(page, page.get_by_role("button", name="Save leaves")))))
        self.assertEqual(len(lines), 1024)
        self.assertEqual(lines[17]["statement"], "17 119 0 0 0 0 0 0")

    def test_looks(self):
        self.looks(self.small, "tree-small")
        self.looks(self.of(1024), "tree-large")


if __name__ == "__main__":
    if FOLDER is None:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1])
