"""Poseidon2, at both widths: a row is a permutation."""

from composition import INNER, Case, Composition, Step


def check(rows, solver):
    cells = rows.variables
    inputs, real = cells("permutation.inputs"), cells("is_real")
    rounds = len(cells("permutation.partial"))
    steps = [Step("full round", cells(f"permutation.beginning[{i}]")) for i in range(4)]
    steps += [Step("partial round", cells(f"permutation.partial[{i}]")) for i in range(rounds)]
    steps += [Step("full round", cells(f"permutation.ending[{i}]")) for i in range(4)]
    checked = Composition(rows, solver, inputs + real)
    checked.run(Case("row", INNER, inputs + real, steps))
    checked.finish({"local.is_real"})
    return checked
