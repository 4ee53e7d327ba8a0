//! The verifier of the zerocheck, as `droste_vm::multilinear::zerocheck` defines it.
//!
//! The proof is in the calldata as the transcript observes it: of each round all coefficients but the
//! constant one; then the opened values, table by table.
//!
//! What a table needs is computed for all tables at once. The weight of a message is `eq` of the first
//! coordinates of the point at the number of the message's block; all of them, for each number of
//! coordinates, are a tree in which a node is the sum of the two below it. Word `2^n + i` of the tree
//! is that of block `i` at `n` coordinates, so the weights of a table's messages, whose blocks follow
//! each other, are consecutive. Selectors are products of the last coordinates, for each number of them.

mod point;
#[cfg(test)]
mod tests;

use droste_native::EF;
use droste_vm::multilinear::tables::{Shape, System, TableSystem};
use p3_field::PrimeCharacteristicRing;

use crate::assembler::{Assembler, load, var};
use crate::constraints::{self, ConstraintsError, word};
use crate::field::{ELEMENT_BYTES, Element, LEFT_MAX, PACKED_BYTES};
use crate::transcript::Transcript;

/// Where the verifier finds what it reads, and where it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The claim about the leaves: numerator, denominator, and the challenge that combines them.
    pub claim: u64,
    /// End of the claim's point.
    pub point_end: u64,
    /// The challenges of the lookups, `alpha` and `beta`.
    pub lookups: u64,
    /// The public values.
    pub public_values: u64,
    /// Where the point of the opened values will be: one word for each variable of the highest table.
    pub opened_point: u64,
    /// From here on there is nothing. The opened values will be first.
    pub work: u64,
}

/// Places of what is computed, in words from [`Memory::work`] on.
struct Places {
    opened: u64,
    /// The claim of the sumcheck's last round.
    value: u64,
    /// `alpha`, `beta` and `theta`, as evaluators read them.
    challenges: u64,
    sums: u64,
    buses: u64,
    /// Three for each number of variables, from one on.
    selectors: u64,
    tree: u64,
    registers: u64,
}

fn num_opened(table: &TableSystem) -> usize {
    let slots = [&table.main, &table.preprocessed];
    slots
        .map(|slots| slots.width() + slots.num_next())
        .iter()
        .sum()
}

fn num_buses(system: &System) -> usize {
    let buses = system.tables().iter().flat_map(|table| &table.buses);
    buses.max().map_or(0, |bus| bus + 1)
}

/// The largest number of coordinates that say which block a message has.
fn block_coordinates(shape: &Shape) -> usize {
    let least = shape.log_heights().iter().min().copied().unwrap_or(0);
    shape.log_leaves().saturating_sub(least)
}

impl Places {
    fn new(system: &System, shape: &Shape, memory: &Memory) -> Self {
        let mut words = 0;
        let mut place = |count: usize| {
            words += count;
            word(memory.work, words - count)
        };
        Self {
            opened: place(system.tables().iter().map(num_opened).sum()),
            value: place(1),
            challenges: place(3),
            sums: place(2),
            buses: place(num_buses(system)),
            selectors: place(3 * shape.max_log_height()),
            tree: place(2 << block_coordinates(shape)),
            registers: place(0),
        }
    }
}

/// Bytes of a proof, with the opened values.
pub fn proof_bytes(system: &System, shape: &Shape) -> u64 {
    let opened: usize = system.tables().iter().map(num_opened).sum();
    PACKED_BYTES * (system.degree() * shape.max_log_height() + opened) as u64
}

/// Verifies a proof at this place of the calldata, for the claim in memory. Reverts if it is refused.
/// What remains to be shown is that the opened values are those of the columns.
///
/// Nothing may be pending in the transcript, which must have been sampled before. In the end it has
/// observed the opened values.
///
/// # Errors
/// If a table is not as it is expected to be.
pub fn verify(
    a: &mut Assembler,
    transcript: &mut Transcript,
    place: u64,
    system: &System,
    shape: &Shape,
    memory: &Memory,
) -> Result<(), ConstraintsError> {
    let places = Places::new(system, shape, memory);
    a.block(|a| {
        verify_rounds(
            a,
            transcript,
            place,
            (system.degree(), shape),
            memory,
            &places,
        )
    });
    let opened = place + PACKED_BYTES * (system.degree() * shape.max_log_height()) as u64;
    let length = proof_bytes(system, shape) - (opened - place);
    transcript.observe(a, opened, length);
    a.block(|a| read_opened(a, opened, opened + length, &places));
    a.block(|a| {
        point::selectors(
            a,
            memory.opened_point,
            shape.max_log_height(),
            places.selectors,
        )
    });
    let start = memory.point_end - ELEMENT_BYTES * shape.log_leaves() as u64;
    a.block(|a| point::tree(a, start, block_coordinates(shape), places.tree));
    a.block(|a| buses(a, system, memory, &places));

    let mut end = word(places.opened, system.tables().iter().map(num_opened).sum());
    let tables = system.tables().iter().zip(shape.log_heights());
    for ((table, &log_height), start) in tables.zip(shape.starts()).rev() {
        end -= ELEMENT_BYTES * num_opened(table) as u64;
        let coordinates = shape.log_leaves().saturating_sub(log_height);
        let memory = constraints::Memory {
            opened: end,
            public_values: memory.public_values,
            selectors: word(places.selectors, 3 * log_height.saturating_sub(1)),
            weights: word(places.tree, (1 << coordinates) + (start >> log_height)),
            buses: places.buses,
            challenges: places.challenges,
            sums: places.sums,
            registers: places.registers,
        };
        constraints::evaluate(a, table, &memory)?;
    }

    let constraints = Element::new(load(places.sums), LEFT_MAX) * Element::load(places.challenges);
    let sum = constraints + Element::load(word(places.sums, 1));
    a.revert_if((Element::load(places.value) - sum).is_nonzero());
    Ok(())
}

/// The sumcheck, of polynomials of this degree.
fn verify_rounds(
    a: &mut Assembler,
    transcript: &mut Transcript,
    place: u64,
    (degree, shape): (usize, &Shape),
    memory: &Memory,
    places: &Places,
) {
    let alpha = transcript.sample_element(a, "alpha");
    a.store(places.challenges, alpha.value());
    a.store(word(places.challenges, 1), load(word(memory.lookups, 1)));
    a.store(word(places.challenges, 2), load(word(memory.claim, 2)));

    let [numerator, denominator, theta] = [0, 1, 2].map(|i| Element::load(word(memory.claim, i)));
    let sum = (denominator + Element::constant(EF::NEG_ONE)) * theta + numerator;
    a.bind_element("sum", sum);
    a.bind("place", place);
    let rounds = shape.max_log_height() as u64;
    a.bind("coordinate", memory.point_end - ELEMENT_BYTES * rounds);
    a.bind("to", memory.opened_point);
    transcript.repeat_while(a, |transcript, a| {
        let length = PACKED_BYTES * degree as u64;
        transcript.observe(a, var("place"), length);
        let coefficients = (0..degree as u64).map(|index| {
            let coefficient = Element::read(var("place") + PACKED_BYTES * index);
            a.bind_element(format!("c{}", index + 1), coefficient)
        });
        let coefficients: Vec<Element> = coefficients.collect();
        let r = transcript.sample_element(a, "r");
        let all = coefficients.iter().cloned().reduce(|sum, c| sum + c);
        let all = all.unwrap_or_else(Element::zero);
        let constant = Element::var("sum") - all * Element::load(var("coordinate"));
        let rest = coefficients.into_iter().rev();
        let rest = rest.reduce(|value, c| value * r.clone() + c);
        let rest = rest.unwrap_or_else(Element::zero) * r.clone();
        a.set("sum", (constant + rest).value());
        a.store(var("to"), r.expr);
        a.advance("to", ELEMENT_BYTES);
        a.advance("coordinate", ELEMENT_BYTES);
        a.advance("place", length);
        var("coordinate").lt(memory.point_end)
    });
    a.store(places.value, var("sum"));
}

fn read_opened(a: &mut Assembler, start: u64, end: u64, places: &Places) {
    a.bind("place", start);
    a.bind("to", places.opened);
    a.repeat_while(|a| {
        a.store(var("to"), Element::read(var("place")).expr);
        a.advance("to", ELEMENT_BYTES);
        a.advance("place", PACKED_BYTES);
        var("place").lt(end)
    });
}

/// Of each bus `t`: `theta (alpha + (t + 1) beta^W - 1)`.
fn buses(a: &mut Assembler, system: &System, memory: &Memory, places: &Places) {
    let [alpha, beta] = [0, 1].map(|index| Element::load(word(memory.lookups, index)));
    let theta = || Element::load(word(memory.claim, 2));
    a.bind_element("power", beta.clone());
    let width = system.message_width().max(1);
    // The bits after the first one, from the top down.
    for bit in (0..width.ilog2()).rev() {
        let square = Element::var("power") * Element::var("power");
        let power = match (width >> bit) & 1 {
            0 => square,
            _ => square * beta.clone(),
        };
        a.set("power", power.expr);
    }
    let step = a.bind_element("step", Element::var("power") * theta());
    let first = (alpha + Element::constant(EF::NEG_ONE)) * theta();
    a.bind_element("bus", first);
    for index in 0..num_buses(system) {
        a.set("bus", (Element::var("bus") + step.clone()).value());
        a.store(word(places.buses, index), var("bus"));
    }
}
