//! The constraints, checked at the out-of-domain point.
//!
//! Claim: the values that the proof opens for a table at the point satisfy the table's constraints.
//! That is, the constraints, folded by a challenge and divided by the vanishing polynomial of the
//! trace's domain, equal the quotient that the proof committed to.
//! `p3_uni_stark::verify_constraints`, `recompose_quotient_from_chunks` and
//! `p3_batch_stark::verify_batch` check the same. That one point outside the domain suffices
//! follows from DEEP-ALI (ePrint 2019/336); the constraints of lookups are those of LogUp (ePrint
//! 2022/1530).

use crate::constraints::{recompose, vanishing};
use crate::fri::power;
use crate::packing::word_as_ext;
use crate::prelude::*;
use crate::suites::hash::Hash;
use crate::verify::fri::point::{Point, square_times};
use crate::verify::fri::shape::{MAIN, Matrix, PERMUTATION, PREPROCESSED, QUOTIENT, Shape};
use crate::verify::fri::transcript::Challenged;
use crate::verify::opened::{Challenges, Opened};

/// The constraints of a proof's tables. In the machine, the implementation is generated from the
/// AIRs.
pub trait Constraints {
    /// Returns the constraints of table `table`, folded by the challenge.
    fn folded(&self, table: usize, opened: &Opened, challenges: &Challenges) -> Ext;

    /// Returns the periodic columns of table `table` at a point.
    fn periodic(&self, table: usize, point: Ext) -> Vec<Ext>;
}

/// The selectors and the vanishing polynomial of a domain at the out-of-domain point.
#[derive(Clone, Debug)]
struct Selectors {
    vanishing: Ext,
    inverse_vanishing: Ext,
    first: Ext,
    last: Ext,
    transition: Ext,
}

/// Returns the selectors of the subgroup of order `2^log_height`. Fails if the point is in it.
fn selectors<P: Point>(zeta: Ext, log_height: usize) -> Selectors {
    let vanishing = vanishing(zeta, log_height);
    let inverse_vanishing = vanishing.inverse();
    let transition = P::inverse_generator(log_height).below(zeta);
    let first = vanishing * (zeta - Felt::ONE).inverse();
    let last = vanishing * transition.inverse();
    Selectors {
        vanishing,
        inverse_vanishing,
        first,
        last,
        transition,
    }
}

/// Fails unless the constraints of every table are satisfied. `opened` are the opened rows in the
/// order of the proof, `public` the public values of every table, of [`Hash::LANES`] lanes each.
pub fn check<H: Hash, A: Constraints>(
    shape: &Shape,
    constraints: &A,
    challenged: &Challenged,
    opened: &[Vec<Ext>],
    public: &[Vec<Felt>],
) {
    let zeta = challenged.zeta;
    let beta = challenged.lookup_beta;
    let mut buses = Vec::new();
    for bus in 0..shape.buses {
        let separator = power(beta, shape.message_width) * felt(bus + 1);
        buses.push(challenged.lookup_alpha + separator);
    }
    let challenges = Challenges {
        alpha: challenged.alpha,
        beta,
        buses,
    };
    let heights = shape.log_heights();
    let mut selectors_of = Vec::new();
    for log_height in &heights {
        let log_height = *log_height - shape.log_extension();
        selectors_of.push(selectors::<H::Point>(zeta, log_height));
    }
    for table in 0..shape.tables.len() {
        let log_height = shape.tables[table].log_height + shape.log_extension();
        let mut height = heights.len();
        for i in 0..heights.len() {
            if heights[i] == log_height {
                height = i;
            }
        }
        let domain = selectors_of[height].clone();
        let quotient = quotient::<H::Point>(shape, table, domain.vanishing, opened);
        let (public_values, public_elements) = public_parts::<H>(&public[table]);
        let row = Opened {
            main: row(shape, table, MAIN, false, opened),
            main_next: row(shape, table, MAIN, true, opened),
            preprocessed: row(shape, table, PREPROCESSED, false, opened),
            preprocessed_next: row(shape, table, PREPROCESSED, true, opened),
            permutation: row(shape, table, PERMUTATION, false, opened),
            permutation_next: row(shape, table, PERMUTATION, true, opened),
            terminal: challenged.terminals[table],
            public_values,
            public_elements,
            periodic: constraints.periodic(table, zeta),
            is_first_row: domain.first,
            is_last_row: domain.last,
            is_transition: domain.transition,
        };
        let folded = constraints.folded(table, &row, &challenges);
        assert_eq!(folded * domain.inverse_vanishing, quotient);
    }
}

/// Returns the public values of a table as constraints read them: as they are, or the elements of
/// BabyBear whose words have these limbs. Fails unless these words are canonical.
fn public_parts<H: Hash>(public: &[Felt]) -> (Vec<Felt>, Vec<Ext>) {
    let mut values = Vec::new();
    let mut elements = Vec::new();
    if H::LANES == 2 {
        for i in 0..public.len() / 2 {
            elements.push(word_as_ext(public[2 * i], public[2 * i + 1]));
        }
    } else {
        for value in public {
            values.push(*value);
        }
    }
    (values, elements)
}

/// Returns the matrices of table `table` in a commitment.
fn matrices(shape: &Shape, table: usize, kind: usize) -> Vec<Matrix> {
    let mut matrices = Vec::new();
    for round in shape.rounds() {
        for matrix in &round.matrices {
            if round.kind == kind && matrix.table == table {
                matrices.push(matrix.clone());
            }
        }
    }
    matrices
}

/// Returns the columns of an opened row but the random ones.
fn own(matrix: &Matrix, opened: &[Ext]) -> Vec<Ext> {
    let mut columns = Vec::new();
    for i in 0..matrix.width - matrix.random {
        columns.push(opened[i]);
    }
    columns
}

/// Returns the opened row of a table's trace; empty if the trace is not opened there.
fn row(shape: &Shape, table: usize, kind: usize, next: bool, opened: &[Vec<Ext>]) -> Vec<Ext> {
    let mut row = Vec::new();
    for matrix in matrices(shape, table, kind) {
        for opening in &matrix.openings {
            if opening.next == next {
                row = own(&matrix, &opened[opening.number]);
            }
        }
    }
    row
}

/// Returns the quotient of a table at the point, from its chunks. Chunk `i` has the weight
/// `prod_j Z_j(zeta) / Z_j(x_i)`, where `j` runs over the other chunks, `Z_j` is the vanishing
/// polynomial of chunk `j`'s domain, and `x_i` is the first point of chunk `i`'s domain.
///
/// The quotient's domain is the coset `g H` of the field's generator `g`. The chunks' domains are
/// the cosets of `g h^i`, where `h` is the generator of `H`; each is as large as the trace's
/// domain, also in a hiding proof, in which there are twice as many.
fn quotient<P: Point>(shape: &Shape, table: usize, vanishing: Ext, opened: &[Vec<Ext>]) -> Ext {
    let log_height = shape.tables[table].log_height;
    let chunks = matrices(shape, table, QUOTIENT);
    let count = chunks.len();
    let log_length = log_height + count.ilog2() as usize;
    let step = P::inverse_generator(log_length).reciprocal();
    // For each chunk, the first point of its domain to the power of the trace's height.
    let mut firsts = Vec::new();
    let mut first = P::generator();
    for _i in 0..count {
        firsts.push(square_times(first, log_height));
        first = first.times(step);
    }
    let mut vanishing_of = Vec::new();
    if count > 1 {
        for i in 0..count {
            // Z_i(zeta) = (zeta / first)^n - 1, where zeta^n is the value of the trace's vanishing
            // polynomial plus 1.
            let power = firsts[i].reciprocal().scale(vanishing + Felt::ONE);
            vanishing_of.push(power - Felt::ONE);
        }
    }
    let mut quotient = Ext::ZERO;
    for i in 0..count {
        let mut weight = P::constant(1);
        let chunk = own(&chunks[i], &opened[chunks[i].openings[0].number]);
        let mut term = recompose(&chunk);
        for j in 0..count {
            if j != i {
                let ratio = firsts[i].times(firsts[j].reciprocal());
                weight = weight.times(ratio.minus(P::constant(1)).reciprocal());
                term = term * vanishing_of[j];
            }
        }
        if count > 1 {
            term = weight.scale(term);
        }
        quotient += term;
    }
    quotient
}
