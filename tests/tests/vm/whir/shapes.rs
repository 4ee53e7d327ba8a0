//! Heights and numbers of cells for which there are no proofs.

use droste_native::F;
use droste_native::lanes::Packed;
use droste_vm::heights::Heights;
use droste_vm::whir::cells::{Cells, CellsError};
use droste_vm::whir::leaves::leaves;
use droste_vm::whir::system::{Shape, ShapeError};
use droste_vm::whir::zerocheck::{ProvingError, prove};

use super::run::{Run, challenger};
use crate::common::fibonacci;

fn run() -> Run {
    Run::new(&fibonacci(40), Heights::Minimal)
}

#[test]
fn impossible_heights_are_refused() {
    let run = run();
    let shape = |log_heights: &[usize]| Shape::new(&run.system, log_heights);
    let count = |found| ShapeError::Count { expected: 4, found };
    assert_eq!(shape(&[]).unwrap_err(), count(0));
    assert_eq!(shape(&[6; 5]).unwrap_err(), count(5));
    for log_height in [0, 3, 25, 64, usize::MAX] {
        let error = ShapeError::Range {
            table: "words",
            log_height,
        };
        assert_eq!(shape(&[6, 6, log_height, 6]).unwrap_err(), error);
    }
    // Six messages of `cpu`, one of each other table.
    let made = shape(&[6, 4, 24, 5]).unwrap();
    assert_eq!(
        made.num_leaves(),
        (1 << 24) + (6 << 6) + (1 << 5) + (1 << 4)
    );
    assert_eq!(
        made.starts(),
        [
            1 << 24,
            (1 << 24) + (6 << 6) + (1 << 5),
            0,
            (1 << 24) + (6 << 6)
        ]
    );
    assert_eq!((made.log_leaves(), made.max_log_height()), (25, 24));
}

#[test]
fn other_numbers_of_cells_are_refused() {
    let run = run();
    let (system, shape) = (&run.system, &run.shape);
    let claim = run.claim();
    let refused = |cells: &[Cells<'_>], public_values: &[F], error: CellsError| {
        let made = leaves::<Packed>(system, shape, cells, public_values, &run.challenges);
        assert_eq!(made.unwrap_err(), error);
        let made = prove(
            system,
            shape,
            cells,
            public_values,
            &claim,
            &run.challenges,
            &mut challenger(2),
        );
        assert_eq!(made.unwrap_err(), ProvingError::Cells(error));
    };
    let cells = run.cells();
    let error = CellsError::Tables {
        expected: 4,
        found: 3,
    };
    refused(&cells[..3], &run.public_values, error);
    let error = CellsError::PublicValues { index: 7, found: 3 };
    refused(&cells, &run.public_values[..3], error);
    for index in 0..4 {
        let table = system.tables()[index].name;
        let mut changed = cells.clone();
        let expected = changed[index].main.len();
        changed[index].main = &changed[index].main[1..];
        let found = expected - 1;
        let error = CellsError::Cells {
            table,
            expected,
            found,
        };
        refused(&changed, &run.public_values, error);
        let mut changed = cells.clone();
        let expected = changed[index].preprocessed.len();
        changed[index].preprocessed = changed[0].main;
        if expected != changed[0].main.len() {
            let found = changed[0].main.len();
            let error = CellsError::Cells {
                table,
                expected,
                found,
            };
            refused(&changed, &run.public_values, error);
        }
    }
}
