//! Whatever changes in a proof or in the cells is refused.

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

fn lists(opened: &mut Opened) -> [&mut Vec<EF>; 4] {
    [
        &mut opened.main,
        &mut opened.main_next,
        &mut opened.preprocessed,
        &mut opened.preprocessed_next,
    ]
}

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
    let refused = |claim: &LeafClaim, proof: &ZerocheckProof, opened: &[Opened]| {
        assert_eq!(run.verify(claim, proof, opened), Err(ZerocheckError::Value));
    };
    for round in 0..proved.proof.rounds.len() {
        for index in 0..proved.proof.rounds[round].count() {
            let mut changed = proved.proof.clone();
            changed.rounds[round].forge()[index] += EF::ONE;
            refused(&claim, &changed, &proved.opened);
        }
    }
    let (mut changes, mut unread) = (0, 0);
    for table in 0..proved.opened.len() {
        for list in 0..4 {
            for slot in 0..lists(&mut proved.opened.clone()[table])[list].len() {
                let mut changed = proved.opened.clone();
                lists(&mut changed[table])[list][slot] += EF::ONE;
                // A value counts for nothing if nothing reads it, or if it only occurs in products
                // with flags that are zero throughout this run. The opening binds it.
                match run.verify(&claim, &proved.proof, &changed) {
                    Err(error) => {
                        assert_eq!(error, ZerocheckError::Value);
                        assert!(is_read(&run, table, list, slot));
                        changes += 1;
                    }
                    Ok(_) => unread += 1,
                }
            }
        }
    }
    println!("{changes} values, {unread} that count for nothing");
    assert!(changes > 300 && unread < 30);

    let changes: [fn(&mut LeafClaim); 4] = [
        |claim| claim.numerator += EF::ONE,
        |claim| claim.denominator += EF::ONE,
        |claim| claim.theta += EF::ONE,
        |claim| claim.point[0] += EF::ONE,
    ];
    for change in changes {
        let mut changed = claim.clone();
        change(&mut changed);
        refused(&changed, &proved.proof, &proved.opened);
        // A true claim can be combined by any challenge.
        if changed.theta == claim.theta {
            assert_eq!(run.prove(&changed).unwrap_err(), ProvingError::Unsatisfied);
        }
    }
}

#[test]
fn proofs_of_another_shape_are_refused() {
    let run = small();
    let claim = run.claim();
    let proved = run.prove(&claim).unwrap();
    let verify = |proof: &ZerocheckProof, opened: &[Opened]| run.verify(&claim, proof, opened);
    let rounds = run.shape.max_log_height();
    for change in [-1_isize, 1] {
        let mut changed = proved.proof.clone();
        let found = rounds.strict_add_signed(change);
        changed.rounds.resize(found, changed.rounds[0].clone());
        let error = ZerocheckError::Rounds {
            expected: rounds,
            found,
        };
        assert_eq!(verify(&changed, &proved.opened), Err(error));
        let mut changed = proved.proof.clone();
        let expected = run.system.degree();
        let found = expected.strict_add_signed(change);
        changed.rounds[1].forge().resize(found, EF::ZERO);
        let error = ZerocheckError::Coefficients {
            round: 1,
            expected,
            found,
        };
        assert_eq!(verify(&changed, &proved.opened), Err(error));
        for table in 0..proved.opened.len() {
            for list in 0..4 {
                let mut changed = proved.opened.clone();
                let values = &mut lists(&mut changed[table])[list];
                if change < 0 && values.is_empty() {
                    continue;
                }
                let length = values.len().strict_add_signed(change);
                values.resize(length, EF::ZERO);
                let table = run.system.tables()[table].name.to_owned();
                let error = ZerocheckError::Opened { table };
                assert_eq!(verify(&proved.proof, &changed), Err(error));
            }
        }
    }
    let mut fewer = proved.opened.clone();
    fewer.pop();
    assert!(matches!(
        verify(&proved.proof, &fewer),
        Err(ZerocheckError::Opened { .. })
    ));
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
