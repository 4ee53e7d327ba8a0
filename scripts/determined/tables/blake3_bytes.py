"""Blake3 over bytes with eight rows a compression, one of inputs and one for each round.

A lookup is what it says: two bytes, of bits that are columns `lookups` here, and their exclusive or. What is slack
is not shown to be determined, and never known: most of the message on a row of inputs, and what makes up for it.
"""

from composition import INNER, Case, Composition, Failed, Step, one_hot
from tables import steps as places
from tables.blake3 import INPUTS, LIMB

ROUNDS = 7
ROWS = ROUNDS + 1
BYTE = 0xFF
# The round's permutation of the message's words (BLAKE3, section 2.2), and its range-checked positions.
PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]
CHECKED = [1, 3]
# Positions whose words a row of inputs has as in a round before the first.
KEPT = [1, 3, 5, 7]
# Lookups of a row come in this order: limbs of two words, the block length, halves of quarter-rounds.
LENGTH = 4
HALVES = 5
# High and low parts of the bytes of `b ^ c` are at most so much, in each half.
PARTS = [(15, 15), (1, 127)]


class Rows:
    """Names of cells."""

    def __init__(self, rows):
        self.cells = rows.variables

    def word(self, q, h, name, row="next"):
        return self.cells(f"halves[{q}][{h}].{name}", row)

    def bits(self, numbers, byte):
        return [cell for number in numbers for cell in self.cells(f"lookups[{number}].{byte}")]

    def lookups(self, q, h, of):
        """Numbers of the lookups of four bytes of `d` and `a` (0) or of `b` and `c` (1)."""
        return [HALVES + 8 * (2 * q + h) + 2 * i + of for i in range(4)]

    def check(self, number):
        """The cells that belong to the lookup of a limb: its high byte, and the exclusive or."""
        return self.cells(f"checks[{number // 2}][{number % 2}]")

    def state(self, row="local"):
        """Cells of the state after a row, with their bounds."""
        bounds = {}
        for q in range(4, 8):
            for name, bound in [*((name, BYTE) for name in "adc"), *zip(("high", "low"), PARTS[1])]:
                bounds |= dict.fromkeys(self.word(q, 1, name, row), bound)
        return bounds


def bytes_of(at, q, h):
    """Ranges of the cells of a half, from its lookups."""
    d, b = (at.lookups(q, h, of) for of in (0, 1))
    both = lambda numbers: at.bits(numbers, "x") + at.bits(numbers, "y")
    yield Step("bytes", at.word(q, h, "a"), at.bits(d, "y"), bound=BYTE, follows=False)
    yield Step("bytes", at.word(q, h, "c"), at.bits(b, "y"), bound=BYTE, follows=False)
    yield Step("exclusive ors", at.word(q, h, "d"), both(d), bound=BYTE, follows=False)
    for name, bound in zip(("high", "low"), PARTS[h]):
        yield Step("exclusive ors", at.word(q, h, name), both(b), bound=bound, follows=False)


def half_round(at, q, h):
    """Two sums and two exclusive ors, whose bytes are in their ranges."""
    d, b = (at.lookups(q, h, of) for of in (0, 1))
    yield Step("bits of d", at.bits(d, "x"))
    yield Step("a sum", at.word(q, h, "a"))
    yield Step("bits of a", at.bits(d, "y"))
    yield Step("an exclusive or", at.word(q, h, "d"))
    yield Step("bits of b", at.bits(b, "x"))
    yield Step("a sum", at.word(q, h, "c"))
    yield Step("bits of c", at.bits(b, "y"))
    yield Step("an exclusive or", at.word(q, h, "high") + at.word(q, h, "low"))


def seven_bits(at):
    """The block length is in the first byte of its word, which is the second one here."""
    length = at.word(7, 1, "d", "local")[1]
    bits = at.bits([LENGTH], "x") + at.bits([LENGTH], "y")
    return Step("seven bits of the block length", [length], bits, bound=0x7F, follows=False)


def inputs(at, fields):
    """The steps that determine the state of a row of inputs from the message's elements, and its words kept."""
    yield from (Step("bytes of a limb", cells) for cells in fields)
    for q in range(4, 8):
        word = at.word(q, 1, "c", "local")
        yield from (Step("initialisation vector", word[i:i + 2]) for i in (0, 2))
    for q in (7, 4):
        # Rotated by a byte: the first byte of the word is the second one here.
        first, _, *rest = at.word(q, 1, "d", "local")
        yield Step("bytes past length and flags", [first, *rest])
    yield seven_bits(at)
    yield Step("bits of the block length", at.bits([LENGTH], "x") + at.bits([LENGTH], "y"))
    for place in KEPT:
        yield from (Step("a word kept", [limb]) for limb in at.cells(f"message[{place}]"))
    for number in range(LENGTH):
        high, xor = at.check(number)
        yield Step("a limb's bytes", [high, *at.bits([number], "x"), *at.bits([number], "y")])
        yield Step("an exclusive or", [xor])


def limbs_in_range(checked, at, steps_at):
    """Rows of rounds, from the last to the first: limbs of two words are looked up, and the row below shows the
    ranges of those that come to stand there. Of the first round's row, the limbs that these and the row of inputs show."""
    limbs = lambda place, row="local": at.cells(f"message[{place}]", row)
    looked_up = [(limbs(word)[half], 2 * i + half) for i, word in enumerate(CHECKED) for half in (0, 1)]

    def lookup(limb, number):
        high, _ = at.check(number)
        yield Step("high bytes looked up", [high], at.bits([number], "y"), bound=BYTE, follows=False)
        yield Step("limbs looked up", [limb], [high, *at.bits([number], "x")], bound=LIMB, follows=False)

    below = set()
    for place in range(ROUNDS, 0, -1):
        steps = [step for limb, number in looked_up for step in lookup(limb, number)]
        steps += [Step("a word of the row below", limbs(PERMUTATION[i]), bound=LIMB, follows=False)
                  for i in sorted(below)]
        known = {limb: LIMB for i in sorted(below) for limb in limbs(i, "next")}
        checked.run(Case(f"limbs of row {place}", INNER, list(known), steps, steps_at(place), known))
        below = {*CHECKED, *(PERMUTATION[i] for i in below)}
    last = {i for i in range(16) if PERMUTATION[i] in CHECKED}
    steps = []
    for i in sorted(last):
        for half in (0, 1):
            limb = limbs(PERMUTATION[i])[half]
            steps += lookup(limb, dict(looked_up)[limb])
            steps.append(Step("a word of the first round", [limbs(i, "next")[half]], [limb], bound=LIMB, follows=False))
    checked.run(Case("limbs of inputs", INNER, [], steps, steps_at(0)))
    if below | last != set(range(16)):
        raise Failed("some limbs of the message are not range-checked")


def output(at):
    """The row of inputs below the last round: exclusive ors of the state's words."""
    for q in range(4):
        d, b, b_2 = at.lookups(q, 0, 0), at.lookups(q, 0, 1), at.lookups(q, 1, 1)
        a = at.word(q, 0, "a")
        yield from (Step("words of the state", a[i:i + 2]) for i in (0, 2))
        yield Step("bits of d", at.bits(d, "x"))
        yield Step("bits of a", at.bits(d, "y"))
        yield Step("an exclusive or", at.word(q, 0, "d"))
        yield Step("output", at.cells(f"output[{4 + q}]"))
        yield Step("words of the state", at.word(q, 0, "high") + at.word(q, 0, "low"))
        yield Step("bits of b", at.bits(b_2, "x"))
        c = at.word(q, 1, "c")
        yield from (Step("words of the state", c[i:i + 2]) for i in (0, 2))
        yield Step("bits of c", at.bits(b_2, "y"))
        yield Step("an exclusive or", at.word(q, 1, "high") + at.word(q, 1, "low"))
        yield Step("output", at.cells(f"output[{q}]"))


def check(rows, solver):
    at = Rows(rows)
    cells = at.cells
    steps_at = lambda index: dict(zip(cells("steps") + cells("steps", "next"),
                                      one_hot(index, ROWS) + one_hot((index + 1) % ROWS, ROWS)))
    [(nodes, count)] = rows.messages["blake3"]
    after = cells("steps", "next")
    if rows.nodes[count] != after[1]:
        raise Failed("a message is not sent just above a first round")
    checked = Composition(rows, solver, [], nodes[:INPUTS])
    places.check(checked, cells("steps"), after)

    # Lookups hold on any rows; those of a row of inputs, from the row above.
    shown = {}
    for q in range(8):
        for h in (0, 1):
            steps = list(bytes_of(at, q, h))
            checked.run(Case("any rows", INNER, [], steps))
            shown |= {cell: step.bound for step in steps for cell in step.outputs}
    limbs_in_range(checked, at, steps_at)
    limbs = lambda row: dict.fromkeys(cells("message", row), LIMB)
    halves = [step for q in range(8) for h in (0, 1) for step in half_round(at, q, h)]

    known, bounds = checked.field_cells, shown | at.state() | limbs("next")
    kept = {limb: LIMB for place in KEPT for limb in cells(f"message[{place}]")}
    checks = {at.check(number)[0]: BYTE for number in range(LENGTH)}
    first = [*inputs(at, checked.bits), *halves]
    checked.run(Case("rows of inputs and a round", INNER, known, first, steps_at(0), bounds | kept | checks))
    checked.leave_out_together(Case("row of inputs", INNER, [], [], steps_at(0)), seven_bits(at))
    state = at.state()
    for index in range(1, ROUNDS):
        words = [Step("message", cells(f"message[{place}]", "next"), bound=LIMB) for place in range(16)]
        known = [*state, *cells("message")]
        checked.run(Case("rows of two rounds", INNER, known, words + halves, steps_at(index), shown | state | limbs("local")))
    checked.run(Case("rows of the last round and inputs", INNER, list(state), list(output(at)), steps_at(ROUNDS),
                     shown | state))
    for index in range(ROUNDS):
        stays = [Step("output", cells(f"output[{i}]")) for i in range(8)]
        checked.run(Case("output on a row above", INNER, cells("output", "next"), stays, steps_at(index)))
    checked.finish()
    return checked
