//! Compares the generated text, compiled as Rust, with the program it was printed from.

use droste_gadgets::prelude::{Ext, Felt};
use droste_gadgets::verify::opened::{Challenges, Opened};
use droste_native::{EF, F};
use p3_field::{BasedVectorSpace, PrimeField32};

use super::generated::{eval_constants, eval_everything, eval_narrow, periodic_everything};
use super::reference::random_opening;
use super::samples;
use crate::codegen::OpenedTable;

fn ext(x: EF) -> Ext {
    let coefficients: &[F] = x.as_basis_coefficients_slice();
    Ext::new(core::array::from_fn(|i| coefficients[i].as_canonical_u32()))
}

fn row(values: &[EF]) -> Vec<Ext> {
    values.iter().map(|&value| ext(value)).collect()
}

fn opened(table: &OpenedTable) -> Opened {
    let felt = |value: &F| Felt::new(value.as_canonical_u32());
    Opened {
        main: row(&table.main),
        main_next: row(&table.main_next),
        preprocessed: row(&table.preprocessed),
        preprocessed_next: row(&table.preprocessed_next),
        permutation: row(&table.permutation),
        permutation_next: row(&table.permutation_next),
        terminal: ext(table.terminal),
        public_values: table.public_values.iter().map(felt).collect(),
        public_elements: vec![],
        periodic: row(&table.periodic),
        is_first_row: ext(table.is_first_row),
        is_last_row: ext(table.is_last_row),
        is_transition: ext(table.is_transition),
    }
}

#[test]
fn text_means_what_the_program_means() {
    let evaluators = samples(3);
    for seed in 10..14 {
        for table in &evaluators.tables {
            let values = random_opening(&table.shape, evaluators.buses.count, seed);
            let challenges = Challenges {
                alpha: ext(values.alpha),
                beta: ext(values.beta),
                buses: row(&values.buses),
            };
            let result = match table.name.as_str() {
                "everything" => eval_everything(&opened(&values), &challenges),
                "narrow" => eval_narrow(&opened(&values), &challenges),
                _ => eval_constants(&opened(&values), &challenges),
            };
            assert_eq!(vec![result], row(&table.program.evaluate(&values).unwrap()));
            if table.name == "everything" {
                let expected = row(&table.periodic.evaluate(&values).unwrap());
                assert_eq!(periodic_everything(ext(values.point)), expected);
            }
        }
    }
}
