"""Makes the pictures of the README, in the colours of both themes.

Usage: pictures.py DROSTE, the command. The chart is that of the report of the saved figures.
"""

import json
import re
import sys
import tempfile
from pathlib import Path
from subprocess import run

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs/pictures"
CHAIN = (ROOT / "scripts/pictures/chain.svg").read_text()


def one_round(value):
    """The saved figures as one round prints them: of those that were measured, the middle one."""
    if isinstance(value, list):
        return [one_round(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"median", "spread", "rounds"}:
        return sorted(value["rounds"])[len(value["rounds"]) // 2]
    return {name: one_round(item) for name, item in value.items()}


if len(sys.argv) != 2:
    sys.exit(__doc__)
with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
    report = Path(folder) / "cost.html"
    figures = json.loads((ROOT / "docs/measurement/figures.json").read_text())
    rows = Path(folder) / "factorial.json"
    # Of openings that are verified in two ways, those by tables.
    by_tables = [row for row in one_round(figures["factorial"]["rows"]) if not row.get("openings")]
    rows.write_text(json.dumps(by_tables))
    run([sys.argv[1], "cost", "--from", rows, "--report", report], check=True, capture_output=True)
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
    for theme in ["light", "dark"]:
        viewport = {"width": 1440, "height": 900}
        page = browser.new_context(color_scheme=theme, viewport=viewport).new_page()
        page.goto(report.as_uri())
        with page.expect_download() as download:
            page.locator("#fft-cost-by-bits button", has_text="Save SVG").click()
        download.value.save_as(PICTURES / f"cost-{theme}.svg")
        # The chain takes the colours of the report.
        chain = re.sub(r"var\((--\w+)\)", lambda name: page.evaluate("(name) => style(name)", name[1]), CHAIN)
        (PICTURES / f"chain-{theme}.svg").write_text(chain)
