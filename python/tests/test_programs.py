"""Programs compile, run and are proved; proofs are verified; mistakes have the command's words."""

from __future__ import annotations

import json
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import droste
from conftest import PROGRAMS

Command = Callable[..., subprocess.CompletedProcess[str]]
HINTED = """use droste_gadgets::prelude::*;
pub fn main() {
    let x = hint_felt().any();
    assert_eq!(x * x, public_input());
}
"""


def words(done: subprocess.CompletedProcess[str]) -> str:
    """What a command that failed says, without its own name."""
    assert done.returncode != 0
    return done.stderr.removeprefix("droste: ").rstrip("\n")


def test_a_program_says_what_the_command_prints(
    factorial: droste.Program, command_json: Callable[..., dict[str, Any]], command: Command
) -> None:
    path = PROGRAMS / "factorial.rs"
    names = ("instructions", "constants", "public_inputs", "public_outputs")
    said = {name: getattr(factorial, name) for name in names}
    assert said == command_json("compile", path)
    assert factorial.assembly() == command("compile", path, "--emit", "asm").stdout
    assert factorial.intermediate() == command("compile", path, "--emit", "ir").stdout
    ran = factorial.run([5])
    assert ran["outputs"] == [120]
    expected = command_json("run", path, "--public", "5")
    assert {**ran, "calls": list(ran["calls"].items())} == {
        **expected,
        "calls": [tuple(call) for call in expected["calls"]],
    }
    for options in (
        {},
        {"preset": "toy", "hash": "keccak"},
        {"queries": 7, "blowup": 8},
        {"stack": "whir", "preset": "toy", "blowup": 8},
    ):
        arguments = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
        key = factorial.key(**options)
        assert key == command_json("key", path, *arguments)["key"]


@pytest.mark.parametrize("stack", ["fri", "whir"])
@pytest.mark.parametrize("hash", ["poseidon16", "poseidon2", "blake3", "keccak"])
def test_proofs_are_the_commands(
    hash: str,
    stack: str,
    factorial: droste.Program,
    command_json: Callable[..., dict[str, Any]],
    tmp_path: Path,
) -> None:
    """The same bytes, and what is said of them is the same, times apart."""
    proof = factorial.prove([5], preset="toy", hash=hash, stack=stack)
    file = tmp_path / "command.proof"
    program = PROGRAMS / "factorial.rs"
    options = ("--public", "5", "--preset", "toy", "--hash", hash, "--stack", stack)
    command_json("prove", program, *options, "-o", file)
    assert bytes(proof) == proof.to_bytes() == file.read_bytes()
    assert proof.hash == hash and proof.statement == [5, 120, 0, 0, 0, 0, 0, 0]
    said = proof.inspect()
    expected = command_json("inspect", file)
    assert said.keys() == expected.keys()
    assert {**said, "verify_ms": 0} == {**expected, "verify_ms": 0}
    key = factorial.key(preset="toy", hash=hash, stack=stack)
    assert proof.key == key == said["key"]
    for verified in (
        proof.verify(program=factorial, public=[5, 120], min_bits=1),
        proof.verify(key=key, min_bits=1),
    ):
        assert verified["statement"] == proof.statement


def test_proofs_survive_files_and_pickling(proof: droste.Proof, tmp_path: Path) -> None:
    proof.write(tmp_path / "a.proof")
    again = [
        droste.Proof.from_file(tmp_path / "a.proof"),
        droste.Proof.from_bytes(proof.to_bytes()),
        droste.Proof.from_bytes(np.frombuffer(proof.to_bytes(), np.uint8)),
        pickle.loads(pickle.dumps(proof)),
    ]
    assert all(one == proof and hash(one) == hash(proof) for one in again)


def test_verification_fails_closed(
    proof: droste.Proof, factorial: droste.Program, fibonacci: droste.Program
) -> None:
    with pytest.raises(droste.VerifyError, match="proven bits, expected at least 100"):
        proof.verify(program=factorial)
    with pytest.raises(droste.UsageError, match="against a program or against a key"):
        proof.verify(min_bits=0)
    with pytest.raises(droste.UsageError, match="against a program or against a key"):
        proof.verify(program=factorial, key=proof.key, min_bits=0)
    with pytest.raises(droste.VerifyError):
        proof.verify(program=fibonacci, min_bits=0)
    with pytest.raises(droste.VerifyError, match="the proof was made with key"):
        proof.verify(key=fibonacci.key(preset="toy"), min_bits=0)
    with pytest.raises(droste.VerifyError, match="element 0 of the statement is 5, expected 6"):
        proof.verify(program=factorial, public=[6], min_bits=0)
    with pytest.raises(droste.VerifyError, match=r"expected at most 1: --limit 16384"):
        proof.verify(program=factorial, min_bits=0, limit=1)
    damaged = bytearray(proof.to_bytes())
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises((droste.DecodeError, droste.VerifyError)):
        droste.Proof.from_bytes(damaged).verify(program=factorial, min_bits=0)


def test_a_longer_run_has_another_key(fibonacci: droste.Program) -> None:
    long = fibonacci.prove([1000], preset="toy")
    key = fibonacci.key(preset="toy")
    assert long.key == fibonacci.key(preset="toy", log_block=13) != key
    assert fibonacci.key(preset="toy", log_block=12) == key
    long.verify(program=fibonacci, min_bits=0)
    with pytest.raises(droste.VerifyError, match=r"tables of up to 2\^13 rows"):
        long.verify(key=key, min_bits=0)
    with pytest.raises(droste.UsageError, match="over WHIR"):
        fibonacci.key(preset="toy", stack="fri", log_block=13)
    with pytest.raises(droste.UsageError, match="log_block is 21"):
        fibonacci.key(preset="toy", log_block=21)


def test_hints(command: Command, tmp_path: Path) -> None:
    program = droste.Program.compile(HINTED, name="hinted.rs")
    assert program.run([49], hints=[{"felt": 7}])["outputs"] == []
    program.prove([49], hints=[{"felt": 7}], preset="toy").verify(program=program, min_bits=1)
    with pytest.raises(droste.RunError, match="assertion failed"):
        program.run([50], hints=[{"felt": 7}])
    with pytest.raises(droste.UsageError, match="hints: "):
        program.run([49], hints=[{"felt": 2**31}])
    # In a package, so that the command does not say that rustc should check the program.
    (tmp_path / "Cargo.toml").touch()
    file = tmp_path / "hinted.rs"
    file.write_text(HINTED)
    hints = tmp_path / "hints.json"
    hints.write_text(json.dumps([{"felt": 7}]))
    with pytest.raises(droste.RunError) as refused:
        droste.Program.from_file(file).run([50], hints=[{"felt": 7}])
    done = command("run", file, "--public", "50", "--hints", hints)
    assert str(refused.value).rstrip("\n") == words(done)


def test_mistakes_have_the_words_of_the_command(
    command: Command, proof: droste.Proof, tmp_path: Path
) -> None:
    program = PROGRAMS / "factorial.rs"
    broken = tmp_path / "broken.rs"
    broken.write_text("use droste_gadgets::prelude::*;\npub fn main() { reveal(y); }\n")
    latin = tmp_path / "latin.rs"
    latin.write_bytes(b"\xff")
    file = tmp_path / "five.proof"
    proof.write(file)
    short = tmp_path / "short.proof"
    short.write_bytes(proof.to_bytes()[:-1])
    text = tmp_path / "text.proof"
    text.write_text("no proof")
    missing = tmp_path / "missing"
    factorial = droste.Program.from_file(program)
    out = tmp_path / "out"

    mistakes: list[tuple[type[droste.Error], Callable[[], object], list[object]]] = [
        (droste.CompileError, lambda: droste.Program.from_file(broken), ["compile", broken]),
        (droste.FileError, lambda: droste.Program.from_file(latin), ["compile", latin]),
        (droste.FileError, lambda: droste.Program.from_file(missing), ["compile", missing]),
        (droste.FileError, lambda: droste.Proof.from_file(missing), ["inspect", missing]),
        (droste.DecodeError, lambda: droste.Proof.from_file(short), ["inspect", short]),
        (droste.DecodeError, lambda: droste.Proof.from_file(text), ["inspect", text]),
        (droste.FileError, lambda: proof.write(missing / "a"),
         ["prove", program, "--public", "5", "--preset", "toy", "-o", missing / "a"]),
        (droste.RunError, lambda: factorial.run(), ["run", program]),
        (droste.RunError, lambda: factorial.run([5], limit=10),
         ["run", program, "--public", "5", "--limit", "10"]),
        (droste.UsageError, lambda: factorial.run([2**31 - 1]),
         ["run", program, "--public", str(2**31 - 1)]),
        (droste.UsageError, lambda: factorial.prove([5], blowup=3),
         ["prove", program, "--public", "5", "--blowup", "3", "-o", out]),
        (droste.UsageError, lambda: factorial.prove([5], blowup=32),
         ["prove", program, "--public", "5", "--blowup", "32", "-o", out]),
        (droste.UsageError, lambda: factorial.prove([5], queries=0),
         ["prove", program, "--public", "5", "--queries", "0", "-o", out]),
        (droste.VerifyError, lambda: proof.verify(program=factorial, public=[5]),
         ["verify", file, "--program", program, "--public", "5"]),
        (droste.VerifyError, lambda: proof.verify(program=factorial, public=[4], min_bits=1),
         ["verify", file, "--program", program, "--public", "4", "--min-bits", "1"]),
        (droste.VerifyError, lambda: proof.verify(key="00" * 32, min_bits=1),
         ["verify", file, "--key", "00" * 32, "--min-bits", "1"]),
    ]  # fmt: skip
    for error, call, arguments in mistakes:
        with pytest.raises(error) as refused:
            call()
        assert type(refused.value) is error
        expected = words(command(*arguments))
        assert str(refused.value).rstrip("\n") == expected, arguments


def test_names_that_nothing_has(factorial: droste.Program) -> None:
    for option in (
        {"preset": "proven-99"},
        {"hash": "md5"},
        {"preset": "toy", "queries": 5},
        {"stack": "stark"},
        {"stack": "whir", "queries": 5},
        {"limit": 2**31},
    ):
        with pytest.raises(droste.UsageError):
            factorial.prove([5], **option)
    for bad in ("00", "zz" * 32, "ff" * 32, ""):
        with pytest.raises(droste.UsageError):
            factorial.prove([2], preset="toy").verify(key=bad)
    with pytest.raises(TypeError):
        factorial.prove([5], "blake3")  # type: ignore[call-arg]


def test_programs_survive_pickling(factorial: droste.Program) -> None:
    again = pickle.loads(pickle.dumps(factorial))
    assert again.key(preset="toy") == factorial.key(preset="toy")
    assert again.name == factorial.name
