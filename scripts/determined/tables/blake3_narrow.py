"""Blake3 with eight rows a compression, one of inputs and one for each round.

What is slack is not shown to be determined, and never known: digits of limbs; on a row of inputs the message,
and sums `a` but those of the first state. A row of inputs also holds bits of the state before it, which follow from that.
"""

from composition import INNER, Case, Composition, Failed, Step, one_hot
from tables import steps as places
from tables.blake3 import INPUTS, LIMB, half_round

ROUNDS = 7
ROWS = ROUNDS + 1
# The round's permutation of the message's words (BLAKE3, section 2.2), and its two cycles.
PERMUTATION = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8]


def cycle(word):
    words = [word]
    while PERMUTATION[words[-1]] != word:
        words.append(PERMUTATION[words[-1]])
    return words


DIGITS, BITS = cycle(0), cycle(1)


def inputs(cells, bits_of_fields):
    """The steps that determine a row of inputs, and the message's limbs that it range-checks."""
    steps = [Step("bits of a limb", bits) for bits in bits_of_fields]
    for j in range(4):
        word, limbs = cells(f"halves[{j}][0].d"), cells(f"halves[{4 + j}][1].a")
        steps.append(Step("limbs of the chaining value", limbs, word, bound=LIMB, follows=False))
        steps.append(Step("bits of the chaining value", word))
    for name in [f"halves[{j}][{h}].c" for j in range(4) for h in range(2)]:
        steps.append(Step("no sums", cells(name)))
    for j in range(4, 8):
        steps.append(Step("no sums", cells(f"halves[{j}][0].c")))
        steps.append(Step("initialisation vector", cells(f"halves[{j}][1].c"), bound=LIMB))
    steps.append(Step("bits past the block length", cells("halves[7][1].d")[7:]))
    steps.append(Step("bits past the flags", cells("halves[4][1].d")[8:]))
    checked = {}
    for j in range(4):
        high, *words = (cells(f"halves[{j}]{of}") for of in ("[0].b", "[1].d", "[1].b"))
        for half in range(2):
            checked[DIGITS[2 * j + half], 1] = high[16 * half:16 * half + 16]
            for limb in range(2):
                checked[BITS[2 * j + half], limb] = words[half][16 * limb:16 * limb + 16]
    limb = lambda place: cells(f"message[{place[0]}]", "next")[place[1]]
    for place, bits in checked.items():
        steps.append(Step("a limb of the message", [limb(place)], bits, bound=LIMB, follows=False))
        steps.append(Step("bits of the message", bits))
    last = DIGITS[ROUNDS], 0
    steps.append(Step("a limb of the message", [limb(last)], cells("digits"), bound=LIMB, follows=False))
    return steps, {*checked, last}


def first_words(checked, cells, at):
    """Rows of rounds, from the last to the first: the low limb of the word that stands first is range-checked
    by digits, and the limbs that come to stand there by the row below. Those of the first round's row."""
    low = lambda place, row="local": cells(f"message[{place}]", row)[0]
    below = []
    for place in range(ROUNDS, 0, -1):
        steps = [Step("the word that stands first", [low(0)], cells("digits"), bound=LIMB, follows=False)]
        steps += [Step("a word of the row below", [low(PERMUTATION[i])], bound=LIMB, follows=False)
                  for i in below]
        known = {low(i, "next"): LIMB for i in below}
        checked.run(Case(f"limbs of row {place}", INNER, list(known), steps, at(place), known))
        below = [0, *(PERMUTATION[i] for i in below)]
    return {(place, 0) for place in below}


def check(rows, solver):
    cells = lambda name, row="local": rows.variables("row." + name, row)
    sent = rows.variables("is_real")
    at = lambda index: dict(zip(cells("steps") + cells("steps", "next"),
                                one_hot(index, ROWS) + one_hot((index + 1) % ROWS, ROWS)))
    nodes, _ = rows.messages["blake3"]
    checked = Composition(rows, solver, sent, nodes[:INPUTS])

    after = cells("steps", "next")
    places.check(checked, cells("steps"), after)
    checked.run(Case("row above no first round", INNER, [], [Step("nothing is sent", sent)], {after[1]: 0}))

    steps, in_range = inputs(cells, checked.bits)
    of_digits = first_words(checked, cells, at)
    if len(in_range | of_digits) != 32:
        raise Failed("some limbs of the message are not range-checked")
    message = cells("message", "next")
    state = [f"halves[{j}][1].{word}" for j in range(4, 8) for word in "abcd"]
    state = [cell for name in state for cell in cells(name)]
    sums = [cell for j in range(4, 8) for word in "ac" for cell in cells(f"halves[{j}][1].{word}")]
    for j in range(8):
        for h in range(2):
            names = (f"halves[{j}][{h}].{word}" for word in "adcb")
            steps += half_round(*(cells(name, "next") for name in names))
    rounds = steps[-64:]
    shown = {cells(f"message[{place}]", "next")[limb]: LIMB for place, limb in of_digits}
    known = checked.field_cells
    checked.run(Case("rows of inputs and a round", INNER, known, steps, at(0), shown))
    for index in range(1, ROUNDS):
        words = [Step("message", cells(f"message[{place}]", "next"), bound=LIMB) for place in range(16)]
        shown = dict.fromkeys(cells("message") + sums, LIMB)
        known = state + cells("message")
        checked.run(Case("rows of two rounds", INNER, known, words + rounds, at(index), shown))
    last = [Step("bits of the last state", cells(f"halves[{j}][0].{word}", "next"))
            for j in range(4, 8) for word in "db"]
    last += [Step("output", cells(f"output[{i}]")) for i in range(8)]
    checked.run(Case("rows of the last round and inputs", INNER, state, last, at(ROUNDS),
                     dict.fromkeys(sums, LIMB)))
    for index in range(ROUNDS):
        stays = [Step("output", cells(f"output[{i}]")) for i in range(8)]
        checked.run(Case("output on a row above", INNER, cells("output", "next"), stays, at(index)))
    checked.finish(free=cells("digits"))
    return checked
