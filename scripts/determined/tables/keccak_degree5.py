"""Keccak-f, a round a row: the form of degree 5, in which theta of the next row reads chi of this one.

`ends` is the permutation's input on its rows but the last, where it is the output.
"""

from composition import INNER, Case, Composition, Step, one_hot
from tables import steps as places
from tables.keccak import ROUNDS, pairs, theta


def check(rows, solver):
    cells = lambda name, row="local": rows.variables(name, row)
    sent, ends = cells("is_real"), cells("ends")
    steps = {row: cells("round.steps", row) for row in ("local", "next")}
    at = lambda row, index: dict(zip(steps[row], one_hot(index, ROUNDS)))
    checked = Composition(rows, solver, ends + sent)
    places.check(checked, steps["local"], steps["next"])
    for index, after in pairs():
        known = cells("round.bits")
        follow = []
        if index == ROUNDS - 1:
            follow += [Step("output: a lane", cells(f"ends[{lane}]")) for lane in range(25)]
        else:
            known = known + ends
        if not after:
            known = known + cells("ends", "next")
        if after not in (0, ROUNDS - 1):
            follow.append(Step("input", cells("ends", "next")))
        if after != ROUNDS - 1:
            follow.append(Step("nothing is sent", sent))
        follow += theta(rows, "next")
        name = f"rows of rounds {index} and {after}"
        checked.run(Case(name, INNER, known, follow, at("local", index) | at("next", after)))
    checked.finish({"local.is_real", f"next.round.steps[{ROUNDS - 1}]"})
    return checked
