//! The fractions of the lookup argument (LogUp: ePrint 2022/1530).
//!
//! A message with multiplicity `mu` and elements `e_1, .., e_w` on bus `t` is the fraction `mu / D`
//! with
//!
//! ```text
//! D = alpha + (t + 1) beta^W - sum_k beta^(w - k) e_k        W: length of the longest message
//! ```
//!
//! for challenges `alpha` and `beta`. This is the fraction of Plonky3's batch STARKs
//! (`p3_lookup::Challenges`): the last element is constant in `beta`, and the number of the bus
//! stands above every element, so that messages of different buses differ.

use std::collections::BTreeMap;

use droste_native::gkr;
use droste_native::lanes::{Packed, PackedExt, lanes};
use droste_native::{EF, F};
use p3_field::{
    BasedVectorSpace, PackedField, PackedValue, PrimeCharacteristicRing, invert_packed_extension,
};
use p3_maybe_rayon::prelude::*;

use super::cells::{self, Cells, CellsError, Rows};
use super::challenges::LookupChallenges;
use super::expressions::Node;
use super::program::Program;
use super::system::{Shape, System, TableSystem};

/// Packed elements of each expression that are evaluated at once.
const CHUNK: usize = 4;

/// Packed elements of a column that a thread takes at once.
const TASK: usize = 16 * CHUNK;

/// Number of base field elements in an extension field element.
const DEGREE: usize = <EF as BasedVectorSpace<F>>::DIMENSION;

/// A packed element of leaves.
type Leaf<P = Packed> = gkr::Fraction<P, PackedExt<P>>;

/// Returns the number of a bus on which not as much is received as is sent, if there is one. No
/// denominator may be zero.
pub fn unbalanced_bus(system: &System, shape: &Shape, leaves: &[Leaf]) -> Option<usize> {
    let mut buses: BTreeMap<usize, EF> = BTreeMap::new();
    let places = shape.log_heights().iter().zip(shape.starts());
    for (table, (&log_height, start)) in system.tables().iter().zip(places) {
        let blocks =
            leaves[start / Packed::WIDTH..].chunks_exact((1 << log_height) / Packed::WIDTH);
        for (&bus, block) in table.buses.iter().zip(blocks) {
            let fractions = block
                .par_iter()
                .map(|leaf| invert_packed_extension::<F, EF>(leaf.denominator) * leaf.numerator);
            let sum: PackedExt = fractions.sum();
            *buses.entry(bus).or_default() += lanes(&sum).sum::<EF>();
        }
    }
    let unbalanced = buses.into_iter().find(|(_, sum)| *sum != EF::ZERO);
    unbalanced.map(|(bus, _)| bus)
}

/// Computes the leaves that messages have, in the order of [`Shape`]: lane `j` of element `i` is
/// leaf `i L + j`, of `L` lanes. All others are `0 / 1`, and the vector has room for them.
/// Denominators may be zero, with negligible probability.
///
/// # Errors
/// If the numbers of cells are not those of tables of this shape.
pub fn leaves<P: PackedField<Scalar = F>>(
    system: &System,
    shape: &Shape,
    cells: &[Cells<'_>],
    public_values: &[F],
    challenges: &LookupChallenges,
) -> Result<Vec<Leaf<P>>, CellsError> {
    cells::check(system, shape, cells, public_values)?;
    let none = Leaf {
        numerator: P::ZERO,
        denominator: PackedExt::ONE,
    };
    let mut leaves = Vec::with_capacity((1usize << shape.log_leaves()).div_ceil(P::WIDTH));
    // In parallel, since a page is cleared when it is first written.
    let elements = (0..shape.num_leaves() / P::WIDTH).into_par_iter();
    leaves.par_extend(elements.map(|_| none));
    let tables = system.tables().iter().zip(cells);
    for ((table, &cells), (&log_height, start)) in
        tables.zip(shape.log_heights().iter().zip(shape.starts()))
    {
        let rows = Rows::new(table, cells, public_values, log_height);
        let fractions = Fractions::new(system, table, challenges);
        let start = start / P::WIDTH;
        let end = start + table.buses.len() * rows.num_packed::<P>();
        fractions.fill(&rows, &mut leaves[start..end]);
    }
    Ok(leaves)
}

/// The messages of a table under challenges.
struct Fractions<P: PackedField<Scalar = F>> {
    /// Outputs are those of each message, one after the other.
    program: Program,
    messages: Vec<Fraction<P>>,
}

/// A message: the program's next outputs are its multiplicity, and those of its elements that are
/// not constant.
struct Fraction<P: PackedField<Scalar = F>> {
    /// What the denominator is if these elements are zero.
    prefix: PackedExt<P>,
    /// Per coefficient of the extension field, those of the negated factors of the elements.
    factors: [Vec<F>; DEGREE],
}

impl<P: PackedField<Scalar = F>> Fractions<P> {
    fn new(system: &System, table: &TableSystem, challenges: &LookupChallenges) -> Self {
        let nodes = table.expressions.nodes();
        let mut outputs = Vec::new();
        let messages = table.expressions.messages().iter().zip(&table.buses);
        let messages = messages
            .map(|(message, &bus)| {
                outputs.push(message.multiplicity);
                let mut prefix = challenges.prefix(system, bus);
                let mut factors: [Vec<F>; DEGREE] = Default::default();
                let elements = challenges.factors(message.payload.len());
                for (&element, factor) in message.payload.iter().zip(elements) {
                    if let Node::Constant(constant) = nodes[element] {
                        prefix -= factor * constant;
                        continue;
                    }
                    outputs.push(element);
                    let coefficients: &[F] = factor.as_basis_coefficients_slice();
                    for (factors, &coefficient) in factors.iter_mut().zip(coefficients) {
                        factors.push(-coefficient);
                    }
                }
                let prefix = prefix.into();
                Fraction { prefix, factors }
            })
            .collect();
        Self {
            program: Program::new(nodes, &outputs),
            messages,
        }
    }

    /// Fills the blocks of the table's messages.
    fn fill(&self, rows: &Rows<'_>, leaves: &mut [Leaf<P>]) {
        let height = rows.num_packed::<P>();
        let mut tasks: Vec<Vec<&mut [Leaf<P>]>> = Vec::new();
        tasks.resize_with(height.div_ceil(TASK), Vec::new);
        for block in leaves.chunks_mut(height) {
            for (task, part) in tasks.iter_mut().zip(block.chunks_mut(TASK)) {
                task.push(part);
            }
        }
        let inputs = self.program.inputs().iter();
        let inputs: Vec<_> = inputs.map(|&leaf| rows.column(leaf)).collect();
        let tasks = tasks.into_par_iter().enumerate();
        tasks.for_each_init(
            || {
                (
                    vec![[P::ZERO; CHUNK]; self.program.num_values()],
                    Vec::new(),
                )
            },
            |(values, outputs), (task, mut blocks)| {
                let length = blocks.first().map_or(0, |block| block.len());
                for offset in (0..length).step_by(CHUNK) {
                    let first = task * TASK + offset;
                    // A short table fills a part of a chunk only.
                    let at = |i: usize| (first + i).min(height - 1);
                    for (value, column) in values.iter_mut().zip(&inputs) {
                        *value = std::array::from_fn(|i| column.packed(at(i)));
                    }
                    outputs.clear();
                    let emit = |output: &[P; CHUNK]| outputs.push(*output);
                    self.program.run::<F, _, CHUNK>(values, emit);
                    let range = offset..length.min(offset + CHUNK);
                    self.combine(outputs, |message, i, leaf| {
                        if let Some(at) = range.clone().nth(i) {
                            blocks[message][at] = leaf;
                        }
                    });
                }
            },
        );
    }

    /// Passes leaves, computed from the program's outputs, to `each`, with the indices of the
    /// message and of the packed element.
    fn combine(&self, mut outputs: &[[P; CHUNK]], mut each: impl FnMut(usize, usize, Leaf<P>)) {
        let mut elements = Vec::new();
        for (index, message) in self.messages.iter().enumerate() {
            let (of_message, rest) = outputs.split_at(1 + message.factors[0].len());
            outputs = rest;
            for i in 0..CHUNK {
                elements.clear();
                elements.extend(of_message[1..].iter().map(|output| output[i]));
                let combined = PackedExt::from_basis_coefficients_fn(|d| {
                    P::batched_linear_combination(&elements, &message.factors[d])
                });
                let leaf = Leaf {
                    numerator: of_message[0][i],
                    denominator: combined + message.prefix,
                };
                each(index, i, leaf);
            }
        }
    }
}
