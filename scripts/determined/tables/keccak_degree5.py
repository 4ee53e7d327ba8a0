"""Keccak-f, a round a row: the form of degree 5, in which theta of the next row reads chi of this one.

`ends` is the permutation's input on its rows but the last, where it is the output.
"""

from composition import FIRST, INNER, LAST, Case, Composition, Step, one_hot
from tables.keccak import ROUNDS, theta


def check(rows, solver):
    cells = lambda name, row="local": rows.variables(name, row)
    sent, ends = cells("is_real"), cells("ends")
    steps = {row: cells("round.steps", row) for row in ("local", "next")}
    at = lambda row, index: dict(zip(steps[row], one_hot(index, ROUNDS)))
    checked = Composition(rows, solver, ends + sent)
    first = [Step("round number", steps["local"], values=one_hot(0, ROUNDS))]
    checked.run(Case("first row", FIRST, [], first))
    for index in range(ROUNDS):
        after = (index + 1) % ROUNDS
        known = cells("round.bits")
        follow = [Step("round number", steps["next"], values=one_hot(after, ROUNDS))]
        if index == ROUNDS - 1:
            follow += [Step("output: a lane", cells(f"ends[{lane}]")) for lane in range(25)]
            known = known + cells("ends", "next")
        else:
            known = known + ends
        if after not in (0, ROUNDS - 1):
            follow.append(Step("input", cells("ends", "next")))
        if after != ROUNDS - 1:
            follow.append(Step("nothing is sent", sent))
        follow += theta(rows, "next")
        name = f"rows of rounds {index} and {after}"
        checked.run(Case(name, INNER, known, follow, at("local", index)))
    known = cells("round.bits") + ends + cells("ends", "next") + steps["local"]
    follow = [Step("nothing is sent", sent), *theta(rows, "next")]
    checked.run(Case("rows of the end and the beginning", LAST, known, follow, at("next", 0)))
    checked.finish({"local.is_real", f"next.round.steps[{ROUNDS - 1}]"})
    return checked
