"""Pieces put together: whether the inputs of a table determine every column by every constraint."""

from dataclasses import dataclass, field, replace

import pieces
from expressions import P, Large, Polynomials, plus, roots, scaled
from pieces import Piece, bounds, determined, equalities, out_of_bounds, text


class Failed(Exception):
    """Something does not follow, or is not covered."""


@dataclass
class Step:
    """Cells that follow from those before; `others` are read too, and nothing is claimed of them.

    With a `bound`, the outputs are shown to be at most that first. With `follows` false, only that.
    With `values`, the outputs have these, and are numbers from then on.
    """

    kind: str
    outputs: list
    others: tuple = ()
    bound: int | None = None
    follows: bool = True
    values: list | None = None


@dataclass
class Case:
    """Two rows of a table: selectors, cells that are known, steps, and cells that are numbers.

    `bounds` are those of cells that another case shows.
    """

    name: str
    selectors: dict
    known: list
    steps: list
    fixed: dict = field(default_factory=dict)
    bounds: dict = field(default_factory=dict)


@dataclass
class Kind:
    """Pieces that are alike, their questions, and the constraints left out of these."""

    pieces: int = 0
    questions: set = field(default_factory=set)
    left_out: int = 0
    missed: int = 0
    not_missed: list = field(default_factory=list)


INNER = {"first": 0, "last": 0, "transition": 1}
FIRST = {"first": 1, "last": 0, "transition": 1}
LAST = {"first": 0, "last": 1, "transition": 0}


def one_hot(index, length):
    return [int(i == index) for i in range(length)]


class Composition:
    def __init__(self, table, solver, inputs, fields=()):
        """`inputs` are the columns whose cells the caller chooses; `fields`, elements of the table's
        message, are what he knows of others."""
        self.table, self.solver = table, solver
        self.inputs = {column for _, column in inputs}
        self.known_columns, self.covered, self.unknown = set(), set(), []
        # Kinds of pieces; of each question, constraints left out and whether they were missed; kinds of
        # constraints that were.
        self.kinds, self.left_out, self.missed, self.ranges_tried = {}, {}, set(), set()
        self.selector_of = {}
        self.domains, self.booleans, self.ranges = {}, set(), {}
        self.raw = Polynomials(table, INNER, {}, set(), set())
        self.find_domains()
        self.forms, self.extra, self.field_cells = {}, {}, []
        self.find_fields(fields)
        self.readers = {}
        for number, node in enumerate(table.constraints):
            for cell in self.raw.cells(node):
                self.readers.setdefault(cell, []).append(number)
        for number, (cells, _) in self.extra.items():
            for cell in cells:
                self.readers.setdefault(cell, []).append(number)

    def reads_selector(self, node):
        if node not in self.selector_of:
            kind, *rest = self.table.nodes[node]
            self.selector_of[node] = kind in ("first", "last", "transition") or (
                kind in ("add", "sub", "mul", "neg") and any(map(self.reads_selector, rest)))
        return self.selector_of[node]

    def find_domains(self):
        """Constraints in one cell, on every row: it is one of 0, 1, 2."""
        for number, node in enumerate(self.table.constraints):
            cells = self.raw.cells(node)
            if len(cells) != 1 or self.reads_selector(node):
                continue
            (cell,) = cells
            found = roots(self.raw.factors(node), cell)
            if found in ({0, 1}, {0, 1, 2}):
                for row in ("local", "next"):
                    self.domains[row, cell[1]] = (0, max(found))
                    if found == {0, 1}:
                        self.booleans.add((row, cell[1]))
                self.ranges[cell[1]] = number
        self.covered |= set(self.ranges.values())

    def find_fields(self, fields):
        """What the message says of the inputs: a column, digits of a value, or bits or bytes of a value."""
        self.bits = []
        for index, node in enumerate(fields):
            form = self.raw.of(node)
            cells = [monomial[0] for monomial in form if monomial]
            if any(len(monomial) != 1 for monomial in form if monomial):
                raise Failed(f"field {index} of the message is not linear")
            if len(cells) == 1:
                self.field_cells += cells
                continue
            value = ("field", index)
            self.domains[value] = bounds(form, lambda cell: self.domains.get(cell, pieces.FIELD))
            self.field_cells.append(value)
            difference = plus(form, {(value,): P - 1})
            # Bits, or bytes, whose bounds are shown later.
            if all(cell in self.booleans or cell not in self.domains for cell in cells):
                self.extra[value] = (frozenset([*cells, value]), [difference])
                self.bits.append(cells)
            else:
                pivot = next(cell for cell in cells if form[(cell,)] == 1)
                self.forms[pivot] = (form, value)
                self.known_columns |= {column for _, column in cells}
        self.digits = {cell for form, _ in self.forms.values() for (cell,) in form}

    def with_values(self, factor):
        """Digits of a message field as its value."""
        if not self.forms:
            return factor
        pivots = [m[0] for m in factor if len(m) == 1 and m[0] in self.forms]
        for pivot in pivots:
            form, value = self.forms[pivot]
            c = factor[(pivot,)]
            factor = plus(factor, scaled(plus(form, {(value,): P - 1}), P - c))
        return factor

    def piece(self, case, polynomials, step, known):
        """The constraints that read what the step is about, and nothing else that is unknown."""
        unknown = set(step.outputs) | set(step.others)
        allowed = unknown | known
        digits = self.digits if self.forms else set()
        numbers = {number for cell in unknown for number in self.readers.get(cell, [])}
        numbers -= set(self.ranges.values())
        found, shared = {}, set()
        for number in numbers:
            if isinstance(number, tuple):
                cells, factors = self.extra[number]
                if not cells <= allowed:
                    continue
            else:
                node = self.table.constraints[number]
                if not polynomials.cells(node) <= allowed | digits:
                    continue
                try:
                    factors = polynomials.factors(node)
                except Large:
                    continue
            factors = [self.with_values(factor) for factor in factors]
            cells = {cell for factor in factors for monomial in factor for cell in monomial}
            if cells & digits or {} in factors:
                continue
            if not cells & unknown:
                continue
            found[number] = [self.collapsed(factor, unknown) for factor in factors]
            shared |= cells - unknown
        order = sorted(found, key=lambda n: (isinstance(n, tuple), n))
        return Piece(
            name=f"{case.name}: {step.kind}",
            constraints={i: found[number] for i, number in enumerate(order)},
            outputs=list(step.outputs),
            others=list(step.others),
            domains=self.domains,
            shared=shared,
        ), order

    def collapsed(self, factor, unknown):
        """The part of a polynomial in known cells alone, as one number: but for cells that stand in a
        product with unknown ones, whose values it would forget. It is any element of the field, or any
        number between the bounds of that part."""
        mixed = {cell for monomial in factor if set(monomial) & unknown for cell in monomial}
        alone = {m: c for m, c in factor.items() if m and not set(m) & mixed}
        if not alone:
            return factor
        domain = lambda cell: self.domains.get(cell, pieces.FIELD)
        low, high = bounds(alone, domain)
        number = ("number", *sorted(alone.items()))
        rest = {m: c for m, c in factor.items() if m not in alone}
        if high - low < P:
            self.domains[number] = (0, high - low)
            return plus(rest, {(number,): 1, (): low % P})
        rest.pop((), None)
        return plus(rest, {(number,): 1})

    def run(self, case):
        # Bounds shown in one case are not those of another, unless it names them.
        before = dict(self.domains), set(self.booleans)
        for cell, bound in case.bounds.items():
            self.bound(cell, bound)
        known = set(case.known)
        fixed = dict(case.fixed)
        polynomials = Polynomials(self.table, case.selectors, fixed, self.booleans, known)
        for step in case.steps:
            piece, order = self.piece(case, polynomials, step, known)
            self.ask(piece, order, step, case, polynomials)
            if not step.follows:
                continue
            known |= set(step.outputs)
            self.known_columns |= {cell[1] for cell in step.outputs}
            if step.values is not None:
                values = dict(zip(step.outputs, step.values))
                for factors in piece.constraints.values():
                    if all(value_at(factor, values, piece) for factor in factors):
                        raise Failed(f"{piece.name}: the values expected are not those that follow")
                fixed.update(values)
                polynomials = Polynomials(self.table, case.selectors, fixed, self.booleans, known)
        self.domains, self.booleans = before

    def bound(self, cell, bound):
        self.domains[cell] = (0, bound)
        if bound == 1:
            self.booleans.add(cell)

    def ask(self, piece, order, step, case, polynomials):
        kind = self.kinds.setdefault((case.name.split(" of ")[0], step.kind), Kind())
        kind.pieces += 1
        if step.bound is not None:
            part = equalities(piece)
            question = lambda piece: out_of_bounds(equalities(piece), step.outputs, step.bound)
            self.expect_none(part, question, part.name + ", bounds", kind, order)
            self.leave_out_ranges(question, step, case, polynomials)
            for cell in step.outputs:
                self.bound(cell, step.bound)
            if step.bound == 1:
                # Written out anew: squares of bits are the bits.
                polynomials.written.clear()
        if step.follows:
            self.expect_none(piece, determined, piece.name, kind, order)
            self.leave_out_ranges(determined, step, case, polynomials)

    def expect_none(self, piece, question, name, kind, order):
        asked = text(question(piece))
        kind.questions.add(hash(asked))
        answer = self.solver.is_satisfiable(asked)
        if answer is None:
            self.unknown.append(name)
        elif answer:
            raise Failed(f"{name}: does not follow")
        else:
            self.covered |= {order[index] for index in piece.constraints}
            self.leave_out(asked, piece, question, kind, order)

    def leave_out(self, asked, piece, question, kind, order):
        """The control: the question without one constraint of each kind. Where there is an answer then, it
        is evaluated over the field. What was left out of a question is not left out of its like again."""
        is_new = asked not in self.left_out
        results = self.left_out.setdefault(asked, {})
        numbers, of_kinds = list(piece.constraints), {}
        for place, number in enumerate(numbers):
            of_kinds.setdefault(self.kind_of(order[number]), []).append(place)
        for of_kind, places in of_kinds.items():
            if not results.keys() & places and (is_new or of_kind not in self.missed):
                missed = results[places[0]] = self.is_missed(piece, question, numbers[places[0]])
                kind.left_out += 1
                kind.missed += missed
                if not missed:
                    kind.not_missed.append(of_kind)
            if any(results.get(place) for place in places):
                self.missed.add(of_kind)

    def leave_out_together(self, case, step):
        """The control for a bound whose constraints say the same thing twice, so that none of them is missed
        alone: all of them are left out."""
        polynomials = Polynomials(self.table, case.selectors, case.fixed, self.booleans, set())
        piece, order = self.piece(case, polynomials, step, set())
        question = lambda piece: out_of_bounds(piece, step.outputs, step.bound)
        if not self.is_missed(replace(piece, constraints={}), question):
            raise Failed(f"{piece.name}: nothing is missed")
        self.missed |= {self.kind_of(number) for number in order}

    def leave_out_ranges(self, question, step, case, polynomials):
        """The control for constraints in one cell, until it is missed: the question where one of each kind
        of cells in the piece may be more than its constraint lets it be."""
        of_kinds = {}
        for cell in [*step.outputs, *step.others]:
            if cell[1] in self.ranges:
                of_kinds.setdefault(self.kind_of(self.ranges[cell[1]]), cell)
        for of_kind, cell in of_kinds.items():
            tried = (case.name, step.kind, of_kind)
            if of_kind in self.missed or tried in self.ranges_tried:
                continue
            self.ranges_tried.add(tried)
            before = self.domains[cell]
            self.domains[cell] = (0, 3)
            freed = Polynomials(self.table, polynomials.selectors, polynomials.fixed,
                                self.booleans - {cell}, polynomials.known)
            piece, _ = self.piece(case, freed, step, polynomials.known)
            piece.domains = dict(self.domains)
            self.domains[cell] = before
            if self.is_missed(piece, question):
                self.missed.add(of_kind)

    def is_missed(self, piece, question, removed=None):
        kept = {number: f for number, f in piece.constraints.items() if number != removed}
        encoder = question(replace(piece, constraints=kept))
        found = self.solver.counterexample(encoder)
        for values in found or []:
            for factors in encoder.piece.constraints.values():
                if all(value_at(factor, values, piece) for factor in factors):
                    raise Failed(f"{piece.name}: a counterexample that is none")
        return found is not None

    def kind_of(self, number):
        if isinstance(number, tuple):
            return "the message"
        return self.table.kind(self.raw.cells(self.table.constraints[number]))

    def finish(self, interface=frozenset(), free=()):
        """Every column is an input or follows, but for those in `free`, which the prover may choose; every
        constraint is in a piece or between inputs, those in `interface`; and one of each kind was missed."""
        columns = self.known_columns | self.inputs | {column for _, column in free}
        missing = [name for i, name in enumerate(self.table.columns) if i not in columns]
        if missing:
            raise Failed(f"nothing determines {len(missing)} columns: {missing[:5]}")
        left, not_missed, ranges = [], set(), set(self.ranges.values())
        for number, node in enumerate(self.table.constraints):
            names = {self.table.name(cell) for cell in self.raw.cells(node)}
            if number in ranges or names <= interface:
                continue
            if number not in self.covered:
                left.append(f"{number} in {sorted(names)[:5]}")
            elif self.kind_of(number) not in self.missed:
                not_missed.add(self.kind_of(number))
        if left:
            raise Failed(f"{len(left)} constraints are in no piece: {left[:5]}")
        if not_missed:
            raise Failed(f"constraints that no piece misses: {sorted(not_missed)}")
        self.ranges_not_missed = {self.kind_of(number) for number in ranges} - self.missed


def value_at(factor, values, piece):
    total = 0
    for monomial, c in factor.items():
        for cell in monomial:
            c = c * values[cell] % P
        total += c
    return total % P
