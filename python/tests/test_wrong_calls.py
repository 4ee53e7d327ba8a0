"""Whatever is given for an argument, a call raises nothing but a `droste.Error`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import droste
from conftest import PROGRAMS, SUMS
from droste import hashes, signatures
from droste.signatures import (
    Registry,
    SignatureBatch,
    SignatureFold,
    SignedMessage,
    StoredKey,
)

Call = tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]
"""What is called, its first arguments in order, and the others by name. All are right."""

WRONG: list[Any] = [
    None,
    True,
    -1,
    2**70,
    10**5000,
    1.5,
    "\ud800",
    {1},
    {"a": 1},
    object(),
    [object()],
    [True],
    np.zeros((2, 2)),
    lambda: 0,
]

OPTIONAL = {
    "arity", "hints", "inner_stack", "key", "leaves", "log_block", "memory", "min_tree_bits",
    "preset", "program", "progress", "public", "queries", "signers", "stack", "store", "witness",
}  # fmt: skip
"""What may be None in some call."""


def is_right(name: str, right: object, wrong: object) -> bool:
    """Whether this value, too, is right for this argument."""
    if wrong is None:
        return right is None or name in OPTIONAL
    if wrong is True:
        return isinstance(right, bool)
    return callable(wrong) and (name == "progress" or callable(right))


@pytest.fixture(scope="module")
def rules(registry: Registry) -> SignatureFold:
    return SignatureFold(registry, preset="toy", batch=2)


@pytest.fixture
def calls(
    factorial: droste.Program,
    proof: droste.Proof,
    wraps: list[droste.Aggregate],
    plan: droste.Plan,
    leaves: list[tuple[droste.Proof, droste.Program, list[int]]],
    stored: droste.Store,
    signed: list[SignedMessage],
    registry: Registry,
    signatures: tuple[droste.Folded, list[int]],
    rules: SignatureFold,
    fold: droste.Fold,
    folded: droste.Folded,
    fold_store: droste.Store,
    terms: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Mapping[str, Call]]:
    """A right call of every function, method and constructor that takes arguments."""
    # Files that a wrong path should write are not left elsewhere.
    monkeypatch.chdir(tmp_path)
    aggregate, (of_signatures, signers) = wraps[0], signatures
    one, task = signed[0], plan.tasks[0]
    file = tmp_path / "file"
    file.write_bytes(b"")
    digest, word = bytes(32), [0] * 8
    row = np.zeros((2, 1), np.uint32)
    tree = droste.MerkleTree("poseidon16", row)
    opened, path = tree.open(0)
    points, scalars = np.zeros((1, 2, 4), np.uint64), np.zeros((1, 4), np.uint64)
    batch = SignatureBatch(registry, [one])
    of_batch = rules.prove(batch)
    checked: dict[str, Any] = {
        "min_signers": 1,
        "signers": signers,
        "min_bits": 0,
        "min_tree_bits": 0,
        "max_proofs": None,
        "max_depth": None,
    }
    family: dict[str, Any] = {"preset": "toy", "batch": 2, "cache": True}
    shape: dict[str, Any] = {"preset": "toy", "arity": 2, "cache": True}
    trusted: dict[str, Any] = {**shape, "keys": []}
    settings: dict[str, Any] = {
        "hash": "poseidon16",
        "stack": "fri",
        "preset": "toy",
        "queries": None,
        "blowup": 4,
    }
    run: dict[str, Any] = {
        "arity": None,
        "jobs": 1,
        "store": None,
        "memory": None,
        "progress": None,
        "cache": True,
    }
    planned = fold.plan(terms)
    node = planned.tasks[2]
    of_fold: dict[str, Any] = {
        "leaves": [factorial],
        "folds": [],
        "preset": None,
        "room": None,
        "recipe": fold.recipe,
        "cache": True,
    }
    of_plan: dict[str, Any] = {
        "hints": lambda *_: None,
        "merge": None,
        "leaf_rules": [],
        "append": None,
        "start": None,
        "start_hints": None,
        "repeat": None,
    }
    folder = tmp_path / "key"
    with StoredKey.create(folder, slots=2) as key:
        byte_hashes: dict[str, Call] = {
            f"{of.__name__}.{name}": (getattr(of, name), arguments, {})
            for of in (droste.Blake3, droste.Keccak256)
            for name, arguments in {
                "hash": (b"",),
                "hash_many": (np.zeros((1, 1), np.uint8),),
                "parent": (digest, digest),
            }.items()
        }
        yield {
            "hash": (droste.hash, ("blake3", b""), {}),
            **byte_hashes,
            "commitment": (droste.commitment, ([1],), {}),
            "digest_to_limbs": (droste.digest_to_limbs, (digest,), {}),
            "Poseidon16.hash_bytes": (droste.Poseidon16.hash_bytes, (b"",), {}),
            "Poseidon16.hash_bytes_many": (
                droste.Poseidon16.hash_bytes_many, (np.zeros((1, 1), np.uint8),), {},
            ),
            "Poseidon16.hash": (droste.Poseidon16.hash, (0, word), {}),
            "Poseidon16.permute": (droste.Poseidon16.permute, (word * 2,), {}),
            "Poseidon16.compress": (droste.Poseidon16.compress, (word * 2,), {}),
            "Poseidon16.compress_pair": (droste.Poseidon16.compress_pair, (word, word), {}),
            "MerkleTree": (droste.MerkleTree, ("poseidon16", row), {"cap_height": 0}),
            "MerkleTree.open": (tree.open, (0,), {}),
            "MerkleTree.verify": (
                droste.MerkleTree.verify,
                ("poseidon16", tree.cap, 2, 1, 0, opened, path),
                {},
            ),
            "msm": (droste.msm, ("bn254", points, scalars), {}),
            "Program.compile": (droste.Program.compile, (factorial.text,), {"name": "a.rs"}),
            "Program.from_file": (droste.Program.from_file, (PROGRAMS / "sort.rs",), {}),
            "Program.key": (factorial.key, (), {**settings, "log_block": None}),
            "Program.run": (factorial.run, ([5],), {"hints": [], "limit": 1000}),
            "Program.prove": (factorial.prove, ([5],), {**settings, "hints": [], "limit": 1000}),
            "Proof.from_bytes": (droste.Proof.from_bytes, (proof.to_bytes(),), {}),
            "Proof.from_file": (droste.Proof.from_file, (file,), {}),
            "Proof.write": (proof.write, (tmp_path / "proof",), {}),
            "Proof.verify": (
                proof.verify,
                (factorial,),
                {"key": None, "public": [5], "min_bits": 0, "limit": 1 << 20},
            ),
            "Aggregate.from_bytes": (droste.Aggregate.from_bytes, (aggregate.to_bytes(),), {}),
            "Aggregate.from_file": (droste.Aggregate.from_file, (file,), {}),
            "Aggregate.write": (aggregate.write, (tmp_path / "aggregate",), {}),
            "Aggregate.verify": (
                aggregate.verify,
                (),
                {
                    "key": aggregate.key, "claim": aggregate.claim, "min_bits": 0,
                    "min_tree_bits": 0, "leaves": [factorial], "any_leaf": False, "limit": 1 << 20,
                    "fold_claims": None, "fold_keys": [],
                },
            ),
            "Aggregate.inspect": (
                aggregate.inspect, (), {"keys": [], "claimed": False, "cache": True},
            ),
            "wrap": (droste.wrap, (proof, factorial, [5]), {**trusted, "limit": 1 << 20}),
            "join": (droste.join, (wraps,), trusted),
            "exit_proof": (droste.exit_proof, (aggregate,), {**trusted, "exit_preset": "toy"}),
            "rooted_exit_proof": (
                droste.rooted_exit_proof, (aggregate,), {**trusted, "exit_preset": "toy"},
            ),
            "keys": (droste.keys, ([],), {**shape, "join": [2]}),
            "aggregate": (
                droste.aggregate,
                (leaves,),
                {**run, "preset": "toy", "min_bits": 0, "limit": 1 << 20},
            ),
            "Plan": (droste.Plan, (leaves,), {**shape, "min_bits": 0, "limit": 1 << 20}),
            "Plan.from_json": (droste.Plan.from_json, (plan.to_json(),), {}),
            "Plan.needed": (plan.needed, (stored,), {"cache": True}),
            "Plan.run": (
                plan.run,
                ([proof.to_bytes() for proof, *_ in leaves], stored),
                {"jobs": 1, "memory": None, "progress": None, "cache": True},
            ),
            "Worker": (droste.Worker, (), shape),
            "Worker.run": (droste.Worker(**shape).run, (task, [b""]), {}),
            "Worker.accept": (droste.Worker(**shape).accept, (plan.root, b""), {}),
            "Worker.accept_result": (droste.Worker(**shape).accept_result, (task, b""), {}),
            "Fold.from_file": (droste.Fold.from_file, (PROGRAMS / "folds" / "repeat.rs",), of_fold),
            "Fold.compile": (droste.Fold.compile, (SUMS,), {**of_fold, "name": "sums.rs"}),
            "Fold.prove": (fold.prove, ("append", [folded, terms[0]]), {"hints": []}),
            "Fold.plan": (fold.plan, (terms,), of_plan),
            "Fold.all": (fold.all, (terms,), {**of_plan, "store": None, "progress": None}),
            "Fold.needed": (fold.needed, (planned, fold_store), {}),
            "Fold.run": (fold.run, (node, [b"", b""]), {}),
            "Fold.is_result": (fold.is_result, (node, b""), {}),
            "Fold.test": (fold.test, ([],), {"lies": 1}),
            "FoldPlan.from_json": (droste.FoldPlan.from_json, (planned.to_json(),), {}),
            "Folded.from_bytes": (droste.Folded.from_bytes, (folded.to_bytes(),), {}),
            "Folded.from_file": (droste.Folded.from_file, (file,), {}),
            "Folded.write": (folded.write, (tmp_path / "fold",), {}),
            "Folded.verify": (
                folded.verify,
                (fold.key,),
                {
                    "state": None, "min_bits": 0, "min_tree_bits": None, "max_proofs": None,
                    "max_depth": None,
                },
            ),
            "Folded.inspect": (folded.inspect, (fold.key,), {}),
            "Folded.wrap": (folded.wrap, (fold.key,), {"preset": "toy", "arity": 2}),
            "Folded.exit_proof": (
                folded.exit_proof, (fold.key,), {"exit_preset": "toy", "preset": "toy", "arity": 2},
            ),
            "Store": (droste.Store, (tmp_path / "store",), {}),
            "Store.get": (stored.get, (task["name"],), {}),
            "Store.put": (droste.Store(tmp_path / "other").put, (task["name"], b""), {}),
            "cost": (
                droste.cost,
                (factorial, [5]),
                {
                    "hints": [], "inner_hash": "poseidon16", "stack": None, "preset": None,
                    "queries": [5], "blowup": 4, "outer_preset": "toy", "memory": 1 << 30,
                    "execute_only": True, "canonical": False, "limit": 1000,
                },
            ),
            "hashes.prove": (hashes.prove, ("blake2s", [bytes(112)]), {}),
            "hashes.verify": (
                hashes.verify, ("blake2s", [(bytes(112), digest)], b""), {"min_bits": 100},
            ),
            "hashes.prove_paths": (
                hashes.prove_paths, ("blake2s", 1, [(digest, 0, digest)], [[digest]]), {},
            ),
            "hashes.verify_paths": (
                hashes.verify_paths,
                ("blake2s", 1, [(digest, 0, digest)], b""),
                {"min_bits": 100},
            ),
            "StoredKey.create": (
                StoredKey.create,
                (tmp_path / "more",),
                {"first_slot": 0, "slots": 2, "witness": None},
            ),
            "StoredKey.open": (StoredKey.open, (folder,), {"witness": None}),
            "StoredKey.sign": (key.sign, (0, word), {}),
            "StoredKey.spend": (key.spend, (0,), {}),
            "SignedMessage": (
                SignedMessage, (one.public_key, one.slot, one.message, one.signature), {},
            ),
            "Registry": (Registry, (registry.keys,), {}),
            "Registry.from_json": (Registry.from_json, (registry.to_json(),), {}),
            "Registry.from_file": (Registry.from_file, (file,), {}),
            "SignatureBatch": (SignatureBatch, (registry, signed), {}),
            "SignatureFold": (SignatureFold, (registry,), family),
            "SignatureFold.batches": (rules.batches, (signed,), {}),
            "SignatureFold.prove": (rules.prove, (batch,), {"store": stored}),
            "SignatureFold.kept": (rules.kept, (batch, stored), {}),
            "SignatureFold.name": (rules.name, (batch,), {}),
            "SignatureFold.plan": (rules.plan, ([batch], [of_batch]), {}),
            "SignatureFold.all": (
                rules.all, ([batch], [of_batch]), {"store": stored, "progress": None},
            ),
            "SignatureFold.unite": (
                rules.unite, (signatures, signatures), {"max_proofs": None, "max_depth": None},
            ),
            "SignatureFold.check": (rules.check, (of_signatures, 1, [1] * 8), checked),
            "signatures.from_file": (droste.signatures.from_file, (file,), {}),
            "signatures.from_json": (droste.signatures.from_json, ("[]",), {}),
            "signatures.to_json": (droste.signatures.to_json, (signed,), {}),
            "signatures.verify": (droste.signatures.verify, (signed,), {}),
            "signatures.aggregate": (
                droste.signatures.aggregate,
                (signed, registry),
                {**family, "store": None, "progress": None},
            ),
            "signatures.check": (
                droste.signatures.check,
                (of_signatures, registry, 1, [1] * 8),
                {**family, **checked},
            ),
        }  # fmt: skip


def parameters(function: Callable[..., object]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def written(function: Callable[..., object], argument: int | str) -> str:
    """The name of an argument that is given by its name or its place."""
    if isinstance(argument, str):
        return argument
    if inspect.isclass(function):
        return f"argument {argument}"
    return parameters(function)[argument]


def functions() -> dict[str, Callable[..., object]]:
    """The functions and methods of the package that take arguments."""
    found: dict[str, Callable[..., object]] = {}
    for module, prefix in ((droste, ""), (hashes, "hashes."), (signatures, "signatures.")):
        for name in module.__all__:
            item = getattr(module, name)
            if inspect.isclass(item):
                own = [name for name in vars(item) if not name.startswith("_")]
                members = {f"{item.__name__}.{name}": getattr(item, name) for name in own}
            else:
                members = {prefix + name: item}
            found.update({path: member for path, member in members.items() if callable(member)})
    return {path: function for path, function in found.items() if parameters(function)}


def test_every_argument_of_every_function_is_tried(calls: Mapping[str, Call]) -> None:
    tried = {
        path: len(first) + len(others)
        for path, (_, first, others) in calls.items()
        if path in functions()
    }
    assert tried == {path: len(parameters(function)) for path, function in functions().items()}


def test_wrong_arguments_are_errors_of_droste(calls: Mapping[str, Call]) -> None:
    complaints, tried = [], 0
    for path, (function, first, others) in calls.items():
        given: dict[int | str, Any] = dict(enumerate(first))
        given.update(others.items())
        for argument, right in given.items():
            name = written(function, argument)
            for wrong in WRONG:
                if is_right(name, right, wrong):
                    continue
                tried += 1
                values = {**given, argument: wrong}
                what = f"{path}: {name} is a {type(wrong).__name__}"
                try:
                    function(
                        *(values[at] for at in range(len(first))),
                        **{name: values[name] for name in others},
                    )
                    complaints.append(f"{what}: accepted")
                except droste.InternalError as error:
                    complaints.append(f"{what}: {error}")
                except droste.Error:
                    pass
                except Exception as error:
                    complaints.append(f"{what}: {error!r}")
    assert complaints == []
    assert tried > 2000


def test_errors_name_the_argument(factorial: droste.Program) -> None:
    with pytest.raises(droste.UsageError) as refused:
        factorial.run([5], limit=-1)
    assert str(refused.value) == "`-1` was given, expected an integer from 0 to 2^64 - 1"
    # Python 3.10 has no notes.
    assert getattr(refused.value, "__notes__", ["'limit'"])[0].endswith("'limit'")
    # It is also what Python raises for wrong values and for wrong types.
    assert isinstance(refused.value, ValueError) and isinstance(refused.value, TypeError)


def test_numbers_of_numpy_are_numbers(factorial: droste.Program) -> None:
    five: Any = np.uint32(5)
    many: Any = np.int64(1000)
    assert factorial.run([five], limit=many)["outputs"] == [120]
    assert factorial.run(np.array([5], np.uint32))["outputs"] == [120]
    program = droste.Program.compile(
        "use droste_gadgets::prelude::*; pub fn main() { reveal(hint_felt().any()); }"
    )
    assert program.run(hints=[{"felt": five}])["outputs"] == [5]
    for wrong in (True, {5}, 5.0, "5", -1):
        with pytest.raises(droste.UsageError, match="hints: "):
            program.run(hints=[{"felt": wrong}])


def test_a_program_may_be_given_by_its_place(
    factorial: droste.Program, proof: droste.Proof
) -> None:
    assert proof.verify(factorial, min_bits=0)["key"] == proof.key
