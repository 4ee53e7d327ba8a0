"""Times how long the page that verifies takes for an aggregate, in a headless Chromium.

Usage: timing.py FOLDER AGGREGATE [--format json], the folder that scripts/wasm made and a file.
"""

import argparse
import base64
import json
import statistics
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

# Calls the verifier often on a file in base64, and says how long each call took. The browser
# compiles the module a second time, to faster code, while the first calls run.
CALLS = """([file, expected, name]) => Array.from({ length: 25 }, () => {
    const bytes = Uint8Array.from(atob(file), (one) => one.charCodeAt(0));
    const start = performance.now();
    droste[name](bytes, expected);
    return performance.now() - start;
})"""
# What an aggregate says of itself, which is all that a measurement expects of it.
SAID = """(file) => {
    const bytes = Uint8Array.from(atob(file), (one) => one.charCodeAt(0));
    const { key, claim, proven_bits } = droste.inspectAggregate(bytes);
    return { key, claim, proven_bits };
}"""


def encoded(path):
    return base64.b64encode(path.read_bytes()).decode()


def median_ms(page, path, expected, name):
    """The median time to verify a file, in milliseconds."""
    return statistics.median(page.evaluate(CALLS, [encoded(path), expected, name]))


def measure(folder, aggregate):
    """Verifies an aggregate in the page of this folder."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium")
        page = browser.new_page()
        page.goto((folder / "verify.html").resolve().as_uri())
        expect(page.locator("#verdict")).to_have_attribute("data-state", "waiting", timeout=60000)
        said = page.evaluate(SAID, encoded(aggregate))
        expected = {"key": said["key"], "claim": said["claim"], "leaves": "any"}
        measured = {
            "browser": f"Chromium {browser.version}",
            "proven_bits": said["proven_bits"],
            "verify_ms": median_ms(page, aggregate, expected, "verifyAggregate"),
            "file_bytes": aggregate.stat().st_size,
            "module_bytes": (folder / "droste_verify_bg.wasm").stat().st_size,
        }
        browser.close()
    return measured


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("aggregate", type=Path)
    parser.add_argument("--format", choices=["text", "json"], default="text")
    arguments = parser.parse_args()
    measured = measure(arguments.folder, arguments.aggregate)
    if arguments.format == "json":
        print(json.dumps(measured))
    else:
        for name, value in measured.items():
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
