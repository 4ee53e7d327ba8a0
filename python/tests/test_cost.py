"""Figures of in-circuit verification are those of the command, as pandas takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas
import pytest

import droste
from conftest import PROGRAMS

HINTED = """use droste_gadgets::prelude::*;
pub fn main() {
    let x = hint_felt().any();
    assert_eq!(x * x, public_input());
}
"""


def exact(row: dict[str, Any]) -> dict[str, Any]:
    """The figures that are no measurement."""
    measured = ("_ms", "_bytes", "ns_per_fft_unit")
    sizes = ("leaf_proof_bytes", "outer_proof_bytes")
    return {
        name: value for name, value in row.items() if not name.endswith(measured) or name in sizes
    }


def test_rows_are_the_commands(
    factorial: droste.Program, command_json: Callable[..., list[dict[str, Any]]]
) -> None:
    hashes = ["poseidon16", "blake3"]
    rows = droste.cost(
        factorial, [5], inner_hash=hashes, queries=[1, 3], outer_preset="toy", execute_only=True
    )
    assert [(row["inner_hash"], row["queries"]) for row in rows] == [
        (hash, queries) for hash in hashes for queries in (1, 3)
    ]
    expected = command_json(
        "cost", "--program", PROGRAMS / "factorial.rs", "--public", "5", "--inner-hash", "blake3",
        "--queries", "3", "--outer-preset", "toy", "--execute-only",
    )  # fmt: skip
    # The command adds on which machine and by which command it was measured.
    figures = {name: value for name, value in expected[0].items() if name != "run"}
    assert rows[3].keys() == figures.keys()
    assert exact(rows[3]) == exact(figures)
    frame = pandas.DataFrame(rows)
    assert len(frame) == 4 and frame["cycles"].dtype.kind == "i"
    by_hash = frame.groupby("inner_hash")["fft_cost"].mean()
    assert by_hash["blake3"] > by_hash["poseidon16"]


def test_the_whole_row(factorial: droste.Program) -> None:
    (row,) = droste.cost(
        factorial, [5], inner_hash="poseidon16", preset="toy", outer_preset="toy", canonical=True
    )
    assert row["outer_prove_ms"] > 0 and row["stages_ms"]["commit"] > 0
    assert row["inner_stack"] == "whir"
    assert row["canonical"][-1]["canonical"]


def test_programs_with_hints_are_measured() -> None:
    program = droste.Program.compile(HINTED, name="root.rs")
    rows = droste.cost(
        program, [49], hints=[{"felt": 7}], inner_hash=["poseidon16", "poseidon2"], stack="fri",
        preset="toy", outer_preset="toy", execute_only=True,
    )  # fmt: skip
    assert [row["inner_stack"] for row in rows] == ["fri", "fri"]
    assert {row["program"] for row in rows} == {"root"}


def test_mistakes_are_those_of_the_process_that_measures(factorial: droste.Program) -> None:
    with pytest.raises(droste.UsageError, match="unknown hash `md5`"):
        droste.cost(factorial, [5], inner_hash="md5")
    with pytest.raises(droste.UsageError, match="expected one"):
        droste.cost(factorial, [5], preset="toy", queries=[1])
    with pytest.raises(droste.RunError, match="public input"):
        droste.cost(factorial, [], inner_hash="blake3", preset="toy", outer_preset="toy")
