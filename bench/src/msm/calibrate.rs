//! Fits the cost model to measurements by least squares.

use ark_ff::PrimeField;
use droste_curves::msm::{CostModel, FieldBackend, Msm, MsmCurve, Toggle};

use crate::clock::{milliseconds_since, now};

use super::inputs::{self, Scalars};

/// Logarithm of the number of terms, and window size, of each measurement.
const POINTS: [(u32, u32); 8] = [
    (10, 6),
    (10, 9),
    (12, 8),
    (12, 11),
    (14, 9),
    (14, 13),
    (15, 10),
    (15, 14),
];

/// Returns the cost model that fits this machine, on one thread.
pub fn fit<C: MsmCurve>(backend: FieldBackend, rounds: usize) -> CostModel {
    let options = Msm::new()
        .threads(1)
        .backend(backend)
        .endomorphism(Toggle::Off)
        .duplicates(Toggle::Off);
    let most = POINTS.iter().map(|point| point.0).max().unwrap_or(10);
    let bases = inputs::bases::<C>(1 << most);
    let scalars = inputs::scalars::<C::ScalarField>(Scalars::Uniform, 1 << most);
    let measure = |options: &Msm, log: u32| {
        let n = 1 << log;
        let times = (0..rounds).map(|_| {
            let start = now();
            std::hint::black_box(options.sum(&bases[..n], &scalars[..n]).ok());
            milliseconds_since(start) * 1e6
        });
        times.fold(f64::INFINITY, f64::min)
    };
    // Each row is divided by its time, so that relative errors count.
    let mut matrix = [[0.0; 4]; 3];
    for (log, window) in POINTS {
        let time = measure(&options.clone().window(window), log);
        let windows = f64::from((C::ScalarField::MODULUS_BIT_SIZE + 1).div_ceil(window));
        let counts = [
            windows * f64::from(1u32 << log),
            windows * f64::from(1u32 << (window - 1)),
            windows,
            time,
        ];
        let row = counts.map(|count| count / time);
        for i in 0..3 {
            for j in 0..4 {
                matrix[i][j] += row[i] * row[j];
            }
        }
    }
    let [term, bucket, window] = solve(matrix);
    let model = CostModel {
        term,
        bucket,
        window,
        split: 0.0,
    };
    // The cost of the endomorphism split, without that of the windows.
    let with = options.endomorphism(Toggle::On);
    let (log, width, half) = (14, 12, 128);
    let time = measure(&with.window(width), log);
    let split = (time - model.cost(2 << log, half, width)) / f64::from(1u32 << log);
    CostModel { split, ..model }
}

/// Solves three linear equations by elimination.
fn solve(mut matrix: [[f64; 4]; 3]) -> [f64; 3] {
    for pivot in 0..3 {
        for row in 0..3 {
            if row != pivot {
                let from = matrix[pivot];
                let factor = matrix[row][pivot] / from[pivot];
                let entries = matrix[row].iter_mut().zip(from);
                entries.for_each(|(entry, from)| *entry -= factor * from);
            }
        }
    }
    [0, 1, 2].map(|i| matrix[i][3] / matrix[i][i])
}
