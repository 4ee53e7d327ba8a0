//! The fractions of the lookup argument.

use droste_native::{EF, F};
use p3_field::{Field, PrimeCharacteristicRing};
use p3_lookup::Challenges;

use super::reference::Row;
use super::runs;

#[test]
fn fractions_of_a_run_add_up_to_zero() {
    for run in runs() {
        let (numerators, denominators) = run.leaves();
        assert_eq!(numerators.len(), run.shape.num_leaves());
        let fractions = numerators.iter().zip(&denominators);
        let sum: EF = fractions.map(|(&n, &d)| d.inverse() * n).sum();
        assert_eq!(sum, EF::ZERO);
    }
}

/// Blocks are in order of height, and each fraction is that of Plonky3's challenges.
#[test]
fn fractions_are_those_of_the_definitions() {
    for run in runs() {
        let system = &run.system;
        let buses = system.tables().iter().flat_map(|table| &table.buses);
        let num_buses = buses.max().unwrap() + 1;
        let challenges = Challenges::new(
            run.challenges.alpha,
            run.challenges.beta,
            system.message_width(),
            num_buses,
        );
        let mut order: Vec<usize> = (0..system.tables().len()).collect();
        order.sort_by_key(|&table| (usize::MAX - run.shape.log_heights()[table], table));
        let (mut numerators, mut denominators) = (vec![], vec![]);
        for index in order {
            let table = &system.tables()[index];
            let rows: Vec<Vec<F>> = (0..1 << run.shape.log_heights()[index])
                .map(|row| {
                    Row {
                        run: &run,
                        table: index,
                        row,
                    }
                    .values()
                })
                .collect();
            for (message, &bus) in table.expressions.messages().iter().zip(&table.buses) {
                for values in &rows {
                    let combined = message.payload.iter().fold(EF::ZERO, |sum, &element| {
                        sum * run.challenges.beta + values[element]
                    });
                    numerators.push(values[message.multiplicity]);
                    denominators.push(challenges.bus_prefix[bus] - combined);
                }
            }
        }
        assert!(run.leaves() == (numerators, denominators));
    }
}
