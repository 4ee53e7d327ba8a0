//! Changed proofs are refused, with the error of the check that they break.

use p3_symmetric::MerkleCap;

use super::*;
use crate::changes::{Changes, LENGTHS, Node, Place, sample};

/// A change of a proof.
type Edit = fn(&mut Proof);

/// Chooses a nonce of a proof.
type Nonce = fn(&mut Proof) -> &mut F;

/// Every number of an opening is changed, and every list is made longer and shorter: of all
/// messages, and of a part of the many leaves and digests.
fn refuse_changes<H: HashSuite>(case: &Case<H>) {
    let proof = case.prove();
    let changes = Changes::new(&proof.opening).unwrap();
    let refuse = |place: &Place<'_>, opening: Opening<H>| {
        let changed = Proof {
            opening,
            ..proof.clone()
        };
        assert!(case.verify(&changed).is_err(), "{}", place.name);
    };
    let is_long =
        |place: &Place<'_>| place.kind.contains("trees") || place.kind.contains("commitment");
    let (long, short): (Vec<_>, Vec<_>) = changes.numbers().into_iter().partition(is_long);
    for place in short.into_iter().chain(sample(long, 400)) {
        let changed = changes.with(&place, Node::decrement);
        refuse(&place, changed.expect("another number is read"));
    }
    let is_long = |place: &Place<'_>| place.kind.contains("leaves.*");
    let (long, short): (Vec<_>, Vec<_>) = changes.lists().into_iter().partition(is_long);
    for place in short.into_iter().chain(sample(long, 60)) {
        let changed = LENGTHS.map(|edit| changes.with_list(&place, edit));
        for opening in changed.into_iter().flatten() {
            refuse(&place, opening);
        }
    }
}

#[test]
fn changed_openings_are_refused() {
    refuse_changes(&<Case>::new(&toy(6), &[shape(6, 3, 0), shape(5, 2, 1)]));
    refuse_changes(&<Case>::new(&toy(8), &mixed()));
}

#[test]
fn changed_openings_with_grinding_are_refused() {
    refuse_changes(&<Case>::new(&grinding(9), &mixed()));
}

/// Other hashes differ in trees and transcripts only: an opening with a later commitment, two trees
/// and proofs of work is accepted, and nothing of it can be changed.
#[test]
fn changed_openings_in_other_hashes_are_refused() {
    fn in_hash<H: HashSuite>() {
        let case = Case::<H>::new(&grinding(7), &[shape(7, 2, 1), shape(5, 3, 0)]);
        case.verify(&case.prove()).unwrap();
        refuse_changes(&case);
    }
    in_hash::<Poseidon2Suite>();
    in_hash::<Blake3Suite>();
    in_hash::<KeccakSuite>();
}

/// The case of the tests below: two later commitments, preprocessed columns, grinding everywhere.
fn ground() -> (Case, Proof) {
    let settings = WhirSettings {
        later_fold: 2,
        blowup_step: 1,
        ..grinding(9)
    };
    let case: Case = Case::new(&settings, &mixed());
    let proof = case.prove();
    assert_eq!(proof.opening.rounds.len(), 2);
    assert!(!proof.opening.sumcheck.nonces.is_empty());
    (case, proof)
}

fn error_of(case: &Case, proof: &Proof, edit: impl FnOnce(&mut Proof)) -> OpeningError {
    let mut proof = proof.clone();
    edit(&mut proof);
    case.verify(&proof).unwrap_err()
}

#[test]
fn every_length_is_checked() {
    let (case, proof) = ground();
    let edits: [(&str, Edit); 20] = [
        ("preprocessed commitments", |p| p.preprocessed = None),
        ("digests of a commitment", |p| {
            p.main = MerkleCap::new(vec![[F::ONE; 8]])
        }),
        ("digests of a commitment", |p| {
            p.preprocessed = Some(MerkleCap::new(vec![[F::ONE; 8]; 16]))
        }),
        ("values outside the domain", |p| p.outside.clear()),
        ("values outside the domain", |p| {
            p.outside.push(Sent::forged(EF::ONE))
        }),
        ("variables of a claim", |p| _ = p.claims[0].0.factors.pop()),
        ("rounds", |p| _ = p.opening.rounds.pop()),
        ("rounds", |p| {
            p.opening.rounds.push(p.opening.rounds[0].clone())
        }),
        ("sumcheck messages", |p| {
            _ = p.opening.sumcheck.messages.pop()
        }),
        ("sumcheck nonces", |p| _ = p.opening.sumcheck.nonces.pop()),
        ("sumcheck nonces", |p| {
            p.opening.rounds[1].sumcheck.nonces.push(F::ONE)
        }),
        ("sumcheck messages", |p| {
            let message = Sent::forged([EF::ONE; 2]);
            p.opening.final_sumcheck.messages.push(message);
        }),
        ("digests of a commitment", |p| {
            *p.opening.rounds[1].commitment.forge() = MerkleCap::new(vec![[F::ONE; 8]])
        }),
        ("values outside the domain", |p| {
            p.opening.rounds[0].outside.push(Sent::forged(EF::ONE))
        }),
        ("nonces", |p| p.opening.rounds[0].queries.nonces.clear()),
        ("opened trees", |p| {
            _ = p.opening.rounds[0].queries.trees.pop()
        }),
        ("opened leaves", |p| {
            _ = p.opening.rounds[1].queries.trees[0].leaves.forge().pop()
        }),
        ("elements of a leaf", |p| {
            p.opening.rounds[0].queries.trees[1].leaves.forge()[3].push(F::ONE)
        }),
        ("elements of a leaf", |p| {
            _ = p.opening.final_queries.trees[0].leaves.forge()[0].pop()
        }),
        ("values of the final polynomial", |p| {
            p.opening.final_polynomial.forge().push(EF::ONE)
        }),
    ];
    for (expected, edit) in edits {
        match error_of(&case, &proof, edit) {
            OpeningError::Length { list, .. } => assert_eq!(list, expected),
            other => panic!("{expected}: {other}"),
        }
    }
}

#[test]
fn every_proof_of_work_is_checked() {
    let (case, proof) = ground();
    let edits: [(&str, Nonce); 5] = [
        ("a sumcheck challenge", |p| {
            &mut p.opening.sumcheck.nonces[1]
        }),
        ("a sumcheck challenge", |p| {
            &mut p.opening.rounds[0].sumcheck.nonces[0]
        }),
        ("queries", |p| &mut p.opening.rounds[0].queries.nonces[0]),
        ("queries", |p| &mut p.opening.rounds[1].queries.nonces[0]),
        ("queries", |p| &mut p.opening.final_queries.nonces[0]),
    ];
    for (expected, nonce) in edits {
        // The smallest nonce that passes is sent, so the one before it does not pass, unless it is
        // zero.
        let is_zero = *nonce(&mut proof.clone()) == F::ZERO;
        match error_of(&case, &proof, |p| {
            let nonce = nonce(p);
            *nonce = if is_zero { -F::ONE } else { *nonce - F::ONE };
        }) {
            OpeningError::Grinding { before } => assert_eq!(before, expected),
            other => assert!(is_zero, "{expected}: {other}"),
        }
    }
}

#[test]
fn leaves_and_paths_are_checked() {
    let (case, proof) = ground();
    let edits: [(usize, usize, Edit); 6] = [
        (0, 0, |p| {
            p.opening.rounds[0].queries.trees[0].leaves.forge()[0][0] += F::ONE
        }),
        (0, 1, |p| {
            p.opening.rounds[0].queries.trees[1].leaves.forge()[1][2] += F::ONE
        }),
        (0, 1, |p| {
            p.opening.rounds[0].queries.trees[1].paths.sibling_hashes[0][7] += F::ONE
        }),
        (1, 0, |p| {
            p.opening.rounds[1].queries.trees[0].leaves.forge()[0][4] += F::ONE
        }),
        (1, 0, |p| {
            _ = p.opening.rounds[1].queries.trees[0]
                .paths
                .sibling_hashes
                .pop()
        }),
        (2, 0, |p| {
            p.opening.final_queries.trees[0].leaves.forge()[2][9] += F::ONE
        }),
    ];
    for (commitment, tree, edit) in edits {
        match error_of(&case, &proof, edit) {
            OpeningError::Path {
                commitment: found,
                tree: found_tree,
                ..
            } => assert_eq!((commitment, tree), (found, found_tree)),
            other => panic!("{commitment}: {other}"),
        }
    }
}

/// A prover whose rows are not those of its commitment, and that does everything else by the book,
/// fails just one check: without later commitments, that of the final polynomial.
#[test]
fn the_final_polynomial_is_checked_against_the_leaves() {
    let settings = toy(6);
    let case: Case = Case::new(&settings, &[shape(6, 3, 0)]);
    let mut cells = case.main.cells().to_vec();
    cells[17] += F::ONE;
    let other = case.scheme.commit(cells);
    let mut forged = Case::new(&settings, &[shape(6, 3, 0)]);
    forged.main = Committed::forged(case.main.cells().to_vec(), other);
    let proof = forged.prove();
    let error = forged.verify(&proof).unwrap_err();
    assert!(
        matches!(error, OpeningError::FinalPolynomial { .. }),
        "{error}"
    );
}

/// The same with later commitments: answers are wrong, so that the claim they are added to is.
#[test]
fn rows_are_checked_against_later_commitments() {
    let settings = toy(8);
    let case: Case = Case::new(&settings, &mixed());
    let mut cells = case.main.cells().to_vec();
    cells[17] += F::ONE;
    let mut forged = Case::new(&settings, &mixed());
    forged.main = Committed::forged(case.main.cells().to_vec(), case.scheme.commit(cells));
    let proof = forged.prove();
    let error = forged.verify(&proof).unwrap_err();
    assert!(matches!(error, OpeningError::FinalEquation), "{error}");
}

#[test]
fn values_outside_the_domain_are_checked() {
    let (case, proof) = ground();
    let error = error_of(&case, &proof, |p| *p.outside[0].forge() += EF::ONE);
    assert!(matches!(
        error,
        OpeningError::Grinding { .. } | OpeningError::Path { .. }
    ));
    // The prover of a STARK binds the false value, and goes on by the book.
    let case: Case = Case::new(&toy(8), &mixed());
    let mut challenger = Poseidon16Challenger::default();
    let preprocessed = case.preprocessed.as_ref();
    observe::<Poseidon16Suite>(
        &mut challenger,
        case.main.cap(),
        preprocessed.map(Committed::cap),
    );
    let mut honest = challenger.clone();
    let outside = case
        .scheme
        .outside(&case.main, preprocessed, &mut honest)
        .unwrap();
    let mut values = outside.values().to_vec();
    *values[0].forge() += EF::ONE;
    let mut claims = case
        .scheme
        .sample_outside(&values, &mut challenger)
        .unwrap();
    let stack = case.stack();
    let mut proved = challenger.clone();
    let opening = case
        .scheme
        .open(&case.main, preprocessed, outside, &case.claims, &mut proved)
        .unwrap();
    let sums = case
        .claims
        .iter()
        .map(|claim| claims::naive_sum(claim, &stack));
    claims.extend(zip(case.claims.clone(), sums));
    let main = case.main.cap();
    let preprocessed = preprocessed.map(Committed::cap);
    let verified = case
        .scheme
        .verify(main, preprocessed, &claims, &opening, &mut challenger);
    assert!(
        matches!(verified, Err(OpeningError::FinalEquation)),
        "{verified:?}"
    );
}

#[test]
fn rows_that_are_not_the_layouts_are_errors() {
    let case: Case = Case::new(&toy(8), &mixed());
    let preprocessed = case.preprocessed.as_ref().unwrap();
    let mut challenger = Poseidon16Challenger::default();
    for (main, other, kind) in [
        (preprocessed, Some(preprocessed), "main"),
        (&case.main, Some(&case.main), "preprocessed"),
        (&case.main, None, "preprocessed"),
    ] {
        match case
            .scheme
            .outside(main, other, &mut challenger)
            .unwrap_err()
        {
            OpenError::Cells { kind: found, .. } => assert_eq!(found, kind),
            other => panic!("{other}"),
        }
    }
}

#[test]
fn the_proof_does_not_depend_on_the_number_of_threads() {
    let case: Case = Case::new(&grinding(9), &mixed());
    let mut proofs = vec![];
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let opening = pool.install(|| <Case>::new(&grinding(9), &mixed()).prove().opening);
        proofs.push(serde_json::to_vec(&opening).unwrap());
    }
    assert_eq!(proofs[0], proofs[1]);
    assert_eq!(proofs[0], proofs[2]);
    assert_eq!(
        proofs[0],
        serde_json::to_vec(&case.prove().opening).unwrap()
    );
}

#[test]
fn paths_are_restored() {
    let (case, proof) = ground();
    let indices = case.verify(&proof).unwrap();
    let queries = proof.opening.rounds.iter().map(|round| &round.queries);
    let queries = queries.chain([&proof.opening.final_queries]);
    for (number, (queries, indices)) in zip(queries, indices).enumerate() {
        let step = *case.scheme.schedule().commitments().nth(number).unwrap();
        for tree in &queries.trees {
            let paths = case.scheme.restore_paths(number, &indices, tree).unwrap();
            assert_eq!(paths.len(), step.queries);
            assert!(paths.iter().all(|path| path.len() == step.log_leaves - 3));
        }
    }
}
