//! Plans over aggregates that exist: what a worker refuses, and what a store makes unnecessary.

use std::collections::BTreeSet;
use std::io;
use std::ops::ControlFlow;
use std::sync::{LazyLock, Mutex};

use droste_native::Poseidon16Suite;
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::file;
use droste_verifier::plan::{
    self, Event, Input, InputError, Kind, LeafError, LeafProgram, Options, Plan, Planner, RunError,
    Store, Task, WorkError, Worker, run,
};
use droste_vm::compiler::compile;
use droste_vm::fri;
use droste_vm::verifier::VerifyOptions;

use crate::{TOYS, Toys, aggregator, leaf, toy, verified};

/// A plan that joins the two wraps, and their files.
struct Joining {
    plan: Plan,
    worker: Worker,
    leaves: [Vec<u8>; 2],
}

static JOINING: LazyLock<Joining> = LazyLock::new(|| {
    let leaves = TOYS
        .wraps
        .each_ref()
        .map(|wrap| file::encode(wrap).unwrap());
    let planner = Planner::default();
    let checked = leaves
        .each_ref()
        .map(|leaf| planner.aggregate(leaf, VerifyOptions::min_bits(0)).unwrap());
    let plan = planner.plan(&checked, Preset::Toy, Some(2)).unwrap();
    Joining {
        worker: planner.worker(&plan),
        plan,
        leaves,
    }
});

/// Aggregates of canonical shape are not wrapped again.
#[test]
fn wraps_are_leaves() {
    let Joining { plan, leaves, .. } = &*JOINING;
    let [join] = plan.tasks.as_slice() else {
        panic!("{plan:?}");
    };
    assert_eq!(join.kind, Kind::Join);
    let planner = Planner::default();
    let leaf = planner
        .aggregate(&leaves[0], VerifyOptions::min_bits(0))
        .unwrap();
    // Alone, it is the root itself.
    let alone = planner
        .plan(std::slice::from_ref(&leaf), Preset::Toy, Some(2))
        .unwrap();
    assert!(alone.tasks.is_empty());
    assert_eq!(alone.root.name, leaf.name());
    // At another shape it is brought to that one first, by steps that are estimated.
    let other = planner.plan(&[leaf], Preset::Toy, Some(4)).unwrap();
    let [further] = other.tasks.as_slice() else {
        panic!("{other:?}");
    };
    assert_eq!(further.kind, Kind::ToCanonical);
    assert!(!further.estimate.exact);
    let refused = planner
        .aggregate(&leaves[0], VerifyOptions::min_bits(200))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("expected at least 200"), "{refused}");
}

#[test]
fn a_worker_refuses_what_was_not_planned() {
    let Joining {
        plan,
        worker,
        leaves: [one, two],
    } = &*JOINING;
    let task = &plan.tasks[0];
    let refused = |inputs: &[&Vec<u8>]| {
        let inputs: Vec<Vec<u8>> = inputs.iter().map(|&input| input.clone()).collect();
        worker.run(task, &inputs).unwrap_err()
    };
    let error = refused(&[one]);
    assert!(matches!(
        error,
        WorkError::InputCount {
            expected: 2,
            found: 1
        }
    ));
    let error = refused(&[two, one]);
    let changed = matches!(
        error,
        WorkError::Input {
            input: 0,
            source: InputError::Changed { .. }
        }
    );
    assert!(changed, "{error}");

    // The result of a task has no digest that is known in advance. It is verified.
    let root = &plan.root;
    let Toys { inner, outer, .. } = &*TOYS;
    let result = file::encode(inner).unwrap();
    worker.accept(root, &result).unwrap();
    // Valid and of these leaves, but weaker than planned.
    let stronger = Input {
        bits: inner.accepted().bits + 1,
        ..*root
    };
    let error = worker.accept(&stronger, &result).unwrap_err();
    assert!(matches!(error, InputError::Security { .. }), "{error}");
    // A valid aggregate, but of other leaves.
    let other = file::encode(outer).unwrap();
    let error = worker.accept(root, &other).unwrap_err();
    assert!(matches!(error, InputError::Leaves), "{error}");
    let mut damaged = result.clone();
    let end = damaged.len() - 100;
    damaged[end] ^= 1;
    worker.accept(root, &damaged).unwrap_err();
    // The byte of a key's bits, after the header, the number of keys and the key.
    let mut boasting = result;
    boasting[12 + 1 + 32] = 250;
    let error = worker.accept(root, &boasting).unwrap_err();
    assert!(
        matches!(error, InputError::Leaf(LeafError::Accept(_))),
        "{error}"
    );
}

/// What a run would do, without doing it.
fn needed(store: &Store) -> (BTreeSet<usize>, Result<Vec<u8>, RunError>) {
    let Joining { plan, worker, .. } = &*JOINING;
    let seen = Mutex::new(BTreeSet::new());
    let result = run(
        plan,
        worker,
        store,
        |_| Err(io::ErrorKind::NotFound.into()),
        &Options::default(),
        |event| {
            if let Event::Planned(needed) = event {
                seen.lock().unwrap().extend(needed);
                return if needed.is_empty() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                };
            }
            panic!("a task was begun")
        },
    );
    (seen.into_inner().unwrap(), result)
}

#[test]
fn only_valid_results_of_a_store_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let root = JOINING.plan.root.name;
    let (tasks, result) = needed(&store);
    assert_eq!(tasks.len(), 1);
    assert!(matches!(result, Err(RunError::Stopped)));
    // An undamaged file of the store with a valid aggregate of other leaves.
    let other = file::encode(&TOYS.outer).unwrap();
    store.put(root, &other).unwrap();
    assert_eq!(needed(&store).0.len(), 1);
    let wanted = file::encode(&TOYS.inner).unwrap();
    store.put(root, &wanted).unwrap();
    let (tasks, result) = needed(&store);
    assert!(tasks.is_empty());
    assert_eq!(result.unwrap(), wanted);
}

/// A valid aggregate of the planned leaves in another shape, which somebody put into the store. The
/// join above it would fail, in every run.
#[test]
fn results_of_another_shape_are_made_again() {
    let proof = leaf::<Poseidon16Suite>("factorial", 5, toy());
    let bytes = fri::encode(&proof).unwrap();
    let program = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let (planner, program) = (Planner::default(), LeafProgram::new(program.program));
    let leaf = planner.proof(&bytes, &program, &[], VerifyOptions::min_bits(0));
    let plan = planner
        .plan(&[leaf.unwrap()], Preset::Toy, Some(2))
        .unwrap();
    let worker = planner.worker(&plan);
    let [wrap] = plan.tasks.as_slice() else {
        panic!("{plan:?}");
    };
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let needs = || {
        plan::needed(&plan, &worker, &store)
            .into_iter()
            .collect::<Vec<_>>()
    };

    let lower = Aggregator::new(*aggregator().settings(), vec![])
        .first_step(&verified(proof))
        .unwrap();
    let lower = file::encode(&lower).unwrap();
    worker.accept(&plan.root, &lower).unwrap();
    let error = worker.accept_result(wrap, &lower).unwrap_err();
    assert!(matches!(error, InputError::Shape), "{error}");
    store.put(wrap.name, &lower).unwrap();
    assert_eq!(needs(), [0]);
    // A first step may have any shape.
    let first = Task {
        kind: Kind::FirstStep,
        ..wrap.clone()
    };
    worker.accept_result(&first, &lower).unwrap();
    let right = file::encode(&TOYS.wraps[0]).unwrap();
    store.put(wrap.name, &right).unwrap();
    assert_eq!(needs(), [0; 0]);
}

#[test]
fn runs_that_cannot_end_well_end_early() {
    let Joining {
        plan,
        worker,
        leaves,
    } = &*JOINING;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let attempt = |options: &Options, leaf: &(dyn Fn(usize) -> io::Result<Vec<u8>> + Sync)| {
        run(plan, worker, &store, leaf, options, |_| {
            ControlFlow::Continue(())
        })
        .unwrap_err()
    };
    let little = Options {
        memory: Some(1),
        ..Options::default()
    };
    let error = attempt(&little, &|_| panic!("no leaf is read"));
    assert!(
        matches!(
            error,
            RunError::Memory {
                task: 0,
                limit: 1,
                ..
            }
        ),
        "{error}"
    );
    let error = attempt(
        &Options::default(),
        &|_| Err(io::ErrorKind::NotFound.into()),
    );
    assert!(matches!(error, RunError::Leaf { leaf: 0, .. }), "{error}");
    let error = attempt(&Options::default(), &|_| panic!("on purpose"));
    assert!(matches!(error, RunError::Panicked), "{error}");
    let error = attempt(&Options::default(), &|index| Ok(leaves[1 - index].clone()));
    let RunError::Task { task: 0, source } = error else {
        panic!("{error}");
    };
    assert!(source.to_string().contains("input 0"), "{source}");
}
