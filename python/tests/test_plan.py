"""Plans of aggregation, run in this process."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import droste
from droste._types import Task


def source(task: Task) -> list[dict[str, int]]:
    return [input["source"] for input in task["inputs"]]


def test_a_plan_says_what_it_will_take(
    plan: droste.Plan, leaves: list[tuple[droste.Proof, droste.Program, list[int]]]
) -> None:
    assert (plan.preset, plan.arity, len(plan), len(plan.leaves)) == ("toy", 2, 5, 3)
    tasks = plan.tasks
    assert [task["kind"] for task in tasks] == ["wrap"] * 3 + ["join"] * 2
    assert [source(task) for task in tasks[2:]] == [
        [{"leaf": 2}],
        [{"task": 0}, {"task": 1}],
        [{"task": 3}, {"task": 2}],
    ]
    assert plan.root["source"] == {"task": 4} and plan.root["name"] == tasks[4]["name"]
    estimates = [task["estimate"] for task in tasks]
    assert plan.fft_cost == sum(estimate["fft_cost"] for estimate in estimates)
    assert plan.memory == max(estimate["memory"] for estimate in estimates) > 1 << 20
    assert plan.critical_path == sum(estimates[index]["fft_cost"] for index in (0, 3, 4))
    assert droste.Plan.from_json(plan.to_json()) == plan == pickle.loads(pickle.dumps(plan))
    assert droste.Plan(leaves, preset="toy", arity=3) != plan


def test_what_is_stored_is_not_done_again(
    plan: droste.Plan,
    leaves: list[tuple[droste.Proof, droste.Program, list[int]]],
    stored: droste.Store,
    root: droste.Aggregate,
    tmp_path: Path,
) -> None:
    assert root.inspect()["leaves"] == 3
    empty = droste.Store(tmp_path / "store")
    assert plan.needed(empty) == [0, 1, 2, 3, 4] and plan.needed(stored) == []
    calls: list[tuple[int, int]] = []
    again = droste.aggregate(
        leaves,
        preset="toy",
        arity=2,
        store=stored.folder,
        progress=lambda done, of: calls.append((done, of)),
    )
    assert again == root and calls == [(0, 0)]
    # The root, damaged, and a wrap: what it takes to make the root is there.
    names = [task["name"] for task in plan.tasks]
    for name in names:
        data = stored.get(name)
        assert data is not None
        empty.put(name, data)
    (empty.folder / names[4]).write_bytes(b"torn")
    (empty.folder / names[0]).unlink()
    assert plan.needed(empty) == [4]
    # A valid aggregate of other leaves.
    other = stored.get(names[1])
    assert other is not None
    empty.put(names[3], other)
    assert plan.needed(empty) == [0, 3, 4]


def test_mistakes(
    plan: droste.Plan, leaves: list[tuple[droste.Proof, droste.Program, list[int]]], tmp_path: Path
) -> None:
    proof, program, _ = leaves[1]
    with pytest.raises(droste.VerifyError, match=r"leaf 1: .* is 4, expected 6"):
        droste.Plan([leaves[0], (proof, program, [6])], preset="toy")
    with pytest.raises(droste.VerifyError, match=r"leaf 0: .*proven bits"):
        droste.Plan(leaves, preset="toy", min_bits=100)
    with pytest.raises(droste.AggregateError, match="0 leaves were given"):
        droste.Plan([])
    with pytest.raises(droste.AggregateError, match="the arity is 1, expected 2 to"):
        droste.Plan(leaves, preset="toy", arity=1)
    with pytest.raises(droste.UsageError, match="expected an Aggregate, or"):
        droste.Plan([proof])  # type: ignore[list-item]
    with pytest.raises(droste.UsageError, match="plan: "):
        droste.Plan.from_json("{}")
    with pytest.raises(droste.UsageError, match="input 0 of task 3 is neither a leaf nor"):
        droste.Plan.from_json(plan.to_json().replace('{"task":0}', '{"task":2}'))
    text = plan.to_json()
    for arity in ["0", "65", "18446744073709551615"]:
        with pytest.raises(droste.UsageError, match=f"the arity of the plan is {arity}, expected"):
            droste.Plan.from_json(text.replace('"arity":2', f'"arity":{arity}'))
    with pytest.raises(droste.UsageError, match="the number of jobs is 0"):
        droste.aggregate(leaves, preset="toy", jobs=0)
    with pytest.raises(droste.UsageError, match=r"needs .* GiB of memory by its estimate"):
        droste.aggregate(leaves, preset="toy", memory=1 << 20)
    with pytest.raises(droste.FileError, match="the store"):
        droste.Store(Path(__file__))
    with pytest.raises(droste.UsageError, match="is not a name"):
        droste.Store(tmp_path).get("../name")

    def stop(done: int, of: int) -> None:
        raise LookupError(f"{done} of {of}")

    with pytest.raises(LookupError, match="0 of 5"):
        droste.aggregate(leaves, preset="toy", arity=2, progress=stop)


def test_a_worker_refuses_what_is_not_planned(
    plan: droste.Plan,
    leaves: list[tuple[droste.Proof, droste.Program, list[int]]],
    stored: droste.Store,
) -> None:
    worker = droste.Worker(preset="toy", arity=2)
    wrap, join = plan.tasks[0], plan.tasks[3]
    with pytest.raises(droste.VerifyError, match="it changed after it was planned"):
        worker.run(wrap, [leaves[1][0].to_bytes()])
    with pytest.raises(droste.UsageError, match="1 inputs were given, expected 2"):
        worker.run(join, [b""])
    parts = [stored.get(plan.tasks[index]["name"]) or b"" for index in (0, 1)]
    with pytest.raises(droste.VerifyError, match="input 0 of the task: it proves other keys"):
        worker.run(join, parts[::-1])
    with pytest.raises(droste.DecodeError, match="input 1 of the task"):
        worker.run(join, [parts[0], b"nothing"])
    assert worker.accept_result(wrap, parts[0]).to_bytes() == parts[0]
    with pytest.raises(droste.VerifyError, match="it proves other keys"):
        worker.accept_result(wrap, parts[1])
    with pytest.raises(droste.UsageError, match="this is not a task of a plan"):
        worker.run({"name": "x"}, [])  # type: ignore[typeddict-item]
    with pytest.raises(droste.UsageError, match="the arity is 0, expected 1 to 64"):
        droste.Worker(arity=0)
