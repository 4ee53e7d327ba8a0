"""The sponge of Keccak-256, a block a row; the permutations are rows of another table."""

from composition import FIRST, INNER, Case, Composition, Failed, Step

RATE = 136
LIMBS = RATE // 2
# A table has 2^23 rows at most, so this many bytes at most are left of a message.
MOST_BYTES = RATE * 2**23


def answered(rows, number, output, is_real):
    """Two messages with the number are exchanged with the table of permutations, each once if the row is real: the
    input, and the output, which ends in cells that are nothing else. The elements of the output are that table's, and
    the input determines them. Those of the digest, the first ones, are returned."""
    sent = rows.messages["keccak_f"]
    numbered = [rows.nodes[nodes[0]] == number[0] for nodes, _ in sent]
    counted = [("neg", rows.nodes.index(is_real[0])) == rows.nodes[count] for _, count in sent]
    named = [rows.nodes[nodes[1]] for nodes, _ in sent] == [("const", 0), ("const", 1)]
    ends = [rows.nodes[node] for node in sent[1][0][-len(output):]] == output
    if len(sent) != 2 or not all(numbered + counted) or not named or not ends:
        raise Failed("the permutation is not received as it should be")
    return sent[1][0][2:-len(output)]


def check(rows, solver):
    cells = lambda name, row="local": rows.variables(name, row)
    is_real, starts, remaining = cells("is_real"), cells("starts"), cells("remaining")
    next_starts, next_remaining = cells("starts", "next"), cells("remaining", "next")
    present, output, digest = cells("present"), cells("block.output"), cells("digest")
    number, bits, limbs = cells("block.number"), cells("block.bits"), cells("block.digest")
    bytes_of_digest = answered(rows, number, output, is_real)
    # The message's elements past `starts` and `remaining`: the block's bytes, without padding.
    fields = rows.messages["keccak256"][0][0][2:2 + LIMBS]
    inputs = is_real + starts + remaining + number + output
    checked = Composition(rows, solver, inputs, fields + bytes_of_digest)
    bounds = dict.fromkeys(remaining + next_remaining, MOST_BYTES)

    checked.run(Case("first row", FIRST, [], [Step("a message starts", starts, values=[1])]))
    checked.run(Case("row that goes on", INNER, [], [Step("is real", is_real, values=[1])], {starts[0]: 0}))
    # How many bytes the row holds, whether the next one goes on, and how many bytes are left then.
    count = [Step("bytes present", present + next_starts, next_remaining)]
    checked.run(Case("row", INNER, is_real + remaining, count, {}, bounds))
    rest = [Step("bytes left", next_remaining)]
    known = is_real + remaining + present
    checked.run(Case("rows of one message", INNER, known, rest, {next_starts[0]: 0}, bounds))

    for limb in range(LIMBS):
        pair, absorbed = present[2 * limb:2 * limb + 2], cells(f"block.absorbed[{limb}]")
        low, high = absorbed[:8], absorbed[8:]
        flags, of_limb = is_real + present, [checked.field_cells[limb]]
        for held, known, step in (
            ((1, 1), flags + of_limb, Step("two bytes", absorbed)),
            ((1, 0), flags, Step("padding after a byte", high)),
            ((1, 0), flags + of_limb + high, Step("a byte before padding", low)),
            ((0, 0), flags, Step("padding", absorbed)),
        ):
            checked.run(Case("limb of the block", INNER, known, [step], dict(zip(pair, held))))

    for index, byte in enumerate(checked.field_cells[LIMBS:]):
        of_byte = [Step("bits of the digest", bits[8 * index:8 * index + 8])]
        checked.run(Case("real row", INNER, [byte], of_byte, {is_real[0]: 1}))

    state = lambda row: cells("block.before", row)
    checked.run(Case("row that starts", INNER, [], [Step("the state is zero", state("local"))], {starts[0]: 1}))
    follows = [Step("the state is the output above", state("next"))]
    checked.run(Case("rows of one message", INNER, bits + output, follows, {next_starts[0]: 0}))
    of_bits = [Step("limbs of the digest", limbs)]
    checked.run(Case("row", INNER, bits, of_bits))
    nothing = [
        Step("no bytes", present + next_starts, values=[0] * RATE + [1]),
        Step("nothing is left", remaining),
        Step("no number", number),
        Step("no digest", limbs),
        Step("no bits", bits),
        Step("no output", output),
    ]
    checked.run(Case("row of padding", INNER, [], nothing, {is_real[0]: 0}))
    above = [Step("digest", digest)]
    checked.run(Case("last row of a message", INNER, limbs, above, {next_starts[0]: 1}))
    checked.run(Case("rows of one message", INNER, cells("digest", "next"), above, {next_starts[0]: 0}))
    checked.finish({"local.is_real", "local.starts", "next.starts"})
    return checked
