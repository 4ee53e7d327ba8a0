//! Whatever changes in a proof or in the cells is refused.

use std::iter::zip;

use droste_native::changes::{Changes, Node, tree};
use droste_native::{EF, F};
use droste_vm::heights::Heights;
use droste_vm::whir::system::TableSystem;
use droste_vm::whir::zerocheck::{
    ClaimError, LeafClaim, Opened, ProvingError, ZerocheckError, ZerocheckProof,
};
use p3_field::PrimeCharacteristicRing;

use super::reference::{self, Row};
use super::run::Run;
use crate::common::{products, recursion};

fn small() -> Run {
    Run::new(&recursion(), Heights::Exact(vec![5, 5, 4, 4, 6, 6, 6]))
}

/// What the prover sends, and the parts of it by their paths: 0 and 0 are the rounds, 1 and a table
/// its opened values.
type Parts = (ZerocheckProof, Vec<Opened>);

/// Whether an expression reads a column. The next row is opened in more columns than are read
/// there, so that their number is a power of two.
fn is_read(run: &Run, table: usize, list: usize, slot: usize) -> bool {
    use droste_vm::whir::expressions::{Leaf, Row as Offset};
    let table = &run.system.tables()[table];
    table.expressions.leaves().iter().any(|leaf| match *leaf {
        Leaf::Main(Offset::Current, column) => list == 0 && table.main.slot(column) == slot,
        Leaf::Main(Offset::Next, column) => list == 1 && table.main.slot(column) == slot,
        Leaf::Preprocessed(offset, column) => {
            let expected = if offset == Offset::Current { 2 } else { 3 };
            list == expected && table.preprocessed.slot(column) == slot
        }
        _ => false,
    })
}

#[test]
fn changed_proofs_are_refused() {
    let run = small();
    let claim = run.claim();
    let proved = run.prove(&claim).unwrap();
    let parts: Parts = (proved.proof, proved.opened);
    let changes = Changes::new(&parts).unwrap();
    let (mut read, mut unread) = (0, 0);
    for place in changes.numbers() {
        // One coefficient of each element.
        if place.path.last() != Some(&0) {
            continue;
        }
        let (proof, opened) = changes.with(&place, Node::decrement).unwrap();
        let verdict = run.verify(&claim, &proof, &opened);
        if let [1, table, list, slot, ..] = place.path[..] {
            // A value counts for nothing if nothing reads it, or if it only occurs in products
            // with flags that are zero throughout this run. The opening binds it.
            if verdict.is_ok() {
                unread += 1;
                continue;
            }
            let [table, list, slot] = [table, list, slot].map(|index| index as usize);
            assert!(is_read(&run, table, list, slot), "{}", place.name);
            read += 1;
        }
        assert_eq!(verdict, Err(ZerocheckError::Value), "{}", place.name);
    }
    println!("{read} values, {unread} that count for nothing");
    assert!(read > 300 && unread < 30);

    let changes: [fn(&mut LeafClaim); 4] = [
        |claim| claim.numerator += EF::ONE,
        |claim| claim.denominator += EF::ONE,
        |claim| claim.theta += EF::ONE,
        |claim| claim.point[0] += EF::ONE,
    ];
    for change in changes {
        let mut changed = claim.clone();
        change(&mut changed);
        let verdict = run.verify(&changed, &parts.0, &parts.1);
        assert_eq!(verdict, Err(ZerocheckError::Value));
        // A true claim can be combined by any challenge.
        if changed.theta == claim.theta {
            assert_eq!(run.prove(&changed).unwrap_err(), ProvingError::Unsatisfied);
        }
    }
}

/// Changes a list.
type Edit<'a> = &'a dyn Fn(&mut Vec<Node>);

#[test]
fn proofs_of_another_shape_are_refused() {
    let run = small();
    let claim = run.claim();
    let proved = run.prove(&claim).unwrap();
    let parts: Parts = (proved.proof, proved.opened);
    let changes = Changes::new(&parts).unwrap();
    let one = tree(&EF::ONE).unwrap();
    let longer = |list: &mut Vec<Node>| list.push(list.last().unwrap_or(&one).clone());
    let shorter = |list: &mut Vec<Node>| drop(list.pop());
    let edits: [Edit<'_>; 2] = [&shorter, &longer];
    for place in changes.lists() {
        for (edit, change) in zip(edits, [-1, 1]) {
            let Some((proof, opened)) = changes.with_list(&place, edit) else {
                assert_eq!(change, -1, "{} can be longer", place.name);
                continue;
            };
            let opened_of = |table: String| ZerocheckError::Opened { table };
            let expected = match place.path[..] {
                [0, 0] => ZerocheckError::Rounds {
                    expected: run.shape.max_log_height(),
                    found: proof.rounds.len(),
                },
                [0, 0, round] => ZerocheckError::Coefficients {
                    round: round as usize,
                    expected: run.system.degree(),
                    found: run.system.degree().strict_add_signed(change),
                },
                [1] => opened_of(opened.len().to_string()),
                [1, table, _] => opened_of(run.system.tables()[table as usize].name.to_owned()),
                _ => panic!("{} is a list", place.name),
            };
            assert_eq!(run.verify(&claim, &proof, &opened), Err(expected));
        }
    }
}

#[test]
fn claims_of_another_shape_are_refused() {
    let run = small();
    let claim = run.claim();
    let proved = run.prove(&claim).unwrap();
    let (expected, first) = (run.shape.log_leaves(), run.shape.max_log_height());
    let refused = |claim: &LeafClaim, error: ClaimError| {
        let verdict = run.verify(claim, &proved.proof, &proved.opened);
        assert_eq!(verdict, Err(ZerocheckError::Claim(error.clone())));
        assert_eq!(run.prove(claim).unwrap_err(), ProvingError::Claim(error));
    };
    for found in [0, first, expected - 1, expected + 1] {
        let mut changed = claim.clone();
        changed.point.resize(found, EF::ONE);
        refused(&changed, ClaimError::Point { expected, found });
    }
    // The prover divides by the coordinates of the rounds; the verifier does not.
    for round in 0..first {
        let mut changed = claim.clone();
        changed.point[expected - first + round] = EF::ZERO;
        let error = ClaimError::ZeroCoordinate { round };
        assert_eq!(run.prove(&changed).unwrap_err(), ProvingError::Claim(error));
        let verdict = run.verify(&changed, &proved.proof, &proved.opened);
        assert_eq!(verdict, Err(ZerocheckError::Value));
    }
}

/// A cell that violates a constraint is refused even if the claim about the leaves is true, and so
/// is one that changes the leaves.
#[test]
fn changed_cells_are_refused() {
    let [violations, others] = change_cells(small(), |_| true);
    assert!(violations > 10 && others > 2);
}

/// A flag; a bit that is added and a carry, where the identity alone is violated.
#[test]
fn changed_cells_of_identities_are_refused() {
    let run = Run::new(&products(), Heights::Minimal);
    let changes = change_cells(run, |table| !table.expressions.identities().is_empty());
    assert_eq!(changes, [3, 0]);
}

/// Changes cells of some tables. Returns how many of them violate a constraint, and how many change
/// the leaves alone.
fn change_cells(mut run: Run, is_changed: fn(&TableSystem) -> bool) -> [usize; 2] {
    let honest_claim = run.claim();
    let (mut violations, mut others) = (0, 0);
    for table in 0..run.main.len() {
        if !is_changed(&run.system.tables()[table]) {
            continue;
        }
        let height = 1 << run.shape.log_heights()[table];
        let width = run.system.tables()[table].main.width();
        let step = match width {
            ..=100 => 7,
            101..=1000 => 41,
            _ => 520,
        };
        for column in (0..width).step_by(step) {
            let row = [0, 1, height - 1][column % 3];
            run.main[table][column * height + row] += F::ONE;
            match is_refused(&run, table, &honest_claim) {
                Some(true) => violations += 1,
                Some(false) => others += 1,
                None => {}
            }
            run.main[table][column * height + row] -= F::ONE;
        }
    }
    println!("{violations} violate a constraint, {others} do not");
    [violations, others]
}

/// Whether the changed cells of a table violate a constraint, or nothing if they change nothing.
/// What is wrong is refused by the prover, and by the verifier of what a prover makes that does not
/// look.
fn is_refused(run: &Run, table: usize, honest_claim: &LeafClaim) -> Option<bool> {
    let mut rows = 0..1 << run.shape.log_heights()[table];
    let violated = rows.any(|row| Row { run, table, row }.is_wrong());
    let claim = run.claim();
    let other_leaves = claim != *honest_claim;
    if !violated && !other_leaves {
        return None;
    }
    for (is_wrong, claim) in [(violated, &claim), (true, honest_claim)] {
        if !is_wrong {
            let proved = run.prove(claim).unwrap();
            run.verify(claim, &proved.proof, &proved.opened).unwrap();
            continue;
        }
        assert_eq!(run.prove(claim).unwrap_err(), ProvingError::Unsatisfied);
        let (proof, opened) = reference::prove(run, claim);
        let verdict = run.verify(claim, &proof, &opened);
        assert_eq!(verdict, Err(ZerocheckError::Value));
    }
    Some(violated)
}
