//! Openings that are refused, by the native verifier too, and in which phase.

use droste_native::changes::{Changes, Node, Place, sample};
use droste_native::stark::challenger::Decommitted;
use droste_native::whir::OpenedTree;
use p3_challenger::CanSampleBits;
use p3_field::TwoAdicField;
use p3_matrix::dense::RowMajorMatrix;

use super::*;
use crate::dishonest::{Deviation, Dishonest};
use crate::machine::reverted;

/// The phase in which a contract refuses.
fn refused_in(code: &Code, data: &[u8]) -> Option<Phase> {
    let data = reverted(code, data)?;
    let code = data.strip_prefix(&SELECTOR.to_be_bytes())?;
    assert_eq!(code.len(), 32);
    Phase::of(code[31].into())
}

#[test]
fn changed_openings_are_refused_as_the_native_verifier_refuses_them() {
    for case in cases().into_iter().skip(1) {
        let (code, proof) = (case.contract(), case.prove());
        let changes = Changes::new(&proof.opening).unwrap();
        let numbers = changes.numbers().into_iter();
        let (long, short): (Vec<_>, Vec<_>) =
            numbers.partition(|place: &Place<'_>| place.kind.contains("trees"));
        for place in sample(short, 30).chain(sample(long, 30)) {
            let proof = Proved {
                opening: changes.with(&place, Node::decrement).unwrap(),
                ..proof.clone()
            };
            assert!(!case.is_accepted(&proof));
            assert!(run(&code, &case.data(&proof)).is_none(), "{}", place.name);
        }
        for claim in 0..proof.claims.len() {
            let mut proof = proof.clone();
            proof.claims[claim].1 += EF::ONE;
            assert!(!case.is_accepted(&proof));
            assert!(run(&code, &case.data(&proof)).is_none());
        }
        let data = case.data(&proof);
        let (shorter, longer) = (&data[..data.len() - 1], [&data[..], &[0]].concat());
        assert!(run(&code, shorter).is_none() && run(&code, &longer).is_none());
    }
}

/// A prover that lies about a claim, and does everything else by the book, fails the last check.
#[test]
fn false_claims_are_refused() {
    for mut case in cases().into_iter().take(3) {
        let code = case.contract();
        for claim in 0..case.claims.len() {
            case.claims[claim].1 += EF::ONE;
            let proof = case.prove();
            let error = case.verify(&proof).unwrap_err();
            assert!(matches!(error, OpeningError::FinalEquation));
            let phase = refused_in(&code, &case.data(&proof));
            assert_eq!(phase, Some(Phase::FinalEquation));
            case.claims[claim].1 -= EF::ONE;
        }
    }
}

/// Leaves and digests are not observed: with others, all else is as it was.
#[test]
fn leaves_and_digests_are_checked() {
    for case in cases() {
        let (code, proof) = (case.contract(), case.prove());
        let refused = |edit: &dyn Fn(&mut OpenedTree<Suite>), number: usize, tree: usize| {
            let mut proof = proof.clone();
            let rounds = &mut proof.opening.rounds;
            let queries = match rounds.get_mut(number) {
                Some(round) => &mut round.queries,
                None => &mut proof.opening.final_queries,
            };
            edit(&mut queries.trees[tree]);
            let error = case.verify(&proof).unwrap_err();
            assert!(matches!(error, OpeningError::Path { .. }), "{error}");
            let phase = refused_in(&code, &case.data(&proof));
            assert_eq!(phase, Some(Phase::Queries));
        };
        for (number, step) in case.scheme.schedule().commitments().enumerate() {
            for (tree, width) in widths(&case.scheme, number, step).into_iter().enumerate() {
                for query in [0, step.queries / 2, step.queries - 1] {
                    let edit = |tree: &mut OpenedTree<Suite>| {
                        tree.leaves.forge()[query][width - 1] += F::ONE;
                    };
                    refused(&edit, number, tree);
                }
                let edit = |tree: &mut OpenedTree<Suite>| {
                    let digest = tree.paths.sibling_hashes.last_mut();
                    digest.expect("a digest")[31] ^= 1;
                };
                refused(&edit, number, tree);
            }
        }
    }
}

/// Queries of one leaf must have the same one: the digests are compared, and one of them is in the
/// tree.
#[test]
fn a_leaf_that_is_queried_twice_is_one_leaf() {
    let mut count = 0;
    for case in cases() {
        let (code, proof) = (case.contract(), case.prove());
        let indices = case.verify(&proof).expect("it is accepted");
        for (number, indices) in indices.iter().enumerate() {
            let again = |query: &usize| indices[..*query].contains(&indices[*query]);
            let Some(query) = (0..indices.len()).find(again) else {
                continue;
            };
            let first = indices.iter().position(|index| *index == indices[query]);
            for query in [query, first.expect("an index")] {
                let mut proof = proof.clone();
                let queries = match proof.opening.rounds.get_mut(number) {
                    Some(round) => &mut round.queries,
                    None => &mut proof.opening.final_queries,
                };
                queries.trees[0].leaves.forge()[query][0] += F::ONE;
                let error = case.verify(&proof).unwrap_err();
                assert!(matches!(error, OpeningError::Path { .. }), "{error}");
                let phase = refused_in(&code, &case.data(&proof));
                assert_eq!(phase, Some(Phase::Queries));
                count += 1;
            }
        }
    }
    assert!(count > 0);
}

/// A prover who does a bit too little work once, and everything else by the book, is refused there.
#[test]
fn every_proof_of_work_has_all_its_bits() {
    for case in cases().into_iter().skip(3) {
        let code = case.contract();
        let works = {
            let mut transcript = Dishonest::new(Deviation::None);
            assert!(case.is_accepted(&case.prove_with(&mut transcript)));
            transcript.works
        };
        let mut phases = vec![];
        for work in 0..works {
            let proof = case.prove_with(&mut Dishonest::new(Deviation::Work(work)));
            let OpeningError::Grinding { before } = case.verify(&proof).unwrap_err() else {
                panic!("work {work} is refused as something else");
            };
            let phase = match before {
                "queries" => Phase::Queries,
                _ => Phase::Sumchecks,
            };
            assert_eq!(refused_in(&code, &case.data(&proof)), Some(phase), "{work}");
            phases.push(phase);
        }
        for phase in [Phase::Queries, Phase::Sumchecks] {
            assert!(phases.contains(&phase));
        }
    }
}

/// A prover with another final polynomial, which opens the leaves that it is asked for, fails the
/// comparison with these leaves.
#[test]
fn the_final_polynomial_is_checked_against_the_leaves() {
    let case = Case::new(&toy(6), &[shape(6, 3, 0)]);
    let schedule = case.scheme.schedule();
    let (step, cells) = (schedule.stack, case.main.cells());
    assert!(schedule.folded.is_empty());
    // The tree once more, to open other leaves of it.
    let rows: Vec<&[F]> = cells.chunks_exact(1 << 6).collect();
    let points = F::two_adic_generator(step.log_leaves).powers();
    let leaves = points.take(1 << step.log_leaves).flat_map(|x| {
        let value = |row: &&[F]| row.iter().rev().fold(F::ZERO, |sum, &c| sum * x + c);
        rows.iter().map(value).collect::<Vec<_>>()
    });
    let mmcs = Suite::val_mmcs(0);
    let matrix = RowMajorMatrix::new(leaves.collect(), rows.len());
    let (cap, tree) = Suite::commit_rows(&mmcs, matrix);
    assert_eq!(&cap, case.main.cap());

    let code = case.contract();
    let forge = |change: EF| {
        let mut proof = case.prove();
        let mut challenger = Suite::challenger();
        challenger.observe(cap.clone());
        let outside = case.scheme.sample_outside(&proof.outside, &mut challenger);
        assert!(outside.is_ok());
        for &(_, value) in &proof.claims {
            challenger.observe_extension(value);
        }
        let opening = &mut proof.opening;
        assert!(opening.sumcheck.nonces.is_empty() && opening.final_queries.nonces.is_empty());
        let _ = challenger.sample_extension();
        for message in &opening.sumcheck.messages {
            let _ = message.read(&mut challenger);
            let _ = challenger.sample_extension();
        }
        opening.final_polynomial.forge()[5] += change;
        let _ = opening.final_polynomial.read(&mut challenger);
        let indices = (0..step.queries).map(|_| challenger.sample_bits(step.log_leaves));
        let indices: Vec<usize> = indices.collect();
        let (leaves, paths) = Suite::open_rows(&mmcs, &indices, &tree);
        let leaves = Decommitted::new(leaves);
        opening.final_queries.trees[0] = OpenedTree { leaves, paths };
        (case.verify(&proof), case.data(&proof))
    };
    let (verified, data) = forge(EF::ZERO);
    assert!(verified.is_ok() && run(&code, &data).is_some());
    let (verified, data) = forge(EF::ONE);
    let error = verified.unwrap_err();
    assert!(
        matches!(error, OpeningError::FinalPolynomial { .. }),
        "{error}"
    );
    assert_eq!(refused_in(&code, &data), Some(Phase::FinalPolynomial));
}
