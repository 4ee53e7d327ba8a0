//! Openings by p3-whir in Poseidon-16, verified by `droste_gadgets::verify::whir`, natively and in
//! the machine; and false ones, each of which breaks one check.

mod common;
mod falsehoods;
mod last;
#[allow(dead_code, reason = "shared with the tests of `hints`")]
#[path = "../hints/sites.rs"]
mod sites;

use common::Case;
use droste_gadgets::poseidon16::{Poseidon16, Poseidon16Challenger};
use droste_gadgets::prelude::*;
use droste_gadgets::verify::whir::query::{self, Places};
use droste_gadgets::{NativeTape, run_native};
use droste_native::{FriSettings, Poseidon16Suite};
use droste_verifier::tape::machine_tape;
use droste_verifier::whir::{OpeningShapeError, opening_shape};
use droste_vm::compiler::Compiled;
use droste_vm::executor::execute;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::precompile::BUILT_IN;
use droste_vm::profile::{Weight, folded};
use droste_vm::prover::{ProveOptions, prove};
use droste_vm::record::Execution;
use droste_vm::verifier::verify;
use p3_whir::parameters::SecurityAssumption;

/// Prints the cycles of a run, and those of the functions of the verifier.
fn report(name: &str, case: &Case, compiled: &Compiled, execution: &Execution) {
    let shape = case.shape();
    let commitments = shape.rounds.len() + 1;
    let queries: Vec<usize> = (0..commitments).map(|i| shape.queries(i).count).collect();
    println!(
        "{name}: {queries:?} queries, {} cycles",
        execution.cycles.len()
    );
    // Instructions of functions that run once for each query to one commitment: answers and weights.
    let mut visits = std::collections::BTreeMap::<u32, usize>::new();
    for cycle in &execution.cycles {
        *visits.entry(cycle.pc).or_default() += 1;
    }
    for count in queries {
        let often = visits.values().filter(|&&visits| visits == count).count();
        println!("  {often:6} instructions run {count} times");
    }
    for precompile in BUILT_IN {
        let calls = &execution.calls[precompile.identity as usize];
        let rows: u64 = calls.iter().map(|call| (precompile.rows)(call)).sum();
        if rows > 0 {
            println!(
                "  {:20} {:6} calls {rows:6} rows",
                precompile.name,
                calls.len()
            );
        }
    }
    let mut functions = std::collections::BTreeMap::<String, u64>::new();
    for (stack, cost) in folded(compiled, execution, &Weight::Cycles) {
        let mut names: Vec<&str> = stack.split(';').collect();
        names.sort_unstable();
        names.dedup();
        for function in names {
            *functions.entry(function.to_owned()).or_default() += cost;
        }
    }
    let mut functions: Vec<(String, u64)> = functions.into_iter().collect();
    functions.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    for (function, cost) in functions.into_iter().take(30) {
        println!("  {cost:6} {function}");
    }
}

/// Both verifiers accept an honest opening, and so does the machine.
fn is_accepted(name: &str, case: &Case) -> (Compiled, Execution) {
    let opening = case.open(None);
    case.plonky3(&opening).unwrap();
    let tape = case.record(&opening).unwrap();
    let compiled = case.compile();
    let execution = execute(&compiled, &[], &machine_tape(&tape), 1 << 22).unwrap();
    report(name, case, &compiled, &execution);
    (compiled, execution)
}

/// The cases of [`Case::small`]: one claim, claims about both tables, and claims about next rows;
/// points that the transcript draws, and points that the caller gives.
fn small() -> Vec<Case> {
    let one = [vec![], vec![(vec![1], vec![])]];
    let next = [vec![(vec![], vec![2])], vec![]];
    let both = [
        vec![(vec![0, 3], vec![2])],
        vec![(vec![0, 1, 2], vec![1]), (vec![2], vec![])],
    ];
    [one, next, both]
        .into_iter()
        .flat_map(|batches| [true, false].map(|drawn| Case::small(drawn, batches.clone())))
        .collect()
}

#[test]
fn small_openings_are_accepted() {
    for (number, case) in small().iter().enumerate() {
        is_accepted(&format!("small {number}"), case);
    }
}

#[test]
fn openings_with_work_at_every_site_are_accepted() {
    is_accepted("grinding", &Case::grinding());
}

/// The only commitment is queried last, so its leaves are folded one by one.
#[test]
fn openings_without_rounds_are_accepted() {
    let case = Case {
        tables: vec![(8, 4, vec![(vec![0, 3], vec![1])])],
        level: 30,
        folds: vec![4],
        rates: vec![],
        ..small()[1].clone()
    };
    assert!(case.shape().rounds.is_empty());
    is_accepted("no rounds", &case);
}

/// The run of a program that verifies an opening is proved.
#[test]
fn a_verified_opening_is_proved() {
    let (compiled, execution) = is_accepted("proved", &small()[5]);
    let options = ProveOptions {
        settings: FriSettings::toy(),
        heights: Heights::Minimal,
    };
    let proof = prove::<Poseidon16Suite>(&compiled.program, &execution, &options).unwrap();
    verify::<Poseidon16Suite, StandardTables>(&proof.key, &proof.statement, 0, &proof).unwrap();
}

/// A false value at any hint site of the program, in the machine, is refused.
#[test]
fn false_hints_are_refused_in_the_machine() {
    for case in [&small()[4], &small()[5]] {
        let tape = case.record(&case.open(None)).unwrap();
        sites::check(&case.compile(), &machine_tape(&tape));
    }
}

/// The parameters with which joins are planned: 2^22 cells, rate 1/4, folds of 6, 4, 4 and 4 variables.
#[test]
fn planned_openings_are_accepted() {
    let case = Case {
        tables: vec![(16, 64, vec![((0..64).collect(), (0..12).collect())])],
        drawn: false,
        cap_height: 5,
        level: 103,
        pow: 16,
        assumption: SecurityAssumption::JohnsonBound,
        rate: 2,
        folds: vec![6, 4, 4, 4],
        rates: vec![4, 6, 8],
    };
    is_accepted("planned", &case);
}

/// Plonky3 samples again if a word is the largest element, so this one is no index.
#[test]
fn the_largest_element_is_no_index() {
    let queries = Case::grinding().shape().final_queries;
    let run = |word: Felt| {
        let program = || {
            let places = Places {
                commitment: Slice::from_blocks([Block::ZERO]),
                cap: 0,
                points: query::points(),
                weights: vec![Ext::ONE; 1 << queries.log_arity],
                compared_at: Vec::new(),
            };
            let word = [word, Felt::ZERO];
            query::query::<Poseidon16, Poseidon16Challenger>(&queries, &places, word);
        };
        run_native(&NativeTape::default(), &[], program)
            .unwrap_err()
            .0
    };
    let refused = run(-Felt::ONE);
    assert!(refused.contains("left != right"), "{refused}");
    let ended = run(-felt(2));
    assert!(ended.contains("the tape has ended"), "{ended}");
}

#[test]
fn shapes_without_a_verifier_are_refused() {
    let honest = Case::small(true, [vec![], vec![(vec![1], vec![])]]);
    let protocol = honest.protocol();
    let refusal = |case: &Case| opening_shape(&case.config(), 0, &protocol, true).unwrap_err();
    // All leaves would be opened, and nothing would be sampled.
    let saturated = Case {
        folds: vec![7],
        rates: vec![],
        assumption: SecurityAssumption::UniqueDecoding,
        level: 150,
        pow: 30,
        ..honest.clone()
    };
    let error = refusal(&saturated);
    assert!(
        matches!(error, OpeningShapeError::Saturated { .. }),
        "{error}"
    );
    // The configuration is for another number of variables.
    let other = Case {
        tables: vec![(11, 4, vec![])],
        ..honest
    };
    let error = refusal(&other);
    assert!(
        matches!(
            error,
            OpeningShapeError::Variables {
                tables: 12,
                config: 13
            }
        ),
        "{error}"
    );
}
