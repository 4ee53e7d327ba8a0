"""Checks that the inputs of each hash table determine its outputs: see README.md.

    python check.py [poseidon16] [blake3] [keccak]
"""

import subprocess
import sys
import time
from pathlib import Path

from composition import FIRST, INNER, LAST, Case, Composition, Failed, Step
from expressions import Table
from pieces import Solver

ROOT = Path(__file__).resolve().parents[2]
sys.setrecursionlimit(100_000)


def table(name):
    command = ["cargo", "run", "--quiet", "-p", "droste-air", "--example", "constraints", "--", name]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return Table(printed.stdout)


def poseidon16(solver):
    rows = table("poseidon16")
    cells = rows.variables
    inputs = cells("permutation.inputs")
    flags = cells("is_compress") + cells("is_real")
    steps = [Step("full round", cells(f"permutation.beginning[{i}]")) for i in range(4)]
    steps += [Step("partial round", cells(f"permutation.partial[{i}]")) for i in range(20)]
    steps += [Step("full round", cells(f"permutation.ending[{i}]")) for i in range(4)]
    checked = Composition(rows, solver, inputs + flags)
    checked.run(Case("row", INNER, inputs + flags, steps, {}), True)
    checked.finish({"local.is_compress", "local.is_real"})
    return checked


def blake3(solver):
    rows = table("blake3")
    cells = lambda name: rows.variables("compression." + name)
    flags = rows.variables("is_real")
    checked = Composition(rows, solver, flags, fields=54)
    steps = [Step("bits of a limb", bits) for bits in checked.bits]

    halves = [f"rounds[{r}][{q}][{h}]" for r in range(6) for q in range(8) for h in range(2)]
    halves += [f"last_columns[{q}][{h}]" for q in range(4) for h in range(2)]
    halves += [f"last_diagonals[{q}]" for q in range(4)]
    for name in halves:
        a, d, c, b = (cells(f"{name}.{word}") for word in "adcb")
        steps.append(Step("limbs of a", a, d, bound=0xFFFF, follows=False))
        steps.append(Step("a sum and an XOR", a + d))
        steps.append(Step("limbs of c", c, b, bound=0xFFFF, follows=False))
        steps.append(Step("a sum and an XOR", c + b))
    for q in range(4):
        a, d, c = (cells(f"last_halves[{q}].{word}") for word in "adc")
        steps.append(Step("limbs of a", a, d, bound=0xFFFF, follows=False))
        steps.append(Step("a sum and an XOR", a + d))
        steps.append(Step("a sum of bits", c))
    steps += [Step("output", cells(f"output[{i}]")) for i in range(8)]
    checked.run(Case("row", INNER, flags, steps, {}), True)
    checked.finish(set())
    return checked


ROUNDS = 24


def one_hot(index):
    return [int(i == index) for i in range(ROUNDS)]


def theta(rows, prefix, row):
    """The steps that determine the bits of a row from the state before it."""
    cells = lambda name: rows.variables(prefix + name, row)
    c = [cells(f"bits.c[{x}]") for x in range(5)]
    c_prime = [cells(f"bits.c_prime[{x}]") for x in range(5)]
    a_prime = [cells(f"bits.a_prime[{lane}]") for lane in range(25)]
    for x in range(5):
        neighbours = c[x] + c[(x + 4) % 5] + c[(x + 1) % 5]
        yield Step("parities are bits", c_prime[x], neighbours, bound=1, follows=False)
    for x in range(5):
        for z in range(0, 64, 16):
            lanes = [bit for y in range(5) for bit in a_prime[x + 5 * y][z:z + 16]]
            yield Step("theta: parities before", c[x][z:z + 16], c_prime[x][z:z + 16] + lanes)
    for x in range(5):
        yield Step("theta: parities after", c_prime[x])
    for lane in range(25):
        for z in range(0, 64, 16):
            yield Step("theta: a limb of a lane", a_prime[lane][z:z + 16])


def keccak(solver):
    rows = table("keccak")
    cells = lambda name, row="local": rows.variables("round." + name, row)
    sent = rows.variables("is_real")
    steps = {row: cells("steps", row) for row in ("local", "next")}
    at = lambda row, index: dict(zip(steps[row], one_hot(index)))
    checked = Composition(rows, solver, cells("preimage") + sent)
    first = [Step("round number", steps["local"], values=one_hot(0))]
    checked.run(Case("first row", FIRST, [], first, {}), True)
    for index in range(ROUNDS):
        after = (index + 1) % ROUNDS
        known = cells("output") + cells("preimage")
        follow = [Step("round number", steps["next"], values=one_hot(after))]
        if after:
            follow.append(Step("preimage", cells("preimage", "next")))
        else:
            known = known + cells("preimage", "next")
        follow += theta(rows, "round.", "next")
        name = f"rows of rounds {index} and {after}"
        checked.run(Case(name, INNER, known, follow, at("local", index)), index in (0, 23))
    known = cells("output") + cells("preimage") + cells("preimage", "next") + steps["local"]
    name = "rows of the end and the beginning"
    checked.run(Case(name, LAST, known, theta(rows, "round.", "next"), at("next", 0)), False)
    for index in range(ROUNDS):
        known = cells("bits")
        follow = [Step("chi: bits that iota changes", cells("iota"))]
        follow += [Step("chi and iota: a lane", cells(f"output[{lane}]")) for lane in range(25)]
        if index + 1 < ROUNDS:
            follow.append(Step("nothing is sent", sent))
        else:
            known = known + sent
        checked.run(Case(f"row of round {index}", INNER, known, follow, at("local", index)), index == 5)
    checked.finish({"local.is_real", f"local.round.steps[{ROUNDS - 1}]"})
    return checked


TABLES = {"poseidon16": poseidon16, "blake3": blake3, "keccak": keccak}


def main():
    failed = False
    for name in sys.argv[1:] or TABLES:
        start, solver = time.monotonic(), Solver()
        try:
            checked = TABLES[name](solver)
        except Failed as failure:
            print(f"{name}: {failure}")
            failed = True
            continue
        print(f"{name}: {len(checked.table.constraints)} constraints, "
              f"{len(checked.table.columns)} columns, all covered; {len(solver.answers)} questions, "
              f"{solver.seconds:.1f} s in the solver, {time.monotonic() - start:.1f} s in all")
        for (case, kind), (count, questions, removed, noticed) in checked.kinds.items():
            control = f"; {removed} constraints left out, {noticed} noticed" if removed else ""
            print(f"  {case}, {kind}: {count} pieces, {len(questions)} questions{control}")
        for piece in checked.unknown:
            print(f"  unknown: {piece}")
        failed |= bool(checked.unknown)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
