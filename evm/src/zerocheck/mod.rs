//! The verifier of the zerocheck, as `droste_vm::whir::zerocheck` defines it.
//!
//! The proof is in the calldata as the transcript observes it: of each round all coefficients but
//! the constant one; then the opened values, table by table.
//!
//! What a table needs is computed for all tables at once. The weight of a message is `eq` of the
//! first coordinates of the point at the number of the message's block; all of them, for each
//! number of coordinates, are a tree in which a node is the sum of the two below it. Word `2^n + i`
//! of the tree is that of block `i` at `n` coordinates, so the weights of a table's messages, whose
//! blocks follow each other, are consecutive. Selectors are products of the last coordinates, for
//! each number of them.
//!
//! The code for all tables exceeds what a contract may have. So some tables may be left to another
//! contract, which is called with a copy of this one's memory and returns its accumulators.

mod point;
#[cfg(test)]
mod tests;

use droste_native::EF;
use droste_vm::whir::system::{Shape, System, TableSystem};
use p3_field::PrimeCharacteristicRing;

use crate::assembler::{Assembler, Expr, Op, Word, load, var};
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
    /// Where the point of the opened values will be: one word for each variable of the highest
    /// table.
    pub opened_point: u64,
    /// From here on there is nothing. The opened values will be first.
    pub work: u64,
}

/// Places of what is computed, from [`Memory::work`] on.
#[derive(Debug, Default)]
struct Places {
    opened: u64,
    /// The claim of the sumcheck's last round.
    value: u64,
    /// `alpha`, `beta` and `theta`, as evaluators read them.
    challenges: u64,
    sums: u64,
    /// The accumulators of another contract.
    returned: u64,
    buses: u64,
    /// Three for each number of variables, from one on.
    selectors: u64,
    tree: u64,
    registers: u64,
}

/// A contract that evaluates tables.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'a> {
    /// Its address.
    pub address: Word,
    /// The names of its tables.
    pub tables: &'a [&'a str],
}

/// A machine's tables at certain heights, and where the verifier works.
pub struct Zerocheck<'a> {
    system: &'a System,
    shape: &'a Shape,
    memory: Memory,
    places: Places,
}

fn num_opened(table: &TableSystem) -> usize {
    let slots = [&table.main, &table.preprocessed];
    let opened = slots.map(|slots| slots.width() + slots.num_next());
    opened.iter().sum()
}

impl<'a> Zerocheck<'a> {
    /// The zerocheck of tables of these heights. Public values must be in front of
    /// [`Memory::work`].
    pub fn new(system: &'a System, shape: &'a Shape, memory: Memory) -> Self {
        let mut zerocheck = Self {
            system,
            shape,
            memory,
            places: Places::default(),
        };
        let mut words = 0;
        let mut place = |count: usize| {
            words += count;
            word(memory.work, words - count)
        };
        zerocheck.places = Places {
            opened: place(zerocheck.num_opened()),
            value: place(1),
            challenges: place(3),
            sums: place(2),
            returned: place(2),
            buses: place(zerocheck.num_buses()),
            selectors: place(3 * shape.max_log_height()),
            tree: place(2 << zerocheck.block_coordinates()),
            registers: place(0),
        };
        zerocheck
    }

    /// Number of opened values.
    pub fn num_opened(&self) -> usize {
        self.system.tables().iter().map(num_opened).sum()
    }

    /// Where the opened values are.
    pub const fn opened(&self) -> u64 {
        self.places.opened
    }

    fn num_buses(&self) -> usize {
        let buses = self.system.tables().iter().flat_map(|table| &table.buses);
        buses.max().map_or(0, |bus| bus + 1)
    }

    /// The largest number of coordinates that say which block a message has.
    fn block_coordinates(&self) -> usize {
        let least = self.shape.log_heights().iter().min();
        let least = least.copied().unwrap_or(0);
        self.shape.log_leaves() - least
    }

    fn rounds_bytes(&self) -> u64 {
        PACKED_BYTES * (self.system.degree() * self.shape.max_log_height()) as u64
    }

    /// Bytes of a proof, with the opened values.
    pub fn proof_bytes(&self) -> u64 {
        self.rounds_bytes() + PACKED_BYTES * self.num_opened() as u64
    }

    /// Verifies a proof at this place of the calldata, for the claim in memory. Reverts if it is
    /// refused. What remains to be shown is that the opened values are those of the columns.
    ///
    /// Nothing may be pending in the transcript, which must have been sampled before. In the end it
    /// has observed the opened values.
    ///
    /// # Errors
    /// If a table is not as it is expected to be.
    pub fn verify(
        &self,
        a: &mut Assembler,
        transcript: &mut Transcript,
        place: u64,
        evaluators: &[Evaluator<'_>],
    ) -> Result<(), ConstraintsError> {
        let (memory, places) = (&self.memory, &self.places);
        a.comment(&format!("memory: {places:#?}"));
        a.block(|a| self.verify_rounds(a, transcript, place));
        let (opened, end) = (place + self.rounds_bytes(), place + self.proof_bytes());
        transcript.observe(a, opened, end - opened);
        a.read_elements(opened, end, places.opened);
        let coordinates = self.shape.max_log_height();
        let start = memory.opened_point;
        a.block(|a| point::selectors(a, start, coordinates, places.selectors));
        let start = memory.point_end - ELEMENT_BYTES * self.shape.log_leaves() as u64;
        a.block(|a| point::tree(a, start, self.block_coordinates(), places.tree));
        a.block(|a| self.write_buses(a));

        let elsewhere: Vec<&str> = evaluators.iter().flat_map(|e| e.tables).copied().collect();
        self.evaluate(a, |name| !elsewhere.contains(&name))?;
        for evaluator in evaluators {
            self.check_names(evaluator.tables)?;
            self.call(a, evaluator.address);
        }
        let constraints = Element::new(load(places.sums), LEFT_MAX);
        let sum =
            constraints * Element::load(places.challenges) + Element::load(word(places.sums, 1));
        a.revert_if((Element::load(places.value) - sum).is_nonzero());
        Ok(())
    }

    /// A contract that evaluates these tables for one that verifies: all of its code but for the
    /// functions of the field.
    ///
    /// # Errors
    /// If a table is not as it is expected to be, or there is none of that name.
    pub fn evaluator(&self, a: &mut Assembler, tables: &[&str]) -> Result<(), ConstraintsError> {
        self.check_names(tables)?;
        let (start, length) = self.inputs();
        a.comment(&format!("memory: {:#?}", self.places));
        a.run(Op::CallDataCopy, [start.into(), 0.into(), length.into()]);
        // The caller's accumulators are not of these tables.
        a.store(self.places.sums, 0);
        a.store(word(self.places.sums, 1), 0);
        self.evaluate(a, |name| tables.contains(&name))?;
        a.run(
            Op::Return,
            [self.places.sums.into(), (2 * ELEMENT_BYTES).into()],
        );
        Ok(())
    }

    fn check_names(&self, names: &[&str]) -> Result<(), ConstraintsError> {
        let exists = |name: &str| self.system.tables().iter().any(|table| table.name == name);
        match names.iter().find(|name| !exists(name)) {
            Some(name) => Err(ConstraintsError::Unknown((*name).to_owned())),
            None => Ok(()),
        }
    }

    /// Place and length of what evaluators read.
    fn inputs(&self) -> (u64, u64) {
        let start = self.memory.public_values.min(self.memory.work);
        (start, self.places.registers - start)
    }

    /// Evaluates the tables of these names.
    fn evaluate(
        &self,
        a: &mut Assembler,
        is_evaluated: impl Fn(&str) -> bool,
    ) -> Result<(), ConstraintsError> {
        let (shape, places) = (self.shape, &self.places);
        let (expected, found) = (self.system.tables().len(), shape.log_heights().len());
        if expected != found {
            return Err(ConstraintsError::Heights { expected, found });
        }
        let mut end = word(places.opened, self.num_opened());
        let tables = self.system.tables().iter().zip(shape.log_heights());
        // Constraints that are left out since the last table, if there is one.
        let mut skipped = None;
        for ((table, &log_height), start) in tables.zip(shape.starts()).rev() {
            end -= ELEMENT_BYTES * num_opened(table) as u64;
            let coordinates = shape.log_leaves() - log_height;
            let memory = constraints::Memory {
                opened: end,
                public_values: self.memory.public_values,
                selectors: word(places.selectors, 3 * (log_height - 1)),
                weights: word(places.tree, (1 << coordinates) + (start >> log_height)),
                buses: places.buses,
                challenges: places.challenges,
                sums: places.sums,
                registers: places.registers,
            };
            if is_evaluated(table.name) {
                if let Some(count @ 1..) = skipped {
                    constraints::skip(a, &memory, count);
                }
                skipped = Some(0);
                constraints::evaluate(a, table, &memory)?;
            } else if let Some(count) = &mut skipped {
                *count += table.expressions.num_constraints();
            }
            if end == places.opened
                && let Some(count @ 1..) = skipped
            {
                constraints::skip(a, &memory, count);
            }
        }
        Ok(())
    }

    /// Adds what another contract returns to the accumulators. Reverts if it fails, or returns
    /// something else, as an address without a contract does.
    fn call(&self, a: &mut Assembler, address: Word) {
        let (start, length) = self.inputs();
        let (sums, returned) = (self.places.sums, self.places.returned);
        let results = 2 * ELEMENT_BYTES;
        let gas = Expr::Op(Op::Gas, vec![]);
        let (input, output) = ([start, length], [returned, results]);
        let places = input.into_iter().chain(output).map(Expr::from);
        let arguments: Vec<Expr> = [gas, address.into()].into_iter().chain(places).collect();
        let succeeds = Expr::Op(Op::StaticCall, arguments);
        a.revert_if(Expr::Op(Op::IsZero, vec![succeeds]));
        let size = Expr::Op(Op::ReturnDataSize, vec![]);
        a.revert_if(Expr::Op(Op::Xor, vec![size, results.into()]));
        let largest = |place: u64| Element::new(load(place), LEFT_MAX);
        for index in 0..2 {
            let sum = largest(word(sums, index)) + largest(word(returned, index));
            a.store(word(sums, index), sum.value());
        }
    }

    /// The sumcheck.
    fn verify_rounds(&self, a: &mut Assembler, transcript: &mut Transcript, place: u64) {
        let (memory, places) = (&self.memory, &self.places);
        let alpha = transcript.sample_element(a, "alpha");
        a.store(places.challenges, alpha.value());
        a.store(word(places.challenges, 1), load(word(memory.lookups, 1)));
        a.store(word(places.challenges, 2), load(word(memory.claim, 2)));

        let claim = [0, 1, 2].map(|index| Element::load(word(memory.claim, index)));
        let [numerator, denominator, theta] = claim;
        let sum = (denominator + Element::constant(EF::NEG_ONE)) * theta + numerator;
        a.bind_element("sum", sum);
        a.bind("place", place);
        let rounds = self.shape.max_log_height() as u64;
        a.bind("coordinate", memory.point_end - ELEMENT_BYTES * rounds);
        a.bind("to", memory.opened_point);
        transcript.repeat_while(a, |transcript, a| {
            let degree = self.system.degree() as u64;
            transcript.observe(a, var("place"), PACKED_BYTES * degree);
            let coefficients = (0..degree).map(|index| {
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
            a.advance("place", PACKED_BYTES * degree);
            var("coordinate").lt(memory.point_end)
        });
        a.store(places.value, var("sum"));
    }

    /// Of each bus `t`: `theta (alpha + (t + 1) beta^W - 1)`.
    fn write_buses(&self, a: &mut Assembler) {
        let lookups = [0, 1].map(|index| Element::load(word(self.memory.lookups, index)));
        let [alpha, beta] = lookups;
        let theta = || Element::load(word(self.memory.claim, 2));
        let power = a.bind_power("power", beta, self.system.message_width());
        let step = a.bind_element("step", power * theta());
        let first = (alpha + Element::constant(EF::NEG_ONE)) * theta();
        a.bind_element("bus", first);
        for index in 0..self.num_buses() {
            a.set("bus", (Element::var("bus") + step.clone()).value());
            a.store(word(self.places.buses, index), var("bus"));
        }
    }
}
