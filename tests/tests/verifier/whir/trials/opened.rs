//! Lies about opened values.

use std::iter::zip;

use droste_native::EF;
use droste_vm::whir::challenges::LookupChallenges;
use droste_vm::whir::expressions::{Leaf, Row};
use droste_vm::whir::hypercube::eq_at;
use droste_vm::whir::system::Slots;
use droste_vm::whir::zerocheck::Opened;
use p3_field::{Field, PrimeCharacteristicRing};

use super::machine::Step;
use super::prover::{LANES, Prover, with_roots};
use super::term::Term;

impl Prover {
    /// Lies about opened values so that the tables' polynomials have as much more as the sum
    /// claims.
    pub fn lie_about_opened(&mut self, values: &mut [EF]) {
        let (words, blocks) = (self.machine.table("words"), self.machine.table("blocks"));
        let slots = &self.machine.verifier.system().tables()[blocks].main;
        let (places, shares): (Vec<(usize, usize, usize)>, Vec<EF>) = match self.term {
            Term::Columns => {
                // The lanes have slots that follow each other.
                let lanes = (0..LANES).map(|lane| (blocks, 0, slots.slot(1 + lane)));
                (lanes.collect(), with_roots(&self.hoped(LANES - 1)))
            }
            Term::Claims => {
                // The addresses, here and in the next row: four claims that follow each other.
                let addresses = vec![(words, 0, 0), (words, 1, 0), (blocks, 0, 0), (blocks, 1, 0)];
                (addresses, with_roots(&self.hoped(3)))
            }
            _ => (vec![(blocks, 0, slots.slot(1))], vec![EF::ONE]),
        };
        // What the lies add is linear in them.
        let mut opened = self.unflatten(values);
        let honest = self.tables(&opened);
        for (&(table, list, slot), &share) in zip(&places, &shares) {
            list_of(&mut opened[table], list)[slot] += share;
        }
        // If a coordinate is one, nothing may depend on these values: then the sum stays false.
        let Some(inverse) = (self.tables(&opened) - honest).try_inverse() else {
            return;
        };
        let scale = self.false_now.sum * inverse;
        for (&(table, list, slot), &share) in zip(&places, &shares) {
            list_of(&mut opened[table], list)[slot] += share * (scale - EF::ONE);
            self.false_now
                .opened
                .push((table, list, slot, share * scale));
        }
        let lies = opened.iter().flat_map(Opened::values);
        zip(values, lies).for_each(|(value, lie)| *value = lie);
    }

    /// The opened values by table.
    fn unflatten(&self, values: &[EF]) -> Vec<Opened> {
        let mut values = values.iter().copied();
        let tables = self.machine.verifier.system().tables().iter();
        let opened = tables.map(|table| {
            let mut take = |n: usize| values.by_ref().take(n).collect();
            Opened {
                main: take(table.main.width()),
                main_next: take(table.main.num_next()),
                preprocessed: take(table.preprocessed.width()),
                preprocessed_next: take(table.preprocessed.num_next()),
            }
        });
        opened.collect()
    }

    /// The sum of all tables' polynomials of these values: step 5 of docs/notes/whir-protocol.md.
    fn tables(&self, opened: &[Opened]) -> EF {
        let (system, shape) = (self.machine.verifier.system(), &self.machine.shape);
        let lookups = LookupChallenges {
            alpha: self.of(Step::Alpha),
            beta: self.of(Step::Beta),
        };
        let (alpha, theta) = (self.of(Step::Constraints), self.of(Step::Theta));
        let mut before = 0;
        let mut total = EF::ZERO;
        for (index, table) in system.tables().iter().enumerate() {
            let height = shape.log_heights()[index];
            let point = &self.rho[self.rho.len() - height..];
            let first: EF = point.iter().map(|&r| EF::ONE - r).product();
            let last: EF = point.iter().copied().product();
            let values = table.expressions.evaluate(&|leaf| match leaf {
                Leaf::Main(Row::Current, column) => opened[index].main[table.main.slot(column)],
                Leaf::Main(Row::Next, column) => opened[index].main_next[table.main.slot(column)],
                Leaf::Preprocessed(row, column) => {
                    let list = match row {
                        Row::Current => &opened[index].preprocessed,
                        Row::Next => &opened[index].preprocessed_next,
                    };
                    list[table.preprocessed.slot(column)]
                }
                Leaf::Public(i) => self.public_values[i].into(),
                Leaf::FirstRow => first,
                Leaf::LastRow => last,
                Leaf::Transition => EF::ONE - last,
            });
            let constraints = table.expressions.constraints();
            let last_power = before + constraints.len();
            for (j, &constraint) in constraints.iter().enumerate() {
                total += alpha.exp_u64((last_power - j) as u64) * values[constraint];
            }
            before = last_power;
            let (high, _) = self.point.split_at(self.point.len() - height);
            let messages = zip(table.expressions.messages(), &table.buses).enumerate();
            for (t, (message, &bus)) in messages {
                let elements = zip(lookups.factors(message.payload.len()), &message.payload);
                let combined: EF = elements.map(|(factor, &e)| factor * values[e]).sum();
                let denominator = lookups.prefix(system, bus) - combined;
                let block = eq_at(high, (shape.starts()[index] >> height) + t);
                total += block * (values[message.multiplicity] + theta * (denominator - EF::ONE));
            }
        }
        total
    }

    /// The number of the first claim about a list of a table's values, those outside the domain
    /// counted.
    pub fn claim_of(&self, table: usize, list: usize) -> usize {
        let tables = self.machine.verifier.system().tables();
        let count =
            |slots: &Slots| usize::from(slots.width() > 0) + usize::from(slots.num_next() > 0);
        let before = tables[..table]
            .iter()
            .map(|t| count(&t.main) + count(&t.preprocessed));
        self.machine.scheme.schedule().stack.outside + before.sum::<usize>() + list
    }
}

fn list_of(opened: &mut Opened, list: usize) -> &mut Vec<EF> {
    match list {
        0 => &mut opened.main,
        _ => &mut opened.main_next,
    }
}
