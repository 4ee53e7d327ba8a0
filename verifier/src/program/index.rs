//! The index of a query: how its bits are taken together, and the points that belong to them.

use std::collections::BTreeSet;

use droste_native::F;
use p3_field::{Field, PrimeField32, TwoAdicField};

use super::line;
use crate::shape::ProofShape;

/// Most bits of an index that one entry of the table of points stands for.
pub(super) const CHUNK: usize = 3;

/// How the bits of an index are taken together, and the points that belong to it.
pub(super) struct Index {
    /// Bits.
    pub(super) length: usize,
    /// First bit and number of bits of each piece.
    chunks: Vec<(usize, usize)>,
    /// First bit of each folding round's part, and of what is left at the end.
    pub(super) rounds: Vec<usize>,
    /// Columns of the table of points: a piece's first bit in the index, or in its round's part.
    pub(super) columns: Vec<Column>,
    /// Variables that the text has defined.
    defined: BTreeSet<(usize, usize)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The inverse of what the bits contribute to the point on the whole domain.
    Inverse(usize),
    /// What the bits contribute to the point on the round's domain.
    Round(usize),
}

impl Index {
    pub(super) fn new(shape: &ProofShape) -> Self {
        let length = shape.log_length();
        let mut cuts = BTreeSet::from([0, length]);
        for round in shape.rounds() {
            let layers = round.layers();
            let cap = shape.cap_levels(layers[0].0 + shape.settings.log_blowup);
            cuts.insert(length - cap);
            cuts.extend(
                layers
                    .iter()
                    .map(|(log_height, _)| length - log_height - shape.settings.log_blowup),
            );
        }
        let mut rounds = vec![0];
        let mut from = 0;
        for log_arity in shape.log_arities() {
            from += log_arity;
            cuts.insert(from);
            cuts.insert(length - shape.cap_levels(length - from));
            rounds.push(from);
        }
        let cuts: Vec<usize> = cuts.into_iter().collect();
        let mut chunks = Vec::new();
        for pair in cuts.windows(2) {
            for from in (pair[0]..pair[1]).step_by(CHUNK) {
                chunks.push((from, CHUNK.min(pair[1] - from)));
            }
        }
        let mut index = Self {
            length,
            chunks,
            rounds,
            columns: Vec::new(),
            defined: BTreeSet::new(),
        };
        index.columns = index.chunks.iter().map(|c| Column::Inverse(c.0)).collect();
        for pair in index.rounds.windows(2).skip(1) {
            for (from, _) in index.within(pair[0], pair[1]) {
                let column = Column::Round(from - pair[0]);
                if !index.columns.contains(&column) {
                    index.columns.push(column);
                }
            }
        }
        index
    }

    /// The pieces of bits `from..to`.
    pub(super) fn within(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let inside = |chunk: &&(usize, usize)| (from..to).contains(&chunk.0);
        self.chunks.iter().filter(inside).copied().collect()
    }

    /// Tables of points: eight columns each, an entry for each value of a piece.
    pub(super) fn tables(&self) -> Vec<Vec<[u32; 8]>> {
        let entry = |column: Option<&Column>, digit: usize| {
            let (first, inverse) = match column {
                Some(Column::Inverse(from)) => (*from, true),
                Some(Column::Round(from)) => (*from, false),
                None => return 0,
            };
            let bits = (0..CHUNK).filter(|bit| digit >> bit & 1 == 1);
            let point: F = bits
                // Bits beyond the piece belong to entries that nothing reads.
                .filter(|bit| first + bit < F::TWO_ADICITY)
                .map(|bit| F::two_adic_generator(first + bit + 1))
                .product();
            let value = if inverse { point.inverse() } else { point };
            value.as_canonical_u32()
        };
        (0..self.columns.len().div_ceil(8))
            .map(|table| {
                (0..1 << CHUNK)
                    .map(|digit| {
                        std::array::from_fn(|lane| entry(self.columns.get(8 * table + lane), digit))
                    })
                    .collect()
            })
            .collect()
    }

    /// The name of the integer of bits `from..to`, which the text defines at its first use.
    pub(super) fn window(&mut self, text: &mut String, from: usize, to: usize) -> String {
        if from == to {
            return "Felt::ZERO".to_owned();
        }
        let name = format!("index_{from}_{to}");
        if !self.defined.insert((from, to)) {
            return name;
        }
        let length = self
            .within(from, to)
            .first()
            .map_or(to - from, |chunk| chunk.1);
        if from + length == to {
            line(
                text,
                format!("let {name} = integer(bits, {from}, {length});"),
            );
        } else {
            let above = self.window(text, from + length, to);
            let piece = self.window(text, from, from + length);
            line(
                text,
                format!("let {name} = {above} * felt({}) + {piece};", 1 << length),
            );
        }
        name
    }

    /// The factor that a column of the table of points has for the piece from bit `from` on.
    pub(super) fn factor(&mut self, text: &mut String, from: usize, column: Column) -> String {
        let length = self
            .within(from, from + 1)
            .first()
            .map_or(1, |chunk| chunk.1);
        let digit = self.window(text, from, from + length);
        let place = self.columns.iter().position(|c| *c == column);
        let place = place.unwrap_or(self.columns.len());
        // A table has an entry for each value of a piece's bits, which are asserted to be bits.
        let (table, lane) = (place / 8, place % 8);
        format!("p.points_{table}.at_unchecked({digit}).lane({lane})")
    }
}
