"""Wraps and joins at toy parameters: what they say, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import droste


def test_proofs_of_two_programs_become_one(
    joined: droste.Aggregate, wraps: list[droste.Aggregate], factorial: droste.Program,
    fibonacci: droste.Program,
) -> None:  # fmt: skip
    programs = [factorial, fibonacci]
    said = joined.verify(key=joined.key, claim=joined.claim, min_bits=1, leaves=programs)
    assert said["keys_are"] == "pinned"
    assert said["claim"] == joined.claim
    assert 0 <= said["tree_bits"] < said["proven_bits"] < 100
    assert len(said["steps"]) == 1 and said["steps"][0]["children"] == 2

    # The tree shows the statements of both programs, in order.
    def leaves(node: Any) -> list[tuple[str, list[int]]]:
        if "statement" in node:
            return [(node["key"], node["statement"])]
        return [leaf for child in node["children"] for leaf in leaves(child)]

    keys = [factorial.key(preset="toy"), fibonacci.key(preset="toy")]
    statements = [[5, 120, 0, 0, 0, 0, 0, 0], [4, 3, 0, 0, 0, 0, 0, 0]]
    assert leaves(said["tree"]) == list(zip(keys, statements, strict=True))
    # The key can be derived from the wraps alone, and from the aggregate.
    assert droste.keys(wraps, join=[2], preset="toy")["key"] == joined.key
    assert droste.keys([joined])["key"] == joined.key
    assert sorted(said["accepted_leaves"]) == sorted(keys)
    joined.verify(key=joined.key, claim=joined.claim, min_bits=1, leaves=keys)
    with pytest.raises(droste.VerifyError, match="is the key of a leaf, but not one of the keys"):
        joined.verify(key=joined.key, claim=joined.claim, min_bits=1, leaves=keys[:1])
    with pytest.raises(droste.VerifyError, match="is the key of a leaf, but not one of the keys"):
        joined.verify(key=joined.key, claim=joined.claim, min_bits=1, leaves=[])


def test_verification_fails_closed(joined: droste.Aggregate) -> None:
    other = "00" * 32
    with pytest.raises(TypeError, match="missing 2 required keyword"):
        joined.verify()  # type: ignore[call-arg]
    with pytest.raises(droste.VerifyError, match="proven bits"):
        joined.verify(key=joined.key, claim=joined.claim, any_leaf=True)
    with pytest.raises(droste.UsageError, match="nothing says which leaves to accept"):
        joined.verify(key=joined.key, claim=joined.claim, min_bits=1)
    with pytest.raises(droste.UsageError, match="any_leaf accepts all leaves"):
        joined.verify(key=joined.key, claim=joined.claim, leaves=[other], any_leaf=True)
    with pytest.raises(droste.UsageError, match="int was given, expected the digest of a key or a"):
        joined.verify(key=joined.key, claim=joined.claim, leaves=[1])  # type: ignore[list-item]
    said = joined.verify(key=joined.key, claim=joined.claim, min_bits=1, any_leaf=True)
    assert said["accepted_leaves"] == "any"
    with pytest.raises(droste.VerifyError, match="the key set is"):
        joined.verify(key=other, claim=joined.claim, min_bits=1, any_leaf=True)
    with pytest.raises(droste.VerifyError, match="the claim is"):
        joined.verify(key=joined.key, claim=other, min_bits=1, any_leaf=True)
    with pytest.raises(droste.VerifyError, match="expected at least 64"):
        joined.verify(
            key=joined.key, claim=joined.claim, min_bits=1, min_tree_bits=64, any_leaf=True
        )
    with pytest.raises(droste.UsageError, match="64 hexadecimal digits"):
        joined.verify(key="12", claim=joined.claim, any_leaf=True)


def test_files_are_the_commands(
    proof: droste.Proof,
    wraps: list[droste.Aggregate],
    joined: droste.Aggregate,
    command_json: Callable[..., dict[str, Any]],
    command: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """The command reads what is written here and says the same, and writes the same bytes."""
    file, both = tmp_path / "five.wrap", tmp_path / "both.agg"
    wraps[0].write(file)
    wraps[1].write(tmp_path / "four.wrap")
    said = command_json("join", file, tmp_path / "four.wrap", "--preset", "toy", "-o", both)
    assert both.read_bytes() == joined.to_bytes() == bytes(joined)
    assert said["key"] == joined.key and said["claim"] == joined.claim

    read = droste.Aggregate.from_file(both)
    assert read == joined and hash(read) == hash(joined)
    changing = {"verify_ms": 0, "peak_rss_bytes": 0}
    inspected = {**read.inspect(), **changing}
    assert inspected == {**command_json("inspect", both), **changing}
    claimed = {**read.inspect(claimed=True), **changing}
    assert claimed == {**inspected, "keys_are": "claimed"}
    pinned = droste.Aggregate.from_file(both).inspect(keys=[joined.key])
    assert pinned["keys_are"] == "pinned"

    # Words of refusals.
    other = "00" * 32
    for key, claim in [(other, joined.claim), (joined.key, other)]:
        with pytest.raises(droste.VerifyError) as refused:
            read.verify(key=key, claim=claim, min_bits=1, any_leaf=True)
        done = command("verify", both, "--key", key, "--claim", claim, "--min-bits", "1",
                       "--any-leaf")  # fmt: skip
        assert done.stderr == f"droste: {refused.value}\n"
    proof_file = tmp_path / "five.proof"
    proof.write(proof_file)
    with pytest.raises(droste.DecodeError, match="not an aggregate of proofs"):
        droste.Aggregate.from_file(proof_file)


def test_what_was_read_is_verified_before_it_is_joined(
    wraps: list[droste.Aggregate], joined: droste.Aggregate
) -> None:
    read = [droste.Aggregate.from_bytes(wrap.to_bytes()) for wrap in wraps]
    again = droste.join(read, preset="toy", cache=False)
    assert again.to_bytes() == joined.to_bytes()
    assert again.inspect()["keys_are"] == "derived"
    # The keys of the first are pinned, which is the weaker reason.
    read = [droste.Aggregate.from_bytes(wrap.to_bytes()) for wrap in wraps]
    pinned = droste.join(read, preset="toy", keys=[wraps[0].key])
    assert pinned == joined and pinned.inspect()["keys_are"] == "pinned"

    damaged = bytearray(wraps[0].to_bytes())
    damaged[-200] ^= 1
    with pytest.raises((droste.DecodeError, droste.VerifyError)):
        droste.join([droste.Aggregate.from_bytes(damaged), wraps[1]], preset="toy")


def test_the_last_proof_says_what_was_aggregated(
    wraps: list[droste.Aggregate], joined: droste.Aggregate
) -> None:
    last = droste.exit_proof(joined, exit_preset="toy", preset="toy")
    assert last.hash == "keccak"
    last.verify(key=last.key, public=last.statement, min_bits=1)
    with pytest.raises(droste.AggregateError, match="does not have the canonical shape"):
        droste.exit_proof(wraps[0], preset="proven-100")


def test_a_rooted_last_proof_says_the_leaves(joined: droste.Aggregate) -> None:
    last, leaf_root = droste.rooted_exit_proof(joined, exit_preset="toy", preset="toy")
    assert leaf_root["exit_key"] == last.key and leaf_root["exit_statement"] == last.statement
    assert leaf_root["claim"] == joined.claim
    assert leaf_root["aggregate_key"] == joined.inspect()["tree"]["key"]
    assert leaf_root["leaf_count"] == len(leaf_root["leaves"]) == joined.inspect()["leaves"]


def test_wraps_of_aggregates(wraps: list[droste.Aggregate]) -> None:
    """An aggregate of another arity is brought to the canonical shape of this one."""
    wider = droste.wrap(wraps[0], preset="toy", arity=4)
    assert wider.inspect()["proofs"] == 3
    with pytest.raises(droste.AggregateError, match="does not have the canonical shape"):
        droste.join([wider, wraps[1]], preset="toy")


def test_mistakes(
    wraps: list[droste.Aggregate], proof: droste.Proof, factorial: droste.Program
) -> None:
    with pytest.raises(droste.UsageError, match="name the program"):
        droste.wrap(proof, preset="toy")
    with pytest.raises(droste.UsageError, match="but this is an aggregate"):
        droste.wrap(wraps[0], factorial, preset="toy")
    with pytest.raises(droste.UsageError, match="bytes was given, expected a Proof or an Aggreg"):
        droste.wrap(b"", factorial)  # type: ignore[arg-type]
    with pytest.raises(droste.VerifyError, match="element 0 of the statement is 5, expected 6"):
        droste.wrap(proof, factorial, [6], preset="toy")
    with pytest.raises(droste.AggregateError, match="no proofs were given to join"):
        droste.join([], preset="toy")
    for arity in (0, 65):
        with pytest.raises(droste.UsageError, match=f"the arity is {arity}, expected 1 to 64"):
            droste.join(wraps, preset="toy", arity=arity)
    with pytest.raises(droste.UsageError, match="a join of 65 proofs"):
        droste.keys(join=[65])
    with pytest.raises(droste.UsageError, match="unknown preset `x`"):
        droste.keys(join=[2], preset="x")


def test_a_pickled_aggregate_is_not_trusted(wraps: list[droste.Aggregate]) -> None:
    again = pickle.loads(pickle.dumps(wraps[0]))
    assert again == wraps[0]
    assert wraps[0].inspect()["steps"] and not again.inspect()["steps"]
