"""What tests share: small programs, proofs of them, and the command `droste`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import droste
from droste.signatures import Registry, SignedMessage, StoredKey

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "programs" / "src"


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keeps derived keys out of the user's cache."""
    os.environ["DROSTE_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command `droste`, as the tests of the workspace build it."""
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug" / "droste"
    if not built.exists():
        pytest.skip("the command is not built: cargo build -p droste-cli")

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        # Without a terminal the command draws in 80 columns, and in Unicode if the locale is.
        environment = {**os.environ, "LC_ALL": "C.UTF-8"}
        words = [str(built), *(str(argument) for argument in arguments)]
        return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)

    return run


@pytest.fixture(scope="session")
def command_json(
    command: Callable[..., subprocess.CompletedProcess[str]],
) -> Callable[..., dict[str, Any]]:
    """Runs the command, which must succeed, and returns the JSON that it prints."""

    def run(*arguments: str | Path) -> dict[str, Any]:
        done = command("--format", "json", *arguments)
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return run


@pytest.fixture(scope="session")
def factorial() -> droste.Program:
    """Public input n, output n!."""
    return droste.Program.from_file(PROGRAMS / "factorial.rs")


@pytest.fixture(scope="session")
def fibonacci() -> droste.Program:
    """Public input n, output the n-th Fibonacci number."""
    return droste.Program.from_file(PROGRAMS / "fibonacci.rs")


@pytest.fixture(scope="session")
def proof(factorial: droste.Program) -> droste.Proof:
    """A proof of 5! at toy parameters."""
    return factorial.prove([5], preset="toy")


@pytest.fixture(scope="session")
def wraps(
    factorial: droste.Program, fibonacci: droste.Program, proof: droste.Proof
) -> list[droste.Aggregate]:
    """Wraps of proofs of two programs, in Poseidon-16, whose verifier is the smallest."""
    other = fibonacci.prove([4], preset="toy")
    return [
        droste.wrap(proof, factorial, [5], preset="toy"),
        droste.wrap(other, fibonacci, [4], preset="toy"),
    ]


@pytest.fixture(scope="session")
def joined(wraps: list[droste.Aggregate]) -> droste.Aggregate:
    """The join of the wraps."""
    return droste.join(wraps, preset="toy")


@pytest.fixture(scope="session")
def leaves(
    factorial: droste.Program,
) -> list[tuple[droste.Proof, droste.Program, list[int]]]:
    """Proofs of 3!, 4! and 5! at toy parameters, as leaves of a plan."""
    return [(factorial.prove([n], preset="toy"), factorial, [n]) for n in (3, 4, 5)]


@pytest.fixture(scope="session")
def plan(leaves: list[tuple[droste.Proof, droste.Program, list[int]]]) -> droste.Plan:
    """Three wraps and two joins."""
    return droste.Plan(leaves, preset="toy", arity=2)


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> droste.Store:
    """Where `root` was made."""
    return droste.Store(tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="session")
def root(
    leaves: list[tuple[droste.Proof, droste.Program, list[int]]], stored: droste.Store
) -> droste.Aggregate:
    """The aggregate of the leaves, made in this process."""
    return droste.aggregate(leaves, preset="toy", arity=2, store=stored.folder)


SUMS = """\
//! Sums of factorials, of which a leaf proves one.

use droste_gadgets::fold::{Leaf, State};
use droste_gadgets::prelude::*;

#[derive(Clone, Copy, Debug)]
pub struct Sum {
    pub sum: Felt,
    pub terms: Felt,
}

impl State for Sum {
    const BLOCKS: usize = 1;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        vec![Block::new([self.sum, self.terms, zero, zero, zero, zero, zero, zero])]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            sum: blocks[0].lane(0),
            terms: blocks[0].lane(1),
        }
    }
}

pub fn pair(first: &Leaf<0>, second: &Leaf<0>) -> Sum {
    Sum {
        sum: first.statement.lane(1) + second.statement.lane(1),
        terms: Felt::ONE + Felt::ONE,
    }
}

pub fn append(before: &Sum, leaf: &Leaf<0>) -> Sum {
    // Compared with what the leaf says.
    let term = hint_felt().any();
    assert_eq!(term, leaf.statement.lane(1), "the leaf says another factorial");
    Sum {
        sum: before.sum + term,
        terms: before.terms + Felt::ONE,
    }
}

pub fn start() -> Sum {
    // Every value is admissible.
    let first = hint_felt().any();
    Sum {
        sum: first,
        terms: Felt::ZERO,
    }
}

pub fn step(before: &Sum) -> Sum {
    Sum {
        sum: before.sum + before.sum,
        terms: before.terms + Felt::ONE,
    }
}
"""
"""Rules of a fold."""


@pytest.fixture(scope="session")
def three_wraps(
    plan: droste.Plan, stored: droste.Store, root: droste.Aggregate
) -> list[droste.Aggregate]:
    """Wraps of the leaves, as `root` has them."""
    found = [stored.get(task["name"]) for task in plan.tasks[:3]]
    return [droste.Aggregate.from_bytes(data) for data in found if data is not None]


@pytest.fixture(scope="session")
def fold(factorial: droste.Program, three_wraps: list[droste.Aggregate]) -> droste.Fold:
    """The fold of these rules."""
    leaves: list[Any] = [(factorial, *three_wraps)]
    return droste.Fold.compile(SUMS, name="sums.rs", leaves=leaves, preset="toy")


@pytest.fixture(scope="session")
def terms(
    leaves: list[tuple[droste.Proof, droste.Program, list[int]]],
    three_wraps: list[droste.Aggregate],
) -> list[Any]:
    """Leaves of a fold: two wraps, and a proof with the hint of the rule that takes it."""
    return [*three_wraps[:2], (leaves[2][0], [{"felt": 120}])]


@pytest.fixture(scope="session")
def fold_store(tmp_path_factory: pytest.TempPathFactory) -> droste.Store:
    """Where `folded` was made."""
    return droste.Store(tmp_path_factory.mktemp("nodes"))


@pytest.fixture(scope="session")
def folded(fold: droste.Fold, terms: list[Any], fold_store: droste.Store) -> droste.Folded:
    """The fold of the terms, made in this process."""
    return fold.all(terms, store=fold_store.folder)


@pytest.fixture(scope="session")
def signed(tmp_path_factory: pytest.TempPathFactory) -> list[SignedMessage]:
    """Signatures of Alice, Bob and Carol of one message in one slot."""
    folder = tmp_path_factory.mktemp("keys")
    signed = []
    for name in ("alice", "bob", "carol"):
        with StoredKey.create(folder / name, slots=2) as key:
            signed.append(key.sign(1, [1] * 8))
    return signed


@pytest.fixture(scope="session")
def registry(signed: list[SignedMessage]) -> Registry:
    """The keys of all three."""
    return Registry([one.public_key for one in signed])


@pytest.fixture(scope="session")
def signature_store(tmp_path_factory: pytest.TempPathFactory) -> droste.Store:
    """Where `signatures` was made."""
    return droste.Store(tmp_path_factory.mktemp("batches"))


@pytest.fixture(scope="session")
def signatures(
    signed: list[SignedMessage], registry: Registry, signature_store: droste.Store
) -> tuple[droste.Folded, list[int]]:
    """The fold of two batches of signatures with its signers, made in this process."""
    store = signature_store.folder
    return droste.signatures.aggregate(signed, registry, preset="toy", batch=2, store=store)
