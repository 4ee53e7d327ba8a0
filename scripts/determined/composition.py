"""Pieces put together: whether the inputs of a table determine every column by every constraint."""

from dataclasses import dataclass

import pieces
from expressions import P, Large, Polynomials, plus, roots, scaled
from pieces import Piece, bounds, determined, out_of_bounds, text


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
    """Two rows of a table: selectors, cells that are numbers, cells that are known, and steps."""

    name: str
    selectors: dict
    known: list
    steps: list
    fixed: dict


INNER = {"first": 0, "last": 0, "transition": 1}
FIRST = {"first": 1, "last": 0, "transition": 1}
LAST = {"first": 0, "last": 1, "transition": 0}


class Composition:
    def __init__(self, table, solver, inputs, fields=0):
        """`inputs` are the columns whose cells the caller chooses; the first `fields` elements of the
        table's message are what he knows of them."""
        self.table, self.solver = table, solver
        self.inputs = {column for _, column in inputs}
        self.known_columns, self.covered, self.unknown = set(), set(), []
        self.kinds = {}
        self.selector_of = {}
        self.domains, self.booleans, self.domain_constraints = {}, set(), set()
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
                self.domain_constraints.add(number)
        self.covered |= self.domain_constraints

    def find_fields(self, fields):
        """What the message says of the inputs: a column, digits of a value, or bits of a value."""
        self.bits = []
        if not fields:
            return
        ((_, nodes, _),) = self.table.messages
        for index, node in enumerate(nodes[:fields]):
            form = self.raw.of(node)
            cells = [monomial[0] for monomial in form if monomial]
            if any(len(monomial) != 1 for monomial in form if monomial):
                raise Failed(f"field {index} of the message is not linear")
            value = ("field", index)
            self.domains[value] = bounds(form, lambda cell: self.domains.get(cell, pieces.FIELD))
            self.field_cells.append(value)
            difference = plus(form, {(value,): P - 1})
            if all(cell in self.booleans for cell in cells):
                self.extra[value] = (frozenset(cells), [difference])
                self.bits.append(cells)
            elif len(cells) > 1:
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
        numbers -= self.domain_constraints
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

    def run(self, case, check_removal):
        # Bounds shown in one case are not those of another.
        before = dict(self.domains), set(self.booleans)
        known = set(case.known) | set(self.field_cells)
        fixed = dict(case.fixed)
        polynomials = Polynomials(self.table, case.selectors, fixed, self.booleans, known)
        for step in case.steps:
            piece, order = self.piece(case, polynomials, step, known)
            self.ask(piece, order, step, case, polynomials, check_removal)
            self.covered |= {number for number in order if not isinstance(number, tuple)}
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

    def ask(self, piece, order, step, case, polynomials, check_removal):
        kind = self.kinds.setdefault((case.name.split(" of ")[0], step.kind), [0, set(), 0, 0])
        kind[0] += 1
        if step.bound is not None:
            question = text(out_of_bounds(piece, step.outputs, step.bound))
            self.expect_none(question, piece.name + ", bounds", kind)
            for cell in step.outputs:
                for row in ("local", "next"):
                    self.domains[row, cell[1]] = (0, step.bound)
                    if step.bound == 1:
                        self.booleans.add((row, cell[1]))
            if step.bound == 1:
                # Written out anew: squares of bits are the bits.
                polynomials.written.clear()
        if step.follows:
            question = text(determined(piece))
            is_new = question not in self.solver.answers
            self.expect_none(question, piece.name, kind)
            if is_new and check_removal:
                self.remove_each(piece, order, step, case, kind)

    def expect_none(self, question, name, kind):
        kind[1].add(hash(question))
        answer = self.solver.is_satisfiable(question)
        if answer is None:
            self.unknown.append(name)
        elif answer:
            raise Failed(f"{name}: does not follow")

    def remove_each(self, piece, order, step, case, kind):
        """The control: a piece without its first, its middle, its last constraint. Where it then no longer
        determines its outputs, the two assignments found are evaluated over the field."""
        numbers = list(piece.constraints)
        for removed in sorted({numbers[0], numbers[len(numbers) // 2], numbers[-1]}):
            kept = {n: f for n, f in piece.constraints.items() if n != removed}
            found = pieces.counterexample(piece, kept)
            kind[2] += 1
            if found is None:
                continue
            for values in found:
                for factors in kept.values():
                    if all(value_at(factor, values, piece) for factor in factors):
                        raise Failed(f"{piece.name}: a counterexample that is none")
            kind[3] += 1

    def finish(self, interface):
        """Every column is an input or follows, every constraint is in a piece or between inputs, and the
        control noticed something in every kind of piece."""
        for (case, kind), (_, _, removed, noticed) in self.kinds.items():
            if removed and not noticed:
                raise Failed(f"{case}, {kind}: no constraint of these pieces is missed")
        columns = self.known_columns | self.inputs
        missing = [name for i, name in enumerate(self.table.columns) if i not in columns]
        if missing:
            raise Failed(f"nothing determines {len(missing)} columns: {missing[:5]}")
        left = []
        for number, node in enumerate(self.table.constraints):
            if number in self.covered:
                continue
            names = {self.table.name(cell) for cell in self.raw.cells(node)}
            if names <= interface:
                continue
            left.append(f"{number} in {sorted(names)[:5]}")
        if left:
            raise Failed(f"{len(left)} constraints are in no piece: {left[:5]}")


def value_at(factor, values, piece):
    total = 0
    for monomial, c in factor.items():
        for cell in monomial:
            c = c * values[cell] % P
        total += c
    return total % P
