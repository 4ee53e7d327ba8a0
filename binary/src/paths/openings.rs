//! Openings of the trace in a row and in the next one, against their definition, and of the same
//! rows as calls.

use p3_air::BaseAir;
use p3_commit::MultilinearPcs;
use p3_field::PrimeCharacteristicRing;
use p3_multi_stark::config::MultiStarkConfig;
use p3_multilinear_util::point::Point;
use p3_multilinear_util::poly::Poly;
use p3_sumcheck::layout::Table;
use p3_sumcheck::{OpeningBatch, OpeningProtocol, PrescribedPointPcs, TableShape, TableSpec};

use super::tests::tree;
use super::*;
use crate::HashCalls;
use crate::proof::prove_trace;
use crate::scheme::{F, challenger};

/// Values of all columns at a point are those of their multilinear extensions, and in the next row
/// of those of the columns moved up by a row, in which the last row is its own next. What the
/// verifier of constraints gets of these are the columns that it asks for, in its order.
#[test]
fn openings_are_those_of_the_definition() {
    // A tensor has the rows of half an element, of one, of two and of four.
    for log_rows in 6..10 {
        let tree = tree(Hash::Blake3, 3, (1 << log_rows) / 3, 40);
        let config = Config::new(PublicBits::of_paths(&tree.statement)).unwrap();
        let public = config.public();
        assert_eq!(public.log_rows(), log_rows);
        let trace = paths_trace(public, &tree.inputs(log_rows));
        let (air, width, rows) = (public.air(), trace.width, 1 << log_rows);
        let element = |i: u128| F::from_le_bytes(((i + 3) * (u128::MAX / 1000)).to_le_bytes());
        let point = Point::new((0..log_rows as u128).map(element).collect());
        let weights = Poly::new_from_point(point.as_slice(), F::ONE);
        let values = |row: &dyn Fn(usize) -> usize| -> Vec<F> {
            let value = |column: usize| -> F {
                let bit = |x: usize| trace.values[width * (x / 64) + column] >> (x % 64) & 1 == 1;
                let ones = (0..rows).filter(|&x| bit(row(x)));
                ones.map(|x| weights.as_slice()[x]).sum()
            };
            (0..width).map(value).collect()
        };
        let current = values(&|row| row);
        let next = values(&|row| (row + 1).min(rows - 1));

        let pcs = config.pcs();
        let digest = tree.statement.digest();
        let (mut transcript, mut replayed) = (challenger(&digest), challenger(&digest));
        let table = Table::from_packed_bits(trace.clone(), log_rows);
        let (root, data) = pcs.commit(vec![table], &mut transcript).unwrap();
        let children = BaseAir::<F>::main_next_row_columns(&air);
        let batch = OpeningBatch::new((0..width).collect(), children.clone());
        let shape = TableShape::new(log_rows, width);
        let read = OpeningProtocol::new(vec![TableSpec::new(shape, vec![batch])]);
        let points = [point];
        let proof = pcs.open_at(data, &read, &points, &mut transcript).unwrap();
        assert!(proof.values == [current.clone(), next.clone()].concat());
        let tensors = proof.opening.reduction.claims[0].successor.is_some();
        assert_eq!(tensors, log_rows > 7);

        pcs.observe_commitment(&root, &mut replayed);
        let verified = |proof, mut transcript| {
            let opened = pcs.verify_at(&root, proof, &read, &points, &mut transcript);
            opened.map_err(|error| error.to_string())
        };
        let opened = verified(&proof, replayed.clone()).unwrap();
        assert_eq!(opened.len(), 1);
        assert!(opened[0].current() == current);
        let asked: Vec<F> = children.into_iter().map(|column| next[column]).collect();
        assert!(opened[0].next() == asked);

        // The values of the rows exchanged with those of the next rows.
        let mut exchanged = proof.clone();
        exchanged.values = [next, current].concat();
        assert!(verified(&exchanged, replayed).is_err());
    }
}

/// The same hashes as a list of calls and as paths: neither is proved by a proof of the other,
/// though the file or the transcript says so.
#[test]
fn proofs_of_calls_are_none_of_paths() {
    let tree = tree(Hash::Blake3, 2, 3, 41);
    let inputs = tree.statement.inputs(&tree.siblings).unwrap();
    let calls = HashCalls::of_inputs(Hash::Blake3, inputs.chunks(112)).unwrap();
    let (of_paths, of_calls) = (tree.statement.digest(), calls.digest());
    let config_of_paths = Config::new(PublicBits::of_paths(&tree.statement)).unwrap();
    let config_of_calls = Config::new(PublicBits::new(&calls).unwrap()).unwrap();
    let trace_of_paths = paths_trace(config_of_paths.public(), &tree.inputs(6));
    let trace_of_calls = crate::air::trace(config_of_calls.public());
    for begin in [of_paths, of_calls] {
        let [proof_of_paths, proof_of_calls] = [
            (&config_of_paths, &trace_of_paths, of_calls),
            (&config_of_calls, &trace_of_calls, of_paths),
        ]
        .map(|(config, trace, statement)| Proof {
            statement,
            inner: prove_trace(config, trace.clone(), challenger(&begin)).unwrap(),
        });
        assert!(crate::verify(&calls, &proof_of_paths).is_err());
        assert!(verify(&tree.statement, &proof_of_calls).is_err());
    }
}
