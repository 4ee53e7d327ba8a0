//! `droste table`: the columns and constraints of one hash's table. `droste-bench tables` measures
//! what proving it takes.

use clap::{Args, value_parser};
use droste_air::blake3::Blake3Air;
use droste_air::keccak::{self, KeccakAir};
use droste_air::poseidon2::Poseidon2ParentAir;
use droste_air::poseidon16::Poseidon16Air;
use droste_air::steps;
use droste_native::{F, HashId};
use p3_air::symbolic::{AirLayout, SymbolicAirBuilder, get_symbolic_constraints};
use p3_air::{Air, BaseAir};
use serde::Serialize;

use crate::error::CommandError;
use crate::output::{Format, Report, print, row};

/// Largest number of permutations in one table: at 24 rows each, Keccak then fills 2^24 rows, the
/// order of the field's largest two-adic subgroup.
const LARGEST_COUNT: i64 = 1 << 19;

/// Arguments of `droste table`.
#[derive(Debug, Args)]
pub struct Table {
    /// Hash whose table is shown: poseidon16, poseidon2 (width 16), blake3 or keccak.
    hash: HashId,
    /// Also show the height of a table of so many permutations (for blake3, compressions).
    #[arg(long, value_parser = value_parser!(u32).range(1..=LARGEST_COUNT))]
    count: Option<u32>,
}

/// A hash's table, without a bus.
#[derive(Debug, Serialize)]
struct Shape {
    table: HashId,
    main: usize,
    constraints: usize,
    degree: usize,
    rows_per_permutation: usize,
    cells_per_permutation: usize,
    #[serde(flatten)]
    size: Option<Size>,
}

/// A table of a number of permutations.
#[derive(Debug, Serialize)]
struct Size {
    count: usize,
    height: usize,
    fft_cost: u64,
}

impl Shape {
    fn new(hash: HashId) -> Self {
        match hash {
            HashId::Poseidon16 => Self::of(hash, &Poseidon16Air, 1),
            HashId::Poseidon2 => Self::of(hash, &Poseidon2ParentAir, 1),
            HashId::Blake3 => Self::of(hash, &Blake3Air, 1),
            HashId::Keccak => Self::of(hash, &KeccakAir, keccak::ROUNDS),
        }
    }

    fn of<A: Air<SymbolicAirBuilder<F>>>(table: HashId, air: &A, rows: usize) -> Self {
        let main = BaseAir::<F>::width(air);
        let constraints = get_symbolic_constraints::<F, A>(air, AirLayout::from_air::<F>(air));
        let degrees = constraints
            .iter()
            .map(|constraint| constraint.degree_multiple());
        Self {
            table,
            main,
            degree: degrees.max().unwrap_or(0),
            constraints: constraints.len(),
            rows_per_permutation: rows,
            cells_per_permutation: rows * main,
            size: None,
        }
    }

    fn size(&self, count: usize) -> Size {
        let rows = match self.rows_per_permutation {
            1 => count,
            steps => steps::rows(steps, count),
        };
        let height = rows.next_power_of_two();
        Size {
            count,
            height,
            fft_cost: (self.main * height) as u64 * u64::from(height.ilog2()),
        }
    }
}

impl Report for Shape {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = vec![
            row("table", self.table),
            row("main columns", self.main),
            row("constraints", self.constraints),
            row("degree", self.degree),
            row("rows per permutation", self.rows_per_permutation),
            row("cells per permutation", self.cells_per_permutation),
        ];
        rows.extend(self.size.iter().flat_map(|size| {
            [
                row("permutations", size.count),
                row("height", size.height),
                row("fft_cost", size.fft_cost),
            ]
        }));
        rows
    }
}

impl Table {
    /// Prints the table's columns and constraints.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let mut shape = Shape::new(self.hash);
        shape.size = self.count.map(|count| shape.size(count as usize));
        Ok(print(&shape, format)?)
    }
}
