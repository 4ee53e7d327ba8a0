//! Inputs and sides of each comparison.

use std::rc::Rc;

use droste_air::keccak::degree5;
use droste_air::{TraceResult, blake3, keccak, poseidon16};
use droste_native::F;
use droste_native::hash::poseidon16::{
    HALF_FULL_ROUNDS, MDS_COLUMN, PARTIAL_ROUNDS, ROUND_CONSTANTS, WIDTH,
};
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;
use p3_uni_stark::{prove, verify};

use super::bus::{self, Hash};
use super::contender::{Contender, Shape, config, contender};
use super::evaluate::evaluator;
use super::poseidon2::poseidon2;
use super::{Arguments, Measured, compare};
use crate::clock::{milliseconds_since, now};

/// Plonky3's table of the same permutation, with one permutation per row.
type PeerPoseidon16 = Poseidon1Air<F, WIDTH, 3, 0, HALF_FULL_ROUNDS, PARTIAL_ROUNDS>;

/// A function that makes one comparison.
type Measure = fn(&Arguments) -> Measured;

/// Every comparison, by its name.
pub const TABLES: [(&str, Measure); 5] = [
    ("poseidon16", poseidon16),
    ("poseidon2", poseidon2),
    ("blake3", blake3),
    ("keccak", keccak),
    ("keccak_degree5", keccak_degree5),
];

/// Returns a generator of test inputs: an LCG is reproducible, and the values do not affect the
/// time.
pub(super) fn words() -> impl FnMut() -> u32 {
    let mut state = 1u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}

/// Measures what the bus of a table costs, on a quarter of the inputs.
pub(super) fn bus(
    arguments: &Arguments,
    hash: Hash,
    with: TraceResult,
    without: TraceResult,
) -> Option<bus::Bus> {
    if arguments.no_bus {
        return None;
    }
    let config = config(arguments, arguments.log_blowup);
    let rounds = arguments.rounds;
    Some(bus::measure(
        &config,
        rounds,
        hash,
        &with.ok()?,
        &without.ok()?,
    ))
}

fn poseidon16(arguments: &Arguments) -> Measured {
    let shape = Shape::new(
        1 << arguments.poseidon16,
        1,
        poseidon16::DEGREE,
        arguments.log_blowup,
    );
    let mut next = words();
    let inputs: Vec<[F; WIDTH]> = (0..shape.count)
        .map(|_| std::array::from_fn(|_| F::from_u32(next())))
        .collect();
    let (full, partial) = Poseidon1Constants {
        rounds_f: 2 * HALF_FULL_ROUNDS,
        rounds_p: PARTIAL_ROUNDS,
        mds_circ_col: MDS_COLUMN,
        round_constants: ROUND_CONSTANTS.to_vec(),
    }
    .to_optimized();
    let peer = PeerPoseidon16::new(full, partial);
    let ours = || {
        contender!(
            arguments,
            shape.beside(&poseidon16::Poseidon16Table, &poseidon16::Poseidon16Air),
            poseidon16::Poseidon16Air,
            poseidon16::generate_permutations(&inputs, None).expect("there are inputs")
        )
    };
    let theirs = || {
        contender!(
            arguments,
            shape,
            peer,
            peer.generate_trace_rows_from_inputs(inputs.clone(), arguments.log_blowup)
        )
    };
    let few = &inputs[..shape.count.div_ceil(4)];
    let calls: Vec<_> = few
        .iter()
        .map(|input| (*input, poseidon16::Mode::Permute))
        .collect();
    let bus = || {
        bus(
            arguments,
            Hash::Poseidon16,
            poseidon16::generate_table(&calls, None),
            poseidon16::generate_permutations(few, None),
        )
    };
    compare(arguments, "poseidon16", ours, theirs, bus)
}

/// Returns random compressions.
fn compressions(arguments: &Arguments) -> Vec<blake3::Compression> {
    let mut next = words();
    (0..1usize << arguments.blake3)
        .map(|_| blake3::Compression {
            chaining: std::array::from_fn(|_| next()),
            message: std::array::from_fn(|_| next()),
            counter: u64::from(next()),
            block_length: 64,
            flags: 0,
        })
        .collect()
}

/// Returns the peer's trace of the same compressions. Their counters and flags are missing, since
/// the peer has no columns for them.
fn peer_blake3(compressions: &[blake3::Compression], log_blowup: usize) -> RowMajorMatrix<F> {
    let words = |compression: &blake3::Compression| {
        std::array::from_fn(|i| match i {
            0..16 => compression.message[i],
            _ => compression.chaining[i - 16],
        })
    };
    p3_blake3_air::generate_trace_rows(compressions.iter().map(words).collect(), log_blowup)
}

fn blake3(arguments: &Arguments) -> Measured {
    let compressions = compressions(arguments);
    let shape = Shape::new(compressions.len(), 1, blake3::DEGREE, arguments.log_blowup);
    let ours = || {
        contender!(
            arguments,
            shape.beside(&blake3::Blake3Table, &blake3::Blake3Air),
            blake3::Blake3Air,
            blake3::generate_compressions(&compressions, None).expect("there are inputs")
        )
    };
    let theirs = || {
        contender!(
            arguments,
            shape,
            p3_blake3_air::Blake3Air {},
            peer_blake3(&compressions, arguments.log_blowup)
        )
    };
    let few = &compressions[..shape.count.div_ceil(4)];
    let bus = || {
        bus(
            arguments,
            Hash::Blake3,
            blake3::generate_table(few, None),
            blake3::generate_compressions(few, None),
        )
    };
    compare(arguments, "blake3", ours, theirs, bus)
}

/// Returns the inputs of as many permutations as fit into the rows.
fn states(arguments: &Arguments) -> Vec<keccak::State> {
    let mut next = words();
    (0..(1usize << arguments.keccak_rows) / keccak::ROUNDS)
        .map(|_| std::array::from_fn(|_| u64::from(next()) << 32 | u64::from(next())))
        .collect()
}

/// Both sides have the preimage, 100 columns.
fn keccak(arguments: &Arguments) -> Measured {
    let inputs = states(arguments);
    let shape = Shape::new(
        inputs.len(),
        keccak::ROUNDS,
        keccak::DEGREE,
        arguments.log_blowup,
    );
    let ours = || {
        contender!(
            arguments,
            shape,
            keccak::KeccakAir,
            keccak::generate_permutations(&inputs, None).expect("there are inputs")
        )
    };
    // The peer orders lanes as we do.
    let theirs = || {
        contender!(
            arguments,
            shape,
            p3_keccak_air::KeccakAir {},
            p3_keccak_air::generate_trace_rows(inputs.clone(), arguments.log_blowup)
        )
    };
    compare(arguments, "keccak", ours, theirs, || None)
}

/// Measures at a blowup of at least 4 and on half of the inputs, since both sides take twice the
/// memory.
fn keccak_degree5(arguments: &Arguments) -> Measured {
    let mut inputs = states(arguments);
    inputs.truncate(inputs.len().div_ceil(2));
    let log_blowup = arguments.log_blowup.max(2);
    let shape = |degree| Shape::new(inputs.len(), keccak::ROUNDS, degree, log_blowup);
    let ours = || {
        contender!(
            arguments,
            shape(degree5::DEGREE),
            degree5::Degree5Air,
            degree5::generate_permutations(&inputs, None).expect("there are inputs")
        )
    };
    let theirs = || {
        contender!(
            arguments,
            shape(keccak::DEGREE),
            p3_keccak_air::KeccakAir {},
            p3_keccak_air::generate_trace_rows(inputs.clone(), log_blowup)
        )
    };
    compare(arguments, "keccak_degree5", ours, theirs, || None)
}
