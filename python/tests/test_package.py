"""The package as a whole: stubs, stable interface, documentation, features."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import abi3info
from abi3info.models import PyVersion

import droste
from droste import _native, hashes, signatures

PACKAGE = Path(str(resources.files(droste)))


def run(*arguments: str | Path) -> str:
    """Runs a tool of this environment on the package that was imported; it must succeed."""
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    words = [sys.executable, "-m", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_stubs_are_those_of_the_module() -> None:
    assert (PACKAGE / "py.typed").exists()
    run("mypy.stubtest", "droste", "--concise")


def test_the_stable_interface_of_python_3_10_is_kept() -> None:
    file = _native.__file__
    assert file is not None
    assert Path(file).name == "_native.abi3.so"
    listed = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", "--format=just-symbols", file],
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name in listed.stdout.split() if re.match("_?Py", name)]
    assert len(names) > 50
    stable = {
        symbol.name
        for table in (abi3info.FUNCTIONS, abi3info.DATAS)
        for symbol, about in table.items()
        if about.added <= PyVersion(3, 10)
    }
    assert [name for name in names if name not in stable] == []


def test_everything_is_documented() -> None:
    missing = []
    names = [(droste, name) for name in droste.__all__]
    names += [(module, name) for module in (hashes, signatures) for name in module.__all__]
    for module, name in names:
        item = getattr(module, name)
        members = vars(item).items() if inspect.isclass(item) else []
        public = [(f"{name}.{own}", value) for own, value in members if not own.startswith("_")]
        missing += [path for path, value in [(name, item), *public] if not inspect.getdoc(value)]
    assert missing == []


def test_names_of_the_module_are_exported() -> None:
    compiled = {name for name in _native.__all__ if not name.startswith("_")}
    # These are `from_file`, `from_json`, `to_json` and `verify` of `droste.signatures`.
    lists = {"read_signatures", "signatures_from_json", "signatures_to_json", "verify_signatures"}
    # These are `prove` and `verify` of `droste.hashes`.
    calls = {"prove_hashes", "verify_hashes"}
    exported = {*droste.__all__, *hashes.__all__, *signatures.__all__}
    assert compiled - exported == {"cost_row", *lists, *calls}
    for module in (droste, hashes, signatures):
        assert list(module.__all__) == sorted(module.__all__)


def test_errors_have_one_parent() -> None:
    errors = [
        item
        for item in vars(droste).values()
        if isinstance(item, type) and issubclass(item, Exception)
    ]
    assert len(errors) == 14 and all(issubclass(error, droste.Error) for error in errors)
    assert issubclass(droste.UsageError, ValueError) and issubclass(droste.UsageError, TypeError)
    assert issubclass(droste.FileError, OSError) and issubclass(droste.ThreadError, RuntimeError)


def test_features_say_what_was_compiled() -> None:
    features = droste.features()
    assert droste.__version__ == features["version"]
    assert features["target_cpu"] != "generic"
    assert features["threads"] >= 1
    kernels = features["kernels"]
    if "avx512f" in features["target_features"]:
        assert kernels["keccak"] == "avx512"
    elif "avx2" in features["target_features"]:
        assert kernels["keccak"] == kernels["field"] == "avx2"
    if features["target_cpu"] == "x86-64-v3":
        assert "avx2" in features["target_features"]
        assert "avx512f" not in features["target_features"]
    if sys.platform == "linux":
        flags = Path("/proc/cpuinfo").read_text()
        has_ifma = re.search(r"^flags\s*:.*avx512ifma.*avx512_vbmi2", flags, re.MULTILINE)
        expected = "avx512ifma" if has_ifma else "portable"
        assert kernels["msm"]["bn254"] == expected
