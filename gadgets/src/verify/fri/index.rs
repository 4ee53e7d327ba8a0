//! The index of a query: how its bits are grouped, and the points that they stand for.

use crate::bits::{Bits, INVERSE_GENERATORS};
use crate::prelude::*;
use crate::verify::fri::point::{ENTRIES, Point};
use crate::verify::fri::shape::Shape;

/// Largest number of index bits that select one of the [`ENTRIES`] of a column of points.
const PIECE: usize = 3;

/// Consecutive bits of an index.
#[derive(Clone, Debug)]
struct Piece {
    /// The first bit.
    from: usize,
    /// Number of bits, at most three.
    length: usize,
}

/// A column of the tables of points.
#[derive(Clone, Debug)]
struct Column {
    /// The first bit of the piece, counted within the whole index if `inverse`, otherwise within
    /// the bits of its round.
    from: usize,
    /// Whether the column has the inverse of the piece's factor of the point on the whole domain,
    /// or its factor of the point on the round's domain.
    inverse: bool,
}

/// The pieces into which the index of queries is cut. There is a cut wherever a fold begins or
/// ends, and after three bits at the latest.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// Number of bits of the index.
    pub length: usize,
    pieces: Vec<Piece>,
    /// The first bit of each folding round, and the first bit after all of them.
    rounds: Vec<usize>,
    columns: Vec<Column>,
}

impl Pieces {
    /// Returns the pieces for queries of proofs of a shape.
    pub fn new(shape: &Shape) -> Self {
        let length = shape.log_length();
        let mut rounds = vec![0usize];
        let mut from = 0usize;
        for log_arity in &shape.log_arities {
            from += *log_arity;
            rounds.push(from);
        }
        let mut pieces = Vec::new();
        let mut start = 0usize;
        for bit in 1..length + 1 {
            let mut ends = bit == length || bit - start == PIECE;
            for round in &rounds {
                ends = ends || bit == *round;
            }
            if ends {
                pieces.push(Piece {
                    from: start,
                    length: bit - start,
                });
                start = bit;
            }
        }
        let mut all = Self {
            length,
            pieces,
            rounds,
            columns: Vec::new(),
        };
        all.columns = all.columns_of();
        all
    }

    /// Returns the columns: inverses for all pieces, then the factors for the points of later
    /// rounds.
    fn columns_of(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for piece in &self.pieces {
            columns.push(Column {
                from: piece.from,
                inverse: true,
            });
        }
        for round in 2..self.rounds.len() {
            let start = self.rounds[round - 1];
            for piece in self.within(start, self.rounds[round]) {
                let from = piece.from - start;
                let mut known = false;
                for column in &columns {
                    known = known || (!column.inverse && column.from == from);
                }
                if !known {
                    columns.push(Column {
                        from,
                        inverse: false,
                    });
                }
            }
        }
        columns
    }

    /// Returns the pieces of bits `from..to`.
    fn within(&self, from: usize, to: usize) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for piece in &self.pieces {
            if from <= piece.from && piece.from < to {
                pieces.push(piece.clone());
            }
        }
        pieces
    }

    /// Returns tables of points, whose columns have one entry for each value of a piece.
    pub fn points<P: Point>(&self) -> Vec<Slice> {
        let mut columns = Vec::new();
        for column in &self.columns {
            let mut entries = Vec::new();
            for digit in 0..ENTRIES {
                entries.push(entry::<P>(column, digit));
            }
            columns.push(entries);
        }
        P::tables(&columns)
    }
}

/// The index of one query.
#[derive(Clone, Debug)]
pub struct Index {
    /// How the bits are grouped.
    pub pieces: Pieces,
    /// The bits; those from [`Pieces::length`] on are not part of the index.
    pub bits: Bits,
    /// The tables of [`Pieces::points`].
    pub points: Vec<Slice>,
}

impl Index {
    /// Returns the integer of bits `from..to`.
    pub fn integer(&self, from: usize, to: usize) -> Felt {
        self.bits.part(from, to)
    }

    /// Returns `start` times the inverse of the point on the whole domain that bits `from..to`
    /// stand for.
    pub fn times_inverses<P: Point>(&self, start: P, from: usize, to: usize) -> P {
        let mut product = start;
        for piece in self.pieces.within(from, to) {
            product = product.times(self.factor::<P>(&piece, piece.from, true));
        }
        product
    }

    /// Returns `start` times the point on the domain of folding round `round` that the round's bits
    /// stand for.
    pub fn times_points<P: Point>(&self, start: P, round: usize) -> P {
        let mut product = start;
        let from = self.pieces.rounds[round];
        for piece in self.pieces.within(from, self.pieces.rounds[round + 1]) {
            product = product.times(self.factor::<P>(&piece, piece.from - from, false));
        }
        product
    }

    /// Returns the entry of one column that a piece's bits select.
    fn factor<P: Point>(&self, piece: &Piece, from: usize, inverse: bool) -> P {
        let columns = &self.pieces.columns;
        let mut place = columns.len();
        for i in 0..columns.len() {
            if columns[i].from == from && columns[i].inverse == inverse {
                place = i;
            }
        }
        let digit = self.integer(piece.from, piece.from + piece.length);
        // In bounds: a column has eight entries, and the integer of a piece has at most three bits.
        P::select(&self.points, place, digit)
    }
}

/// Returns an entry of a column: the product, over the bits `j` of `digit` that are one, of the
/// generator of the subgroup of order `2^(from + j + 1)`, or of its inverse. (Codewords are in
/// bit-reversed order.)
fn entry<P: Point>(column: &Column, digit: usize) -> P {
    let mut inverse = P::constant(1);
    for bit in 0..PIECE {
        let order = column.from + bit + 1;
        // Bits after the end of the piece belong to entries that are never read.
        if (digit >> bit) % 2 == 1 && order < INVERSE_GENERATORS.len() {
            inverse = inverse.times(P::inverse_generator(order));
        }
    }
    if column.inverse {
        inverse
    } else {
        inverse.reciprocal()
    }
}
