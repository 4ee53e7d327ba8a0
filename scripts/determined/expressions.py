"""The constraints of a table, as its own code prints them, and polynomials over its columns."""

import re
from collections import Counter
from itertools import product

P = 2**31 - 2**24 + 1
# Monomials beyond which an expression is not written out.
LARGEST = 400


class Large(Exception):
    """An expression of too many monomials."""


class Table:
    """What `bench/examples/constraints` prints of a table."""

    def __init__(self, text):
        self.columns, self.nodes, self.constraints, self.messages = [], [], [], {}
        for line in text.splitlines():
            kind, *rest = line.split()
            if kind == "column":
                self.columns.append(rest[0])
            elif kind == "constraint":
                self.constraints.append(int(rest[0]))
            elif kind == "message":
                sent = [int(n) for n in rest[1:-2]], int(rest[-1])
                self.messages.setdefault(rest[0], []).append(sent)
            elif kind in ("const", "local", "next", "first", "last", "transition",
                          "add", "sub", "mul", "neg"):
                self.nodes.append((kind, *map(int, rest)))
            else:
                raise ValueError(f"unknown line: {line}")

    def variables(self, name, row="local"):
        """The cells of a row whose column is `name`, or begins with it."""
        cells = [(row, index) for index, column in enumerate(self.columns)
                 if column == name or column.startswith((name + "[", name + "."))]
        if not cells:
            raise KeyError(name)
        return cells

    def name(self, cell):
        row, index = cell
        return f"{row}.{self.columns[index]}"

    def kind(self, cells):
        """Of what columns cells are, without indices, and how many of each."""
        names = Counter(re.sub(r"\[\d+\]", "", self.name(cell)) for cell in cells)
        return ", ".join(f"{count} of {name}" for name, count in sorted(names.items()))


def balanced(value):
    value %= P
    return value - P if value > P // 2 else value


class Polynomials:
    """Expressions of a table as `{monomial: coefficient}`, where selectors and `fixed` cells have values.

    A monomial is a sorted tuple of cells. Cells in `booleans` are their own squares. An expression in
    `known` cells alone that is too long to be written out is a cell of its own, `("opaque", node)`.
    """

    def __init__(self, table, selectors, fixed, booleans, known):
        self.table, self.selectors, self.fixed = table, selectors, fixed
        self.booleans, self.known = booleans, known
        self.cells_of, self.written = {}, {}

    def cells(self, node):
        """The cells that an expression reads and that have no fixed value."""
        if node not in self.cells_of:
            kind, *rest = self.table.nodes[node]
            if kind in ("local", "next"):
                cell = (kind, rest[0])
                found = frozenset() if cell in self.fixed else frozenset([cell])
            elif kind == "mul" and self.fixed and any(map(self.is_zero, rest)):
                found = frozenset()
            elif kind in ("add", "sub", "mul", "neg"):
                found = frozenset().union(*(self.cells(child) for child in rest))
            else:
                found = frozenset()
            self.cells_of[node] = found
        return self.cells_of[node]

    def is_zero(self, node):
        """Whether an expression is zero by the values of selectors and fixed cells alone."""
        return not self.cells(node) and not self.of(node)

    def of(self, node):
        if node not in self.written:
            try:
                value = self.write(node)
            except Large:
                if not self.cells(node) <= self.known:
                    raise
                value = {(("opaque", node),): 1}
            self.written[node] = value
        return self.written[node]

    def write(self, node):
        kind, *rest = self.table.nodes[node]
        if kind == "const":
            return constant(rest[0])
        if kind in self.selectors:
            return constant(self.selectors[kind])
        if kind in ("local", "next"):
            cell = (kind, rest[0])
            return constant(self.fixed[cell]) if cell in self.fixed else {(cell,): 1}
        if kind == "neg":
            return scaled(self.of(rest[0]), -1)
        x, y = self.of(rest[0]), self.of(rest[1])
        if kind == "add":
            result = plus(x, y)
        elif kind == "sub":
            result = plus(x, scaled(y, -1))
        else:
            result = self.times(x, y)
        if len(result) > LARGEST:
            raise Large
        return result

    def times(self, x, y):
        if len(x) * len(y) > 16 * LARGEST:
            raise Large
        result = {}
        for (a, ca), (b, cb) in product(x.items(), y.items()):
            cells = a + b
            single = {cell for cell in cells if cell in self.booleans}
            rest = [cell for cell in cells if cell not in self.booleans]
            monomial = tuple(sorted([*single, *rest]))
            result[monomial] = (result.get(monomial, 0) + ca * cb) % P
        return {monomial: c for monomial, c in result.items() if c}

    def factors(self, node):
        """Polynomials one of which is zero if the expression is, and only then."""
        kind, *rest = self.table.nodes[node]
        if kind == "mul":
            found = self.factors(rest[0]) + self.factors(rest[1])
        elif kind == "neg":
            found = self.factors(rest[0])
        else:
            found = [self.of(node)]
        if any(not factor for factor in found):
            return [{}]
        return [factor for factor in found if set(factor) != {()}]


def constant(value):
    return {(): value % P} if value % P else {}


def scaled(x, factor):
    return {monomial: c * factor % P for monomial, c in x.items()}


def plus(x, y):
    result = dict(x)
    for monomial, c in y.items():
        result[monomial] = (result.get(monomial, 0) + c) % P
    return {monomial: c for monomial, c in result.items() if c}


def roots(factors, cell):
    """The values among 0, 1, 2 of a cell at which polynomials in it alone have a zero, or `None` if that
    is not all of their zeros."""
    found = set()
    for factor in factors:
        degree = max(len(monomial) for monomial in factor)
        zeros = {value for value in range(3)
                 if sum(c * value ** len(monomial) for monomial, c in factor.items()) % P == 0}
        if len(zeros) != degree or any(set(monomial) - {cell} for monomial in factor):
            return None
        found |= zeros
    return found
