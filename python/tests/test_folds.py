"""Folds at toy parameters: what they say, what they are derived from, and what is refused."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import droste
from conftest import SUMS
from droste._types import FoldCase

STATE = [[6 + 24 + 120, 3, 0, 0, 0, 0, 0, 0]]
"""What `folded` says."""

OTHER = "00" * 32


def test_a_fold_says_what_its_proofs_mean(fold: droste.Fold, folded: droste.Folded) -> None:
    assert (fold.blocks, folded.key, folded.state) == (1, fold.key, STATE)
    # Two nodes and the wraps of three leaves, and these.
    assert folded.counters == {"rules": 5, "behind": 3, "depth": 1}
    assert folded.verify(fold.key, min_bits=1) == STATE
    assert folded.verify(fold, state=STATE, min_bits=1, max_proofs=8, max_depth=1) == STATE
    wrong: dict[str, dict[str, Any]] = {
        "proven bits": {},
        "first in block 0": {"state": [[150, 2, *[0] * 6]], "min_bits": 1},
        "has 1 blocks, expected 2": {"state": STATE * 2, "min_bits": 1},
        "8 proofs were made for it, expected at most 7": {"max_proofs": 7, "min_bits": 1},
        "1 levels deep, expected at most 0": {"max_depth": 0, "min_bits": 1},
        "expected at least 64": {"min_tree_bits": 64, "min_bits": 1},
    }
    for refused, options in wrong.items():
        with pytest.raises(droste.VerifyError, match=refused):
            folded.verify(fold.key, **options)
    with pytest.raises(droste.VerifyError, match="the fold key is"):
        folded.verify(OTHER, min_bits=1)
    # Digests of other things are named.
    with pytest.raises(droste.VerifyError, match="rule key"):
        folded.verify(folded.rule, min_bits=1)
    with pytest.raises(TypeError, match="missing 1 required"):
        folded.verify()  # type: ignore[call-arg]

    rules = {rule["name"]: rule for rule in fold.rules}
    assert list(rules) == ["pair", "append", "start", "step"]
    assert rules["append"]["takes"] == ["node", "leaf 0"] and rules["start"]["takes"] == []
    assert folded.rule == rules["append"]["key"]
    said = folded.inspect(fold)
    assert (said["keys_are"], said["rule_name"], said["proofs"]) == ("derived", "append", 8)
    assert said["state"] == STATE and 0 <= said["tree_bits"] <= said["proven_bits"] < 100
    # It was read from the store, which keeps no times.
    assert said["steps"] == []
    assert folded.inspect(fold.key)["keys_are"] == "pinned"
    assert fold.memory > 1 << 20


def test_files_are_the_commands(
    fold: droste.Fold,
    folded: droste.Folded,
    command_json: Callable[..., dict[str, Any]],
    command: Callable[..., Any],
    tmp_path: Path,
) -> None:
    """The command reads what is written here and says the same."""
    file = tmp_path / "sums.fold"
    folded.write(file)
    read = droste.Folded.from_file(file)
    assert read == folded == pickle.loads(pickle.dumps(folded)) and hash(read) == hash(folded)
    assert read.to_bytes() == bytes(folded) == file.read_bytes()
    changing = {"verify_ms": 0, "peak_rss_bytes": 0}
    claimed = {**read.inspect(), **changing}
    assert claimed["keys_are"] == "claimed" and claimed["steps"] == []
    assert claimed == {**command_json("fold", "inspect", file), **changing}
    state = tmp_path / "state.json"
    state.write_text(json.dumps(STATE))
    verify = ("fold", "verify", file, "--min-bits", "1", "--state", state)
    verified = command_json(*verify, "--key", fold.key)
    assert verified["state"] == STATE and verified["keys_are"] == "pinned"
    with pytest.raises(droste.VerifyError) as refused:
        read.verify(OTHER, min_bits=1)
    assert command(*verify, "--key", OTHER).stderr == f"droste: {refused.value}\n"

    damaged = bytearray(folded.to_bytes())
    damaged[-200] ^= 1
    with pytest.raises((droste.DecodeError, droste.VerifyError)):
        droste.Folded.from_bytes(damaged).verify(fold, min_bits=1)
    with pytest.raises(droste.DecodeError, match="not an aggregate of proofs"):
        droste.Aggregate.from_file(file)


def test_rules_are_proved_one_by_one(
    fold: droste.Fold,
    folded: droste.Folded,
    fold_store: droste.Store,
    terms: list[Any],
    three_wraps: list[droste.Aggregate],
) -> None:
    pair = droste.Folded.from_bytes(fold_store.get(fold.plan(terms).tasks[1]["name"]) or b"")
    assert pair.state == [[30, 2, *[0] * 6]]
    hints = [{"felt": 120}]
    appended = fold.prove("append", [pair, three_wraps[2]], hints=hints)
    assert appended == folded
    assert [step["children"] for step in appended.inspect(fold)["steps"]] == [2]

    with pytest.raises(droste.RunError, match=r"fails: the leaf says .*sums\.rs:\d+"):
        fold.prove("append", [pair, three_wraps[2]], hints=[{"felt": 121}])
    with pytest.raises(droste.UsageError, match="there is no rule `merge`: the rules are pair"):
        fold.prove("merge", [])
    with pytest.raises(droste.AggregateError, match="takes 2 proofs, 1 were given"):
        fold.prove("append", [pair])
    with pytest.raises(droste.UsageError, match="child 0 of the rule `pair`: a Folded was given"):
        fold.prove("pair", [pair, pair])
    with pytest.raises(droste.UsageError, match="a Proof or an Aggregate was given, expected a F"):
        fold.prove("step", [three_wraps[0]])


def test_plans_know_what_the_fold_will_say(
    fold: droste.Fold, folded: droste.Folded, fold_store: droste.Store, terms: list[Any]
) -> None:
    plan = fold.plan(terms)
    assert (plan.state, plan.counters) == (STATE, folded.counters)
    tasks = plan.tasks
    kinds = [{"wrap": {"leaf": 2}}, {"rule": "pair"}, {"rule": "append"}]
    assert [task["kind"] for task in tasks] == kinds and (len(plan), plan.root) == (3, 2)
    assert tasks[2]["inputs"] == [{"task": 1}, {"task": 0}]
    assert droste.FoldPlan.from_json(plan.to_json()) == plan == pickle.loads(pickle.dumps(plan))

    # What is stored is not done again.
    assert fold.needed(plan, fold_store) == []
    calls: list[tuple[int, int]] = []
    store = fold_store.folder
    again = fold.all(terms, store=store, progress=lambda done, of: calls.append((done, of)))
    assert again == folded and calls == [(0, 0)]
    results = [fold_store.get(task["name"]) or b"" for task in tasks]
    assert fold.is_result(tasks[2], results[2]) and not fold.is_result(tasks[1], results[2])
    with pytest.raises(droste.UsageError, match="1 inputs were given, expected 2"):
        fold.run(tasks[2], [b""])
    with pytest.raises(droste.DecodeError, match="input 0"):
        fold.run(tasks[2], [b"", results[0]])
    with pytest.raises(droste.UsageError, match="this is not a task of a plan of a fold"):
        fold.run({"name": "x"}, [])  # type: ignore[typeddict-item]

    # A chain without leaves, with all of its states.
    chain = fold.plan(start_hints=[{"felt": 1}], repeat=("step", 20))
    assert chain.state == [[1 << 20, 20, *[0] * 6]] and chain.counters["depth"] == 20


def test_hints_depend_on_what_children_say(fold: droste.Fold, terms: list[Any]) -> None:
    seen: list[Any] = []

    def hints(rule: str, says: list[Any], leaves: list[range]) -> list[dict[str, Any]] | None:
        seen.append((rule, says, leaves))
        return [{"felt": says[1][1]}] if rule == "append" else None

    plan = fold.plan([*terms[:2], terms[2][0]], hints=hints)
    assert plan == fold.plan(terms)
    statements = [[3, 6, *[0] * 6], [4, 24, *[0] * 6], [5, 120, *[0] * 6]]
    assert seen == [
        ("pair", statements[:2], [range(0, 1), range(1, 2)]),
        ("append", [[[30, 2, *[0] * 6]], statements[2]], [range(0, 2), range(2, 3)]),
    ]

    def stop(*_: object) -> Any:
        raise LookupError("stop")

    with pytest.raises(LookupError, match="stop"):
        fold.plan(terms, hints=stop)
    with pytest.raises(LookupError, match="stop"):
        fold.all(terms, progress=stop)
    with pytest.raises(droste.UsageError, match="hints of the rule `pair`: "):
        fold.plan(terms, hints=lambda *_: [{"felt": -1}])


def test_rules_that_fail_are_named_before_anything_is_proved(
    fold: droste.Fold, fibonacci: droste.Program, terms: list[Any]
) -> None:
    wrong = [*terms[:2], (terms[2][0], [{"felt": 121}])]
    fails = r"^`append` fails on leaves 0 to 2: the leaf says another factorial \(sums\.rs:\d+\)$"
    with pytest.raises(droste.RunError, match=fails):
        fold.plan(wrong)
    with pytest.raises(droste.RunError, match=fails):
        fold.all(wrong)
    with pytest.raises(droste.VerifyError, match="leaf 1: it is a proof of a program with the key"):
        fold.plan([terms[0], fibonacci.prove([4], preset="toy")])
    with pytest.raises(droste.AggregateError, match="give leaves"):
        fold.plan()
    with pytest.raises(droste.AggregateError, match=r"the rule `step` takes \(node\), expected"):
        fold.plan(terms, merge="step")
    with pytest.raises(droste.UsageError, match="there is no rule `x`"):
        fold.plan(terms, append="x")
    with pytest.raises(droste.UsageError, match="plan: "):
        droste.FoldPlan.from_json("{}")


def test_a_fold_is_derived_again(fold: droste.Fold, factorial: droste.Program) -> None:
    def again(recipe: dict[str, Any], text: str = SUMS, **options: Any) -> droste.Fold:
        return droste.Fold.compile(
            text, name="sums.rs", leaves=[factorial], recipe=recipe, **options
        )

    recipe = json.loads(json.dumps(fold.recipe))
    assert again(recipe).key == fold.key
    # A recipe does not name programs.
    renamed = {**recipe, "leaves": [{**recipe["leaves"][0], "name": "other"}]}
    assert again(renamed).recipe == fold.recipe
    restored = pickle.loads(pickle.dumps(fold))
    assert (restored.key, restored.recipe) == (fold.key, fold.recipe)
    family = {**recipe["family"], "bits_behind": recipe["family"]["bits_behind"] - 1}
    with pytest.raises(droste.VerifyError, match="the fold key is"):
        again({**recipe, "family": family})
    with pytest.raises(droste.UsageError, match=r"the text of rules/sums\.rs differs"):
        again(recipe, SUMS + "\n")
    with pytest.raises(droste.UsageError, match="give no preset and no room"):
        again(recipe, preset="toy")
    with pytest.raises(droste.UsageError, match="recipe: "):
        again({})


def test_rules_and_samples_that_are_none(
    factorial: droste.Program, fibonacci: droste.Program, three_wraps: list[droste.Aggregate]
) -> None:
    def compile(text: str = SUMS, name: str = "sums.rs", leaves: list[Any] | None = None) -> None:
        given = [(factorial, three_wraps[0])] if leaves is None else leaves
        droste.Fold.compile(text, name=name, leaves=given, preset="toy")

    with pytest.raises(droste.CompileError, match=r"(?s)parameter `x` of the rule `f`.*&Sum"):
        compile(SUMS + "pub fn f(x: &Felt) -> Sum { start() }\n")
    with pytest.raises(droste.CompileError, match="there is no leaf 0"):
        compile(leaves=[])
    with pytest.raises(droste.UsageError, match="is no name for a module of rules"):
        compile(name="main.rs")
    with pytest.raises(droste.UsageError, match="leaf 0: there is no sample of"):
        compile(leaves=[factorial])
    with pytest.raises(droste.VerifyError, match="leaf 0: its sample is no proof of the program"):
        compile(leaves=[(fibonacci, three_wraps[0])])
    with pytest.raises(droste.FileError, match=r"none\.rs"):
        droste.Fold.from_file("none.rs")
    with pytest.raises(droste.UsageError, match="no table `x`, expected one of"):
        droste.Fold.compile(SUMS, name="sums.rs", preset="toy", room={"x": 1})


def test_false_hints_are_found(fold: droste.Fold) -> None:
    block = [0] * 6
    append: FoldCase = {
        "rule": "append",
        "nodes": [{"state": [[30, 2, *block]], "counters": {"rules": 3, "behind": 2, "depth": 0}}],
        "leaves": [[5, 120, *block]],
        "hints": [{"felt": 120}],
    }
    start: FoldCase = {"rule": "start", "hints": [{"felt": 7}]}
    listed: FoldCase = {**start, "inputs": ["start:0"]}
    wrong: FoldCase = {**append, "hints": [{"felt": 121}], "fails": ""}
    found = fold.test([append, start, listed, wrong], lies=10)
    assert found["untested"] == ["pair", "step"]
    assert found["refused"] == [{"case": 3, "rule": "append", "fails": "", "instead": None}]
    bound, free, of_input = found["rules"]
    assert not bound["free"] and not bound["together"] and not bound["glue"]
    assert bound["refused"] > 10
    line = SUMS[: SUMS.index("let first = hint_felt")].count("\n") + 1
    assert free["free"] == [{"hint": 0, "lane": 0, "line": line}] == of_input["inputs"]
    assert of_input["free"] == []
    with pytest.raises(droste.RunError, match="case 0: the rule `append` fails"):
        fold.test([{**append, "hints": [{"felt": 1}]}])
    with pytest.raises(droste.UsageError, match="case 0: the rule `append` takes 1 leaves"):
        fold.test([{**append, "leaves": []}])


def test_folds_are_leaves_of_aggregates(fold: droste.Fold, folded: droste.Folded) -> None:
    wrap = folded.wrap(fold.key, preset="toy")
    known: dict[str, Any] = {"key": wrap.key, "claim": wrap.claim, "min_bits": 1}
    opened: dict[str, Any] = {"fold_claims": [folded.claim()], "fold_keys": [fold.key]}
    said = wrap.verify(**known, **opened)
    # The wrap, the node, and the seven below it.
    assert said["proofs"] == 9 and said["hidden_leaves"] == []
    assert folded.rule in said["accepted_leaves"]
    [leaf] = said["folds"]
    assert (leaf["key"], leaf["counters"], leaf["state"]) == (fold.key, folded.counters, STATE)
    assert leaf["statement"] == folded.inspect()["statement"]
    # Without the claim it is a leaf that hides what it verified.
    hidden = wrap.verify(**known, any_leaf=True)
    assert hidden["proofs"] == 2 and hidden["hidden_leaves"] == [folded.rule]
    assert "folds" not in hidden
    with pytest.raises(droste.UsageError, match="give the claims"):
        wrap.verify(**known, any_leaf=True, fold_keys=[fold.key])
    with pytest.raises(droste.VerifyError, match="recursion"):
        wrap.verify(**known, leaves=[folded.rule])
    with pytest.raises(droste.VerifyError, match="whose key is not accepted"):
        wrap.verify(**known, **{**opened, "fold_keys": [OTHER]})
    changed = {**folded.claim(), "state": [[0] * 8]}
    with pytest.raises(droste.VerifyError, match="no claim opens the statement"):
        wrap.verify(**known, **{**opened, "fold_claims": [changed]})

    plan = droste.Plan([(folded, fold)], preset="toy", arity=2)
    assert [task["kind"] for task in plan.tasks] == ["wrap"]
    with pytest.raises(droste.VerifyError, match="leaf 0: the fold key is"):
        droste.Plan([(folded, OTHER)], preset="toy", arity=2)
    with pytest.raises(droste.VerifyError, match="the fold key is"):
        folded.wrap(OTHER, preset="toy")


def test_the_last_proof_says_what_was_folded(fold: droste.Fold, folded: droste.Folded) -> None:
    last = folded.exit_proof(fold, exit_preset="toy")
    assert last.hash == "keccak"
    last.verify(key=last.key, public=last.statement, min_bits=1)
    with pytest.raises(droste.AggregateError, match="does not have the canonical shape"):
        folded.exit_proof(fold.key, exit_preset="toy", preset="toy", arity=4)


TOTALS = """\
//! Sums of sums of another fold.

use super::sums::Sum;
use droste_gadgets::fold::{Foreign, State};
use droste_gadgets::prelude::*;

#[derive(Clone, Copy, Debug)]
pub struct Total {
    pub sum: Felt,
}

impl State for Total {
    const BLOCKS: usize = 1;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        vec![Block::new([self.sum, zero, zero, zero, zero, zero, zero, zero])]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            sum: blocks[0].lane(0),
        }
    }
}

pub fn both(left: &Foreign<0, Sum>, right: &Foreign<0, Sum>) -> Total {
    Total {
        sum: left.state.sum + right.state.sum,
    }
}
"""


def test_other_folds_are_children(fold: droste.Fold, folded: droste.Folded, tmp_path: Path) -> None:
    sums, rules = tmp_path / "sums.rs", tmp_path / "totals.rs"
    sums.write_text(SUMS)
    rules.write_text(TOTALS)
    totals = droste.Fold.from_file(rules, folds=[(sums, fold.recipe, fold.key)], preset="toy")
    assert totals.rules[0]["takes"] == ["fold 0", "fold 0"]
    both = totals.prove("both", [folded, folded])
    assert both.verify(totals, min_bits=1) == [[300, *[0] * 7]]
    assert both.counters == {"rules": 3, "behind": 14, "depth": 2}
    assert pickle.loads(pickle.dumps(totals)).key == totals.key
    # The key of the other fold was only believed, unless the fold was made here.
    assert both.inspect(totals)["keys_are"] == "pinned"
    derived = droste.Fold.from_file(rules, folds=[fold], preset="toy")
    assert derived.key == totals.key and both.inspect(derived)["keys_are"] == "derived"
    with pytest.raises(droste.VerifyError, match="child 0 of the rule `both`: the fold key is"):
        totals.prove("both", [both, folded])
    with pytest.raises(droste.VerifyError, match="the fold key is"):
        droste.Fold.from_file(rules, folds=[(sums, fold.recipe, OTHER)], preset="toy")
    with pytest.raises(droste.UsageError, match="expected a Fold or"):
        droste.Fold.from_file(rules, folds=[(sums, fold.recipe)], preset="toy")
