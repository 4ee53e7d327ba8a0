//! Whole folds: what is planned before anything is proved, and runs that are interrupted. The
//! command is tested with processes that are killed (`cli/tests`).

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;

use droste_verifier::fold::plan::{
    FoldEvent, FoldPlan, FoldPlanError, FoldRunError, FoldTaskError, PlanRules, PlannedLeaf,
    TaskInput, TaskKind, needed, run,
};
use droste_verifier::plan::Store;

use super::*;

/// These leaves of the chain, not wrapped, with the hints of the functions that open them.
fn planned<const N: usize>(leaves: [usize; N]) -> [PlannedLeaf; N] {
    leaves.map(|index| {
        let leaf = &CHAIN.leaves[index];
        let planned = CHAIN.fold.leaf(&leaf.bytes).unwrap();
        assert_eq!(
            (planned.kind(), *planned.statement()),
            (0, leaf.statement())
        );
        planned.with_hints(hints(std::slice::from_ref(leaf)))
    })
}

/// The whole chain, as a tree.
fn tree() -> FoldPlan {
    CHAIN
        .fold
        .plan(&planned([0, 1, 2]), &PlanRules::default())
        .unwrap()
}

/// Names of the rules, in the order of the tasks; wraps are empty.
fn rules(plan: &FoldPlan) -> Vec<&str> {
    let rules = plan.tasks.iter().map(|task| match &task.kind {
        TaskKind::Rule(rule) => rule.as_str(),
        TaskKind::Wrap { .. } => "",
    });
    rules.collect()
}

fn bytes_of_leaf(number: usize) -> io::Result<Vec<u8>> {
    Ok(CHAIN.leaves[number].bytes.clone())
}

#[test]
fn states_are_known_before_anything_is_proved() {
    let Chain { fold, merged, .. } = &*CHAIN;
    let plan = tree();
    assert_eq!(rules(&plan), ["", "", "", "pair", "block", "merge"]);
    assert_eq!(plan.says(), Some((merged.counters(), merged.state())));
    let root = &plan.tasks[plan.root];
    assert_eq!(root.inputs, [TaskInput::Task(3), TaskInput::Task(4)]);

    // One after the other, from the first leaf or from nothing.
    let with = PlanRules {
        append: Some("append".to_owned()),
        ..PlanRules::default()
    };
    let chained = fold.plan(&planned([0, 1, 2]), &with).unwrap();
    assert_eq!(rules(&chained), ["", "", "", "pair", "append"]);
    let says = (counters(5, 3, 1), merged.state());
    assert_eq!(chained.says(), Some(says));
    // Wraps that exist are leaves, too.
    let wrap = file::encode(&CHAIN.leaves[0].wrap).unwrap();
    let wrapped = fold.leaf(&wrap).unwrap();
    let hints = hints(&CHAIN.leaves[..1]);
    let one = fold.plan(&[wrapped.with_hints(hints)], &PlanRules::default());
    assert_eq!(rules(&one.unwrap()), ["block"]);
}

/// Every rule that fails is named with the leaves below it.
#[test]
fn failing_rules_are_named() {
    let plan = CHAIN
        .fold
        .plan(&planned([1, 0, 2, 0]), &PlanRules::default());
    let FoldPlanError::Failing(failed) = plan.unwrap_err() else {
        panic!("another error");
    };
    let failed: Vec<String> = (failed.iter())
        .map(|failed| format!("{} on {}: {}", failed.rule, failed.on, failed.reason))
        .collect();
    let words = "the second span begins elsewhere (chain.rs:";
    let [first, second] = &failed[..] else {
        panic!("{failed:?}");
    };
    let expected = format!("pair on leaves 0 to 1: {words}");
    assert!(first.starts_with(&expected), "{first}");
    let expected = format!("pair on leaves 2 to 3: {words}");
    assert!(second.starts_with(&expected), "{second}");
}

/// The run is stopped after each task, and goes on from the store. Its result is that of rules that
/// were proved one by one, byte for byte.
#[test]
fn an_interrupted_run_makes_the_same_bytes() {
    let Chain { fold, merged, .. } = &*CHAIN;
    let (plan, folder) = (tree(), tempfile::tempdir().unwrap());
    let store = Store::open(folder.path()).unwrap();
    let (mut tasks, mut planned) = (vec![], vec![]);
    let folded = loop {
        let stopped = run(fold, &plan, &store, bytes_of_leaf, |event| match event {
            FoldEvent::Planned(needed) => {
                planned.push(needed.len());
                ControlFlow::Continue(())
            }
            FoldEvent::Started(_) => ControlFlow::Continue(()),
            FoldEvent::Finished { task, .. } => {
                tasks.push(task);
                ControlFlow::Break(())
            }
        });
        match stopped {
            Ok(folded) => break folded,
            Err(FoldRunError::Stopped) => assert!(tasks.len() <= plan.tasks.len()),
            Err(error) => panic!("{error}"),
        }
    };
    // Nothing is done twice.
    assert_eq!(tasks, [0, 1, 2, 3, 4, 5]);
    assert_eq!(planned, [6, 5, 4, 3, 2, 1, 0]);
    let bytes = file::fold::encode(merged).unwrap();
    assert_eq!(file::fold::encode(&folded).unwrap(), bytes);
    assert_eq!(store.get(plan.tasks[plan.root].name), Some(bytes));

    // What is below a result is not needed any more, what is damaged is.
    let names = plan.tasks.iter().map(|task| task.name);
    let [.., pair, block, root] = names.collect::<Vec<_>>()[..] else {
        panic!("six tasks");
    };
    for name in [pair, root] {
        std::fs::write(store.path(name), b"torn").unwrap();
    }
    assert_eq!(needed(fold, &plan, &store), BTreeSet::from([3, 5]));
    std::fs::remove_file(store.path(block)).unwrap();
    assert_eq!(needed(fold, &plan, &store), BTreeSet::from([3, 4, 5]));
}

/// A store is not believed, nor are the inputs of a task.
#[test]
fn only_valid_results_are_used() {
    let Chain {
        fold,
        pair,
        one,
        merged,
        ..
    } = &*CHAIN;
    let (plan, folder) = (tree(), tempfile::tempdir().unwrap());
    let store = Store::open(folder.path()).unwrap();
    let root = &plan.tasks[plan.root];
    let [pair, one, merged] = [pair, one, merged].map(|node| file::fold::encode(node).unwrap());
    // A valid node of other proofs, one of the same state and other counters, and a damaged one.
    let children = [Child::Node(&CHAIN.pair), Child::Leaf(&CHAIN.leaves[2].wrap)];
    let appended = fold.prove("append", &children, &hints(&CHAIN.leaves[2..]));
    let appended = appended.unwrap();
    assert_eq!(appended.state(), CHAIN.merged.state());
    let appended = file::fold::encode(&appended).unwrap();
    let mut damaged = merged.clone();
    let end = damaged.len() - 100;
    damaged[end] ^= 1;
    for wrong in [&pair, &appended, &damaged] {
        store.put(root.name, wrong).unwrap();
        assert_eq!(needed(fold, &plan, &store).len(), 6);
    }
    store.put(root.name, &merged).unwrap();
    assert!(needed(fold, &plan, &store).is_empty());

    let refused = |inputs: &[&Vec<u8>]| {
        let inputs: Vec<Vec<u8>> = inputs.iter().map(|&input| input.clone()).collect();
        fold.run_task(root, &inputs).unwrap_err()
    };
    let error = refused(&[&pair]);
    let few = matches!(
        error,
        FoldTaskError::InputCount {
            expected: 2,
            found: 1
        }
    );
    assert!(few, "{error}");
    let error = refused(&[&one, &pair]);
    let fails = matches!(error, FoldTaskError::Fold(FoldError::Run { .. }));
    assert!(fails, "{error}");
    let other = file::fold::encode(&WEAK.node).unwrap();
    let error = refused(&[&pair, &other]);
    let named = matches!(error, FoldTaskError::Refused { input: 1, .. });
    assert!(named, "{error}");
    let error = refused(&[&pair, &CHAIN.leaves[0].bytes]);
    let named = matches!(error, FoldTaskError::File { input: 1, .. });
    assert!(named, "{error}");
}
