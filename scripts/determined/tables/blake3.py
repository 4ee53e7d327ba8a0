"""Blake3 with a compression a row."""

from composition import INNER, Case, Composition, Step

LIMB = 0xFFFF
# Elements of the message that are inputs; the other 16 are the output.
INPUTS = 54


def half_round(a, d, c, b):
    """Half a quarter-round: two sums, each of limbs that an XOR range-checks."""
    yield Step("limbs of a", a, d, bound=LIMB, follows=False)
    yield Step("a sum and an XOR", a + d)
    yield Step("limbs of c", c, b, bound=LIMB, follows=False)
    yield Step("a sum and an XOR", c + b)


def check(rows, solver):
    cells = lambda name: rows.variables("compression." + name)
    flags = rows.variables("is_real")
    [(nodes, _)] = rows.messages["blake3"]
    checked = Composition(rows, solver, flags, nodes[:INPUTS])
    steps = [Step("bits of a limb", bits) for bits in checked.bits]

    halves = [f"rounds[{r}][{q}][{h}]" for r in range(6) for q in range(8) for h in range(2)]
    halves += [f"last_columns[{q}][{h}]" for q in range(4) for h in range(2)]
    halves += [f"last_diagonals[{q}]" for q in range(4)]
    for name in halves:
        steps += half_round(*(cells(f"{name}.{word}") for word in "adcb"))
    for q in range(4):
        a, d, c = (cells(f"last_halves[{q}].{word}") for word in "adc")
        steps.append(Step("limbs of a", a, d, bound=LIMB, follows=False))
        steps.append(Step("a sum and an XOR", a + d))
        steps.append(Step("a sum of bits", c))
    steps += [Step("output", cells(f"output[{i}]")) for i in range(8)]
    checked.run(Case("row", INNER, flags + checked.field_cells, steps))
    checked.finish()
    return checked
