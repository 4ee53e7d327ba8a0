//! `accept`: which roots a consumer keeps.

use super::*;

/// No root is accepted that the registry refuses.
#[test]
fn refused_roots_are_not_kept() {
    let mut example = Example::new(4, 1, 64);
    let honest = opening(&example.tree, 2);
    let says = example.says.clone();
    example.says.leaves += 1;
    assert_refused_by_verifier(&example.accept(), "another number");
    assert_refused(&example.holds(&honest), Refusal::Root);
    example.says = says;
    let mut data = example
        .says
        .call_data(ACCEPT, &example.proof, &example.root);
    data.push(0);
    let outcome = example.chain.call(&example.consumer, &data, None);
    assert_refused(&outcome, Refusal::Encoding);
    assert_refused(&example.holds(&honest), Refusal::Root);
    assert_true(&example.accept());
    assert_true(&example.holds(&honest));
}

/// Whoever sends a proof a second time changes nothing, and nobody's call is refused for it. Nor
/// does a root that is accepted make another one so.
#[test]
fn roots_may_be_accepted_again() {
    let mut example = Example::new(4, 1, 64);
    let honest = opening(&example.tree, 3);
    assert_true(&example.accept());
    let first = example.holds(&honest);
    assert_true(&first);
    assert_true(&example.accept());
    assert_eq!(example.holds(&honest).result, first.result);
    example.says.claim[0] += F::ONE;
    assert_refused_by_verifier(&example.accept(), "another claim");
    assert_true(&example.holds(&honest));
    for root in [[0; 32], [1; 32], example.root.map(|byte| !byte)] {
        let data = honest.call_data(HOLDS, &root);
        let outcome = example.chain.call(&example.consumer, &data, None);
        assert_refused(&outcome, Refusal::Root);
    }
}

/// However little gas there is, a root is accepted only by a call that succeeds.
#[test]
fn nothing_is_kept_with_too_little_gas() {
    let mut example = Example::new(2, 1, 64);
    let honest = opening(&example.tree, 1);
    let data = example.accept_data();
    let mut fresh = Example::new(2, 1, 64);
    let enough = fresh.accept().gas;
    for missing in [1, 100, 2_000, 20_000, 25_000, 40_000, 100_000, 150_000] {
        let gas = enough - missing;
        let outcome = example
            .chain
            .call_with(&example.consumer, &data, None, 0, gas);
        assert!(outcome.result.is_err(), "{missing}");
        assert_refused(&example.holds(&honest), Refusal::Root);
    }
    // Of what there is, a sixty-fourth is kept from each contract that is called.
    let gas = enough + enough / 16;
    let outcome = example
        .chain
        .call_with(&example.consumer, &data, None, 0, gas);
    assert_true(&outcome);
    assert_true(&example.holds(&honest));
}
