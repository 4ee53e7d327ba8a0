"""Keccak-f, a round a row: the form of degree 3."""

from composition import INNER, Case, Composition, Step, one_hot
from tables import steps as places

ROUNDS = 24


def theta(rows, row):
    """The steps that determine the bits of a row from the state before it."""
    cells = lambda name: rows.variables("bits." + name, row)
    c = [cells(f"c[{x}]") for x in range(5)]
    c_prime = [cells(f"c_prime[{x}]") for x in range(5)]
    a_prime = [cells(f"a_prime[{lane}]") for lane in range(25)]
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


def pairs():
    """The rounds of two rows: a permutation, the next one, and a row that is idle."""
    return [(index, (index + 1) % ROUNDS) for index in range(ROUNDS)] + [(0, 0)]


def check(rows, solver):
    cells = lambda name, row="local": rows.variables(name, row)
    steps = {row: cells("steps", row) for row in ("local", "next")}
    at = lambda row, index: dict(zip(steps[row], one_hot(index, ROUNDS)))
    checked = Composition(rows, solver, cells("preimage"))
    places.check(checked, steps["local"], steps["next"])
    for index, after in pairs():
        known = cells("output") + cells("preimage")
        follow = []
        if after:
            follow.append(Step("preimage", cells("preimage", "next")))
        else:
            known = known + cells("preimage", "next")
        follow += theta(rows, "next")
        name = f"rows of rounds {index} and {after}"
        checked.run(Case(name, INNER, known, follow, at("local", index) | at("next", after)))
    for index in range(ROUNDS):
        known = cells("bits")
        follow = [Step("chi: bits that iota changes", cells("iota"))]
        follow += [Step("chi and iota: a lane", cells(f"output[{lane}]")) for lane in range(25)]
        checked.run(Case(f"row of round {index}", INNER, known, follow, at("local", index)))
    checked.finish()
    return checked
