"""Pieces of a table: some constraints, and the question whether they determine some cells."""

import time
from dataclasses import dataclass, field, replace
from itertools import product

from bitwuzla import Option, Options, Parser, Result, TermManager

from expressions import P, balanced

FIELD = (0, P - 1)
SECONDS = 600
# Multiples of P that a sum may be, at most.
WRAPS = 64
# Bits of which a function is tabulated, at most.
MOST_BITS = 8


@dataclass
class Piece:
    """Constraints as lists of factors, and the cells they read.

    `shared` cells are equal in both assignments; `outputs` and `others` may differ. `domains` holds the
    bounds of a cell; one that has none is any element of the field.
    """

    name: str
    constraints: dict  # number of a constraint -> factors
    outputs: list
    others: list
    domains: dict
    shared: set = field(default_factory=set)


class Encoder:
    """SMT-LIB text (QF_BV) of constraints over the integers modulo P, cells named in order of appearance."""

    def __init__(self, piece, width):
        self.piece, self.width = piece, width
        self.lines, self.names = [], {}

    def number(self, value):
        return f"(_ bv{value % 2**self.width} {self.width})"

    def domain(self, cell):
        return self.piece.domains.get(cell, FIELD)

    def cell(self, cell, copy):
        free = cell in self.piece.outputs or cell in self.piece.others
        key = (cell, copy if free else 0)
        if key not in self.names:
            name = f"v{len(self.names)}"
            self.names[key] = name
            low, high = self.domain(cell)
            if (low, high) == (0, 1):
                self.lines.append(f"(declare-const {name} Bool)")
            else:
                self.lines.append(f"(declare-const {name} (_ BitVec {self.width}))")
                self.lines.append(f"(assert (bvule {name} {self.number(high)}))")
        return self.names[key]

    def is_bit(self, cell):
        return self.domain(cell) == (0, 1)

    def term(self, monomial, coefficient, copy):
        """A monomial that is not of bits alone."""
        bits = [cell for cell in monomial if self.is_bit(cell)]
        value = self.number(coefficient)
        for cell in monomial:
            if not self.is_bit(cell):
                value = f"(bvmul {value} {self.cell(cell, copy)})"
        if bits:
            names = [self.cell(bit, copy) for bit in bits]
            condition = names[0] if len(names) == 1 else f"(and {' '.join(names)})"
            value = f"(ite {condition} {value} {self.number(0)})"
        return value

    def terms(self, polynomial, copy):
        """Summands of a polynomial. Monomials of bits that share a bit in a product are one function of
        these bits, by its table: `x + y - 2 x y` is an exclusive or."""
        group_of, found = {}, []
        for monomial, c in polynomial.items():
            if not monomial or not all(map(self.is_bit, monomial)):
                found.append(self.term(monomial, balanced(c), copy))
                continue
            group = (set(monomial), {monomial: balanced(c)})
            for bit in monomial:
                other = group_of.get(bit, group)
                if other is not group and not group[1].keys() >= other[1].keys():
                    group = (group[0] | other[0], {**other[1], **group[1]})
            group_of.update(dict.fromkeys(group[0], group))
        of_bits = [group_of[m[0]] for m in polynomial if m and m[0] in group_of]
        groups = {id(group): group for group in of_bits}
        for bits, monomials in groups.values():
            bits = sorted(bits)
            if len(bits) > MOST_BITS:
                found += [self.term(monomial, c, copy) for monomial, c in monomials.items()]
                continue
            table = []
            for values in product((0, 1), repeat=len(bits)):
                ones = {bit for bit, value in zip(bits, values) if value}
                table.append(sum(c for monomial, c in monomials.items() if ones.issuperset(monomial)))
            found.append(self.function([self.cell(bit, copy) for bit in bits], table))
        return found

    def function(self, names, table):
        """The number that a table has for bits, the first bit the most significant of the place."""
        if len(set(table)) == 1:
            return self.number(table[0])
        values = [table[0], *(set(table) - {table[0]})]
        parity = [values[bin(place).count("1") % 2] for place in range(len(table))]
        if len(values) == 2 and table == parity:
            condition = names[0] if len(names) == 1 else f"(xor {' '.join(names)})"
            return f"(ite {condition} {self.number(values[1])} {self.number(values[0])})"
        half = len(table) // 2
        zero, one = (self.function(names[1:], part) for part in (table[:half], table[half:]))
        return zero if zero == one else f"(ite {names[0]} {one} {zero})"

    def is_zero(self, polynomial, copy):
        """That the polynomial is a multiple of P, of those between its bounds."""
        low, high = bounds(polynomial, self.domain)
        terms = self.terms(polynomial, copy)
        total = terms[0] if terms else self.number(0)
        for term in terms[1:]:
            total = f"(bvadd {total} {term})"
        multiples = range(-(-low // P), high // P + 1)
        if len(multiples) > WRAPS:
            raise ValueError(f"{self.piece.name}: a sum that wraps {len(multiples)} times")
        equal = [f"(= {total} {self.number(P * k)})" for k in multiples]
        return either(equal)

    def holds(self, factors, copy):
        return either([self.is_zero(factor, copy) for factor in factors])

    def constraints(self, copy):
        for number in sorted(self.piece.constraints):
            # The formula declares the cells it reads.
            formula = self.holds(self.piece.constraints[number], copy)
            self.lines.append(f"(assert {formula})")


def either(formulas):
    if not formulas:
        return "false"
    return formulas[0] if len(formulas) == 1 else f"(or {' '.join(formulas)})"


def bounds(polynomial, domain):
    low = high = 0
    for monomial, c in polynomial.items():
        least, most = 1, 1
        for cell in monomial:
            least, most = least * domain(cell)[0], most * domain(cell)[1]
        ends = sorted((balanced(c) * least, balanced(c) * most))
        low, high = low + ends[0], high + ends[1]
    return low, high


def width_of(piece):
    """Bits of a signed integer that holds every sum."""
    most = P
    for factors in piece.constraints.values():
        for factor in factors:
            low, high = bounds(factor, lambda cell: piece.domains.get(cell, FIELD))
            size = sum(abs(balanced(c)) for c in factor.values())
            most = max(most, -low, high, size)
    return most.bit_length() + 2


class Solver:
    """Answers each question once, and counts."""

    def __init__(self):
        self.answers, self.seconds = {}, 0.0

    def is_satisfiable(self, text):
        """True, False, or None for what is not answered in time."""
        if text not in self.answers:
            options = Options()
            options.set(Option.TIME_LIMIT_PER, 1000 * SECONDS)
            start = time.monotonic()
            parser = Parser(TermManager(), options)
            parser.configure_auto_print_model(False)
            parser.parse(text, True, False)
            result = parser.bitwuzla().check_sat()
            self.seconds += time.monotonic() - start
            self.answers[text] = {Result.SAT: True, Result.UNSAT: False}.get(result)
        return self.answers[text]

    def counterexample(self, encoder):
        """Two assignments (one, where the question is of one) that answer a question, or `None`."""
        options = Options()
        options.set(Option.PRODUCE_MODELS, True)
        options.set(Option.TIME_LIMIT_PER, 1000 * SECONDS)
        parser = Parser(TermManager(), options)
        parser.configure_auto_print_model(False)
        parser.parse(text(encoder), True, False)
        solver = parser.bitwuzla()
        start = time.monotonic()
        result = solver.check_sat()
        self.seconds += time.monotonic() - start
        if result != Result.SAT:
            return None
        piece, terms = encoder.piece, {term.symbol(): term for term in parser.get_declared_funs()}
        assignments = [{} for _ in range(1 + max(copy for _, copy in encoder.names))]
        for (cell, copy), name in encoder.names.items():
            term = solver.get_value(terms[name])
            value = term.value() if term.sort().is_bool() else term.value(10)
            free = cell in piece.outputs or cell in piece.others
            for assignment in ([assignments[copy]] if free else assignments):
                assignment[cell] = int(value)
        return assignments


def determined(piece):
    """The question whether two assignments agree on the shared cells and differ in an output."""
    encoder = Encoder(piece, width_of(piece))
    encoder.constraints(0)
    encoder.constraints(1)
    different = []
    for cell in piece.outputs:
        one, other = encoder.cell(cell, 0), encoder.cell(cell, 1)
        different.append(f"(distinct {one} {other})")
    encoder.lines.append(f"(assert {either(different)})")
    return encoder


def equalities(piece):
    """The piece with no other constraints than that a sum which does not wrap often is zero, or a product of sums
    of one cell."""
    domain = lambda cell: piece.domains.get(cell, FIELD)
    constraints = {}
    for number, factors in piece.constraints.items():
        ranges = [bounds(factor, domain) for factor in factors]
        small = all((high - low) // P < WRAPS for low, high in ranges)
        of_one = len({cell for factor in factors for monomial in factor for cell in monomial}) == 1
        if small and (len(factors) == 1 or of_one):
            constraints[number] = factors
    return replace(piece, constraints=constraints)


def out_of_bounds(piece, cells, bound):
    """The question whether one of the cells is larger than it may be."""
    encoder = Encoder(piece, width_of(piece))
    encoder.constraints(0)
    large = [f"(bvugt {encoder.cell(cell, 0)} {encoder.number(bound)})" for cell in cells]
    encoder.lines.append(f"(assert {either(large)})")
    return encoder


def text(encoder):
    return "(set-logic QF_BV)\n" + "\n".join(encoder.lines) + "\n"
