"""Poseidon-16: a row is a permutation."""

from composition import INNER, Case, Composition, Step


def check(rows, solver):
    cells = rows.variables
    inputs = cells("permutation.inputs")
    flags = cells("is_compress") + cells("is_real")
    steps = [Step("full round", cells(f"permutation.beginning[{i}]")) for i in range(4)]
    steps += [Step("partial round", cells(f"permutation.partial[{i}]")) for i in range(20)]
    steps += [Step("full round", cells(f"permutation.ending[{i}]")) for i in range(4)]
    checked = Composition(rows, solver, inputs + flags)
    checked.run(Case("row", INNER, inputs + flags, steps))
    checked.finish({"local.is_compress", "local.is_real"})
    return checked
