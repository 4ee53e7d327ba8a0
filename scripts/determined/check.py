"""Checks that the inputs of each hash table determine its outputs: see README.md.

    python check.py [poseidon16] [poseidon2-parent] [poseidon2-sponge] [blake3] [blake3-bytes] [keccak]
                    [keccak-sponge]
"""

import subprocess
import sys
import time
from pathlib import Path

from composition import Failed
from expressions import Table
from pieces import SECONDS, Solver
from tables import blake3, blake3_bytes, keccak, keccak_sponge, poseidon16, poseidon2

ROOT = Path(__file__).resolve().parents[2]
TABLES = {
    "poseidon16": poseidon16,
    "poseidon2-parent": poseidon2,
    "poseidon2-sponge": poseidon2,
    "blake3": blake3,
    "blake3-bytes": blake3_bytes,
    "keccak": keccak,
    "keccak-sponge": keccak_sponge,
}
sys.setrecursionlimit(100_000)


def table(name):
    command = ["cargo", "run", "--quiet", "-p", "droste-bench", "--no-default-features",
               "--features", "hashes", "--example", "constraints", "--", name]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Table(printed.stdout)


def report(name, checked, solver, seconds):
    kinds = checked.kinds.values()
    print(f"{name}: {len(checked.table.constraints)} constraints of {len(checked.missed)} kinds, "
          f"{len(checked.table.columns)} columns, all covered; {len(solver.answers)} questions, "
          f"{sum(kind.left_out for kind in kinds)} controls, {sum(kind.missed for kind in kinds)} with a "
          f"counterexample; {solver.seconds:.1f} s in the solver, {seconds:.1f} s in all")
    for (case, step), kind in checked.kinds.items():
        control = f"; {kind.left_out} constraints left out, {kind.missed} missed" if kind.left_out else ""
        print(f"  {case}, {step}: {kind.pieces} pieces, {len(kind.questions)} questions{control}")
        for constraint in kind.not_missed:
            print(f"    not missed here: {constraint}")
    for constraint in sorted(checked.ranges_not_missed):
        print(f"  range that no question misses: {constraint}")
    for piece in checked.unknown:
        print(f"  unknown, no answer in {SECONDS} s: {piece}")


def main():
    names = sys.argv[1:] or list(TABLES)
    if not set(names) <= set(TABLES):
        print(__doc__, file=sys.stderr)
        return 2
    failed = False
    for name in names:
        solver, rows = Solver(), table(name)
        start = time.monotonic()
        try:
            checked = TABLES[name].check(rows, solver)
        except Failed as failure:
            print(f"{name}: {failure}")
            failed = True
            continue
        report(name, checked, solver, time.monotonic() - start)
        failed |= bool(checked.unknown)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
