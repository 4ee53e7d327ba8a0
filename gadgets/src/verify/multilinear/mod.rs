//! The verifier of proofs by sumcheck, LogUp with GKR, and WHIR: one source for all shapes.
//!
//! It accepts the proofs that `droste_vm::whir` verifies; `docs/notes/whir-protocol.md` describes
//! the protocol message by message. One file for each of its parts: the sum of fractions, the
//! rounds of sumcheck, the weights of opened values; this file has their order. The opening is
//! [`crate::verify::whir`].

pub mod gkr;
pub mod shape;
pub mod sumcheck;
pub mod weights;

use crate::constraints::combine;
use crate::fri::power;
use crate::hash::{Challenger, Hash, observe_constants};
use crate::prelude::*;
use crate::verify::constraints::{Challenges, Opened};
use crate::verify::whir::{self, observed};

use shape::{Columns, Shape};
use weights::{Rows, columns, selected};

/// The constraints of a proof's tables. In the machine, the implementation is generated from the
/// AIRs.
pub trait Constraints {
    /// Returns the constraints of table `table`, folded by the challenge: the last one has the
    /// factor one.
    fn folded(&self, table: usize, opened: &Opened, challenges: &Challenges) -> Ext;

    /// Returns what the messages of table `table` contribute: the sum over the messages of the
    /// weight times `multiplicity + combiner * (denominator - 1)`.
    fn messages(&self, table: usize, opened: &Opened, sent: &Messages) -> Ext;
}

/// What the messages of a table depend on, beside the opened values.
#[derive(Clone, Debug)]
pub struct Messages {
    /// Combines the elements of a message.
    pub beta: Ext,
    /// For each bus, the challenge from which the combined message is subtracted in the
    /// denominator.
    pub buses: Vec<Ext>,
    /// Combines multiplicities and denominators.
    pub combiner: Ext,
    /// The weight of each message.
    pub weights: Vec<Ext>,
}

/// The opened values of a table, in the order of their slots.
struct Values {
    main: Vec<Ext>,
    main_next: Vec<Ext>,
    preprocessed: Vec<Ext>,
    preprocessed_next: Vec<Ext>,
}

/// Verifies one proof, which is read from the tape. Its transcript begins with the elements of
/// `seed`, then those of the statement, of which every table's public values are the first
/// elements; `preprocessed` is the commitment to the preprocessed columns. The caller must bind
/// these three.
pub fn verify<H: Hash, C: Challenger + Copy, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    seed: &[Felt],
    preprocessed: Slice,
    statement: [Felt; 8],
) {
    let mut t = C::new();
    for x in seed {
        t.observe(*x);
    }
    for i in 0..8 {
        t.observe(statement[i]);
    }
    let mut heights = vec![shape.tables.len() as u32];
    for table in &shape.tables {
        heights.push(table.log_height as u32);
    }
    for _i in heights.len()..heights.len().next_multiple_of(8) {
        heights.push(0);
    }
    observe_constants(&mut t, &heights);
    // The transcript binds the commitment, and queries open it.
    let digests = shape.opening.digests(0);
    let main = hint_slice(digests * H::DIGEST_BLOCKS).any();
    t.observe_digests(main, digests);
    let outside = whir::outside(shape.opening.ood_samples, &mut t);

    let (alpha, beta) = t.sample_pair();
    let separator = power(beta, shape.message_width);
    let mut buses = Vec::new();
    let mut base = alpha;
    for _bus in 0..shape.buses {
        base = base + separator;
        buses.push(base.pin());
    }
    let leaves = gkr::verify(shape.log_leaves, &mut t);

    let alpha = t.sample();
    let before = leaves.point.len() - shape.log_rows();
    let mut tau = Vec::new();
    for i in before..leaves.point.len() {
        tau.push(leaves.point[i]);
    }
    let mut sum = leaves.combiner * (leaves.denominator - Ext::ONE) + leaves.numerator;
    let rho = sumcheck::rounds(&mut t, &mut sum, &tau, shape.degree);

    // The opened values must lead to the sum that is left.
    let challenges = Challenges {
        alpha: alpha.pin(),
        beta: beta.pin(),
        buses: Vec::new(),
    };
    let mut values = Vec::new();
    for table in &shape.tables {
        values.push(Values {
            main: observed_or_none(&mut t, table.main.order.len()),
            main_next: observed_or_none(&mut t, table.main.next),
            preprocessed: observed_or_none(&mut t, table.preprocessed.order.len()),
            preprocessed_next: observed_or_none(&mut t, table.preprocessed.next),
        });
    }
    let selectors = Selectors::new(&rho);
    let mut total = Ext::ZERO;
    // The last constraint of a table has the power 1 plus the number of constraints before.
    let mut scale = alpha;
    for number in 0..shape.tables.len() {
        let table = &shape.tables[number];
        let mut public_values = Vec::new();
        for i in 0..table.public_values {
            public_values.push(statement[i]);
        }
        let last = selectors.last[table.log_height];
        let opened = Opened {
            main: by_column(&table.main, &values[number].main),
            main_next: by_column(&table.main, &values[number].main_next),
            preprocessed: by_column(&table.preprocessed, &values[number].preprocessed),
            preprocessed_next: by_column(&table.preprocessed, &values[number].preprocessed_next),
            permutation: Vec::new(),
            permutation_next: Vec::new(),
            terminal: Ext::ZERO,
            public_values,
            periodic: Vec::new(),
            is_first_row: selectors.first[table.log_height],
            is_last_row: last,
            is_transition: Ext::ONE - last,
        };
        let mut block = Vec::new();
        for i in 0..(leaves.point.len() - table.log_height) {
            block.push(leaves.point[i]);
        }
        let sent = Messages {
            beta: challenges.beta,
            buses: buses.clone(),
            combiner: leaves.combiner,
            weights: selected(&table.messages, &block),
        };
        total = total + constraints.messages(number, &opened, &sent);
        if table.constraints > 0 {
            total = constraints.folded(number, &opened, &challenges) * scale + total;
        }
        if number + 1 < shape.tables.len() {
            scale = scale * power(alpha, table.constraints);
        }
    }
    assert_eq!(total, sum);

    // Each kind of values of a table is one claim: their sum, times powers of one challenge.
    let (y, gamma) = t.sample_pair();
    let mut claimed = Vec::new();
    for value in &outside.values {
        claimed.push(*value);
    }
    for of_table in &values {
        for kind in [
            &of_table.main,
            &of_table.main_next,
            &of_table.preprocessed,
            &of_table.preprocessed_next,
        ] {
            if !kind.is_empty() {
                claimed.push(combine(kind, y));
            }
        }
    }
    let commitments = vec![main, preprocessed];
    let end = whir::open::<H, C>(
        &shape.opening,
        &mut t,
        &commitments,
        combine(&claimed, gamma),
    );

    // The weights of the same claims, in the same order.
    let all = &end.coordinates;
    let mut weights = Vec::new();
    for point in &outside.points {
        weights.push(all.equality_of_powers(0, *point));
    }
    let rows = Rows::new(&rho, all);
    let mut slot_bits = 0usize;
    for table in &shape.tables {
        slot_bits = slot_bits
            .max(table.main.slot_bits)
            .max(table.preprocessed.slot_bits);
    }
    let powers = powers_less_one(y, slot_bits);
    for table in &shape.tables {
        let m = table.log_height;
        for of_table in [&table.main, &table.preprocessed] {
            if !of_table.order.is_empty() {
                let bits = of_table.slot_bits;
                weights.push(columns(all, of_table, m, bits, &powers, rows.same[m]));
            }
            if of_table.next > 0 {
                let bits = of_table.next_bits;
                weights.push(columns(all, of_table, m, bits, &powers, rows.next[m]));
            }
        }
    }
    end.check(combine(&weights, gamma));
}

/// The selectors of the first and the last row, for each number of variables.
struct Selectors {
    first: Vec<Ext>,
    last: Vec<Ext>,
}

impl Selectors {
    /// Returns the selectors at `point`, of whose coordinates a table takes the last.
    fn new(point: &[Ext]) -> Self {
        let mut first = vec![Ext::ONE];
        let mut last = vec![Ext::ONE];
        for i in 0..point.len() {
            let coordinate = point[point.len() - 1 - i];
            first.push(first[i] - first[i] * coordinate);
            last.push(last[i] * coordinate);
        }
        Self { first, last }
    }
}

/// Reads and observes `n` values; nothing is observed for none.
fn observed_or_none<C: Challenger>(t: &mut C, n: usize) -> Vec<Ext> {
    if n == 0 { Vec::new() } else { observed(t, n) }
}

/// Returns the values in the order of the columns; a column without a value has zero, and is not
/// read.
fn by_column(columns: &Columns, values: &[Ext]) -> Vec<Ext> {
    let mut ordered = vec![Ext::ZERO; columns.order.len()];
    for slot in 0..values.len() {
        ordered[columns.order[slot]] = values[slot];
    }
    ordered
}

/// Returns `y^(2^i) - 1` for each `i` below `n`.
fn powers_less_one(y: Ext, n: usize) -> Vec<Ext> {
    let mut powers = Vec::new();
    let mut power = y;
    for _i in 0..n {
        powers.push((power - Ext::ONE).pin());
        power = power * power;
    }
    powers
}
