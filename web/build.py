"""Makes an npm package and a web page of what wasm-bindgen wrote.

Usage: build.py FOLDER, in which wasm-bindgen wrote its files. Adds package.json, README, licences and
verify.html, the page.
"""

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "cli/assets"
CRATE = "droste-verify"
TARGET = "wasm32-unknown-unknown"


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments, "--locked"], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def licences(packages):
    """Licences of the crates that the module is made of, as far as they are not Droste's own.

    Whoever may take a crate under Apache-2.0 needs no other text of it.
    """
    lines = cargo("tree", "-p", CRATE, "--target", TARGET, "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
    names = sorted({tuple(line.split()[:2]) for line in lines.splitlines()})
    apache, texts = ["the standard library of Rust"], {}
    for name, version in names:
        package = packages[name, version.removeprefix("v")]
        if package["source"] is None:
            continue
        title = f"{name} {version} ({package['license']})"
        if re.search(r"\bApache-2\.0\b(?! WITH)", package["license"]) and " AND " not in package["license"]:
            apache.append(title)
            continue
        files = sorted(Path(package["manifest_path"]).parent.glob("LICENSE*"))
        if not files:
            sys.exit(f"{name} {version} has no LICENSE")
        text = "\n".join(file.read_text().strip() for file in files if "APACHE" not in file.name)
        texts.setdefault(text, []).append(title)
    parts = ["Under Apache-2.0, whose text is LICENSE-APACHE:\n\n" + "\n".join(apache)]
    parts += ["\n".join(titles) + "\n\n" + text for text, titles in texts.items()]
    return f"\n\n{'-' * 80}\n\n".join(parts) + "\n"


def package(folder, package):
    """The npm package around the module."""
    said = {name: package[name] for name in ["name", "version", "description", "license", "keywords"]}
    stem = CRATE.replace("-", "_")
    files = [f"{stem}.js", f"{stem}.d.ts", f"{stem}_bg.wasm", f"{stem}_bg.wasm.d.ts"]
    said |= {
        "repository": {"type": "git", "url": f"git+{package['repository']}.git"},
        "type": "module",
        "main": files[0],
        "types": files[1],
        "files": [*files, "LICENSE-APACHE", "LICENSE-MIT", "LICENSES.txt"],
        "sideEffects": False,
    }
    (folder / "package.json").write_text(json.dumps(said, indent=2) + "\n")
    shutil.copy(Path(package["manifest_path"]).parent / "README.md", folder)
    for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
        shutil.copy(ROOT / name, folder)
    return [folder / file for file in files]


def page(module, script, licences):
    """The page, in one file, by the rules of the reports (`cli/src/page.rs`)."""
    scripts = [(ASSETS / name).read_text() for name in ["common.js", "tree.js"]]
    scripts.append(script + (ROOT / "web/verify.js").read_text())
    data = json.dumps({"wasm": base64.b64encode(module).decode()})
    style = "".join(file.read_text() for file in [ASSETS / "page.css", ROOT / "web/verify.css"])
    for text in scripts:
        # Such a text would end the script, or let a comment begin in it.
        assert not re.search(r"</script|<script|<!--", text, re.IGNORECASE)
    nonce = hashlib.sha256("".join([data, *scripts]).encode()).hexdigest()
    kinds = ["", "", ' type="module"']
    values = {
        "TITLE": "Verify an aggregate or a fold",
        "NONCE": nonce,
        "SOURCES": " 'wasm-unsafe-eval'",
        "STYLE": style,
        "LICENCES": html.escape(licences),
        "DATA": data,
        "SCRIPTS": "".join(f'<script{kind} nonce="{nonce}">\n{text}</script>\n' for kind, text in zip(kinds, scripts, strict=True)),
    }
    return re.sub(r"{{(\w+)}}", lambda mark: values[mark[1]], (ASSETS / "page.html").read_text())


def main(folder):
    metadata = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", TARGET))
    packages = {(package["name"], package["version"]): package for package in metadata["packages"]}
    [own] = [package for package in metadata["packages"] if package["name"] == CRATE]
    script, _, module, _ = package(folder, own)
    texts = licences(packages)
    (folder / "LICENSES.txt").write_text(texts)
    whole = "\n".join([(ROOT / "LICENSE-MIT").read_text(), (ROOT / "LICENSE-APACHE").read_text(), texts])
    (folder / "verify.html").write_text(page(module.read_bytes(), script.read_text(), whole))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
