"""Which step of its computation a row is (air/src/steps.rs): what the tables of several rows have in common."""

from composition import FIRST, INNER, Case, Step, one_hot


def check(checked, local, after):
    """Row 0 is of step 0, and so is the row below it. A row of step 0 is followed by one of step 1 or of step 0,
    any other by one of the next step, and the last by one of step 0."""
    length = len(local)
    start = one_hot(0, length)
    rows = [Step("step", local, values=start), Step("step below", after, values=start)]
    checked.run(Case("first row", FIRST, [], rows))
    choice, others = after[1], after[2:]
    rows = [
        Step("step 1 may follow", [choice], bound=1, follows=False),
        Step("no later one follows", others, values=[0] * len(others)),
    ]
    at_start = dict(zip(local, start))
    checked.run(Case("row of step 0", INNER, [], rows, at_start))
    for follows in (0, 1):
        rows = [Step("step 0 follows or not", [after[0]], values=[1 - follows])]
        checked.run(Case("row of step 0", INNER, [], rows, at_start | {choice: follows}))
    for index in range(1, length):
        rows = [Step("step below", after, values=one_hot((index + 1) % length, length))]
        checked.run(Case(f"row of step {index}", INNER, [], rows, dict(zip(local, one_hot(index, length)))))
