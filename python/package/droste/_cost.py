"""What verifying a proof costs in-circuit, each row measured in a process of its own.

A process of its own because peak memory can only be read for a whole process. It is ended when the
caller is interrupted.
"""

from __future__ import annotations

import json
import operator
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from droste import _errors
from droste._arguments import items
from droste._native import Program, cost_row
from droste._types import CostRow, Hint

HASHES = ("poseidon16", "poseidon2", "blake3", "keccak")


def cost(
    program: Program,
    public: Sequence[int] = (),
    *,
    hints: Sequence[Hint] = (),
    inner_hash: str | Sequence[str] = HASHES,
    stack: str | None = None,
    preset: str | None = None,
    queries: Sequence[int] = (),
    blowup: int = 4,
    outer_preset: str = "proven-120",
    memory: int = 12 << 30,
    execute_only: bool = False,
    canonical: bool = False,
    limit: int = 1 << 24,
) -> list[CostRow]:
    """Measures what verifying a program's proof costs in-circuit, beside proving it natively.

    Args:
        program: A program.
        public: Its public inputs.
        hints: As for `Program.run`.
        inner_hash: Hash of the inner proof, or several: each is measured.
        stack: Proof stack of the inner proof, `fri` or `whir`; the default is `whir`, and `fri` if
            there are queries, as for `Program.prove`.
        preset: Security level of the inner proof: `proven-100`, `proven-120` (the default),
            `proven-128` or `toy`.
        queries: Numbers of queries of the inner proof instead of a preset: each is measured,
            without grinding.
        blowup: Blowup of the inner proof: 2, 4, 8 or 16.
        outer_preset: Security level of the outer proof.
        memory: Bytes that a proof may take, by an estimate made before it is proved. An outer proof
            that takes more is left out, and its record says so (`left_out`).
        execute_only: Only execute the verifier of the inner proof in the machine, without proving
            that run.
        canonical: Also bring the inner proof to the canonical shape, and list what each step costs.
        limit: Largest number of instructions that the program may execute.

    Returns:
        A list of records with the figures that `droste cost --format json` prints (without `run`),
        which `pandas.DataFrame` takes as it is: times in milliseconds, memory in bytes.
    """
    if isinstance(inner_hash, str):
        inner_hash = [inner_hash]
    hashes = items(inner_hash, "a hash or a list of hashes")
    shared: dict[str, Any] = {
        "inner_stack": stack,
        "inner_preset": preset,
        "blowup": blowup,
        "outer_preset": outer_preset,
        "memory": memory,
        "execute_only": execute_only,
        "canonical": canonical,
        "limit": limit,
    }
    numbers = items(queries, "a list of numbers of queries")
    if numbers and preset is not None:
        raise _errors.UsageError("a preset and numbers of queries were given, expected one")
    rows = [
        {**shared, "inner_hash": hash, "queries": number}
        for hash in hashes
        for number in numbers or [None]
    ]
    for row in rows:
        # Wrong arguments are refused before anything is measured.
        cost_row(program, public, hints, **row, only_check=True)
    return [_in_process(program, public, hints, row) for row in rows]


def _in_process(
    program: Program, public: Sequence[int], hints: Sequence[Hint], arguments: dict[str, Any]
) -> CostRow:
    request = {
        "text": program.text,
        "name": program.name,
        "public": list(public),
        "hints": list(hints),
        "arguments": arguments,
    }
    done = subprocess.run(
        [sys.executable, "-m", "droste._cost_row"],
        # Integers of numpy are none of JSON's.
        input=json.dumps(request, default=operator.index),
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        check=False,
    )
    if done.returncode != 0:
        raise _errors.CostError(f"the process that measures ended with {done.returncode}")
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise getattr(_errors, answer["error"])(answer["text"])
    row: CostRow = answer["row"]
    return row
