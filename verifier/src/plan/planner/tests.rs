//! Plans of leaves that are made up or proved, and leaves that are refused.

use std::collections::BTreeSet;
use std::time::Instant;

use droste_native::{FriSettings, Poseidon16Suite};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::{self, ProveOptions, prove};
use droste_vm::heights::Heights;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::verifier::VerifyOptions;

use super::super::draft::levels;
use super::super::{Kind, Source, Store, needed};
use super::*;
use crate::tape::TapeSuite;

const TOY: Preset = Preset::Toy;

/// A proof of factorial(n), and its program.
fn proof<H: TapeSuite>(n: u32) -> (Vec<u8>, LeafProgram)
where
    StandardTables: Provable<H>,
{
    proof_at::<H>(n, FriSettings::toy(), Heights::Minimal)
}

fn proof_at<H: TapeSuite>(n: u32, settings: FriSettings, heights: Heights) -> (Vec<u8>, LeafProgram)
where
    StandardTables: Provable<H>,
{
    let source = droste_programs::source("factorial").unwrap();
    let compiled = compile(source, &[]).unwrap();
    let execution = execute(&compiled, &[F::new(n)], &Tape::default(), 1 << 16).unwrap();
    let options = ProveOptions { settings, heights };
    let proof = prove::<H>(&compiled.program, &execution, &options).unwrap();
    (
        fri::encode(&proof).unwrap(),
        LeafProgram::new(compiled.program),
    )
}

fn leaf<H: TapeSuite>(planner: &Planner, n: u32) -> Leaf
where
    StandardTables: Provable<H>,
{
    let (bytes, program) = proof::<H>(n);
    let checked = planner.proof(&bytes, &program, &[F::new(n)], VerifyOptions::min_bits(0));
    checked.unwrap()
}

/// Leaves like this one, each with a name and a statement of its own.
fn copies(leaf: &Leaf, count: usize) -> Vec<Leaf> {
    let copy = |index: usize| {
        let mut copy = leaf.clone();
        copy.name = Name::of_leaf(&index.to_le_bytes());
        copy.says[0].1[1] = F::new(index as u32);
        copy
    };
    (0..count).map(copy).collect()
}

#[test]
fn levels_join_everything_that_is_left_over() {
    assert_eq!(levels(1, 2), [] as [Vec<usize>; 0]);
    assert_eq!(levels(2, 3), [vec![2]]);
    assert_eq!(levels(3, 2), [vec![2, 1], vec![2]]);
    assert_eq!(levels(7, 3), [vec![3, 3, 1], vec![3]]);
    assert_eq!(levels(8, 3), [vec![3, 3, 2], vec![3]]);
    assert_eq!(levels(1 << 16, 2).len(), 16);
}

/// One wrap a leaf, one join less than leaves at arity 2; every result but the root is taken
/// once; names differ, and are the same for another planner.
#[test]
fn plans_of_any_number_of_leaves_are_trees() {
    let planner = Planner::default();
    let one = leaf::<Poseidon16Suite>(&planner, 5);
    for (count, arity, joins) in [(1, 2, 0), (2, 2, 1), (3, 2, 2), (7, 2, 6), (7, 3, 3)] {
        let leaves = copies(&one, count);
        let plan = planner.plan(&leaves, TOY, Some(arity)).unwrap();
        plan.check().unwrap();
        let of = |kind: Kind| plan.tasks.iter().filter(|task| task.kind == kind).count();
        assert_eq!((of(Kind::Wrap), of(Kind::Join)), (count, joins));
        assert_eq!(plan.tasks.len(), count + joins);
        assert!(plan.tasks.iter().all(|task| task.estimate.exact));
        let taken = plan.tasks.iter().flat_map(|task| &task.inputs);
        let taken: BTreeSet<Name> = taken.map(|input| input.name).collect();
        assert_eq!(taken.len(), count + plan.tasks.len() - 1);
        assert!(!taken.contains(&plan.root.name));
        let says: Vec<_> = leaves.iter().flat_map(|leaf| leaf.says.clone()).collect();
        assert_eq!(plan.root.leaves, Name::of_leaves(&says));
        assert!(plan.critical_path() <= plan.fft_cost());
        // What is written is read again.
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
    }

    let names = |leaves: &[Leaf], arity: usize| -> BTreeSet<Name> {
        let plan = planner.plan(leaves, TOY, Some(arity)).unwrap();
        plan.tasks.iter().map(|task| task.name).collect()
    };
    let leaves = copies(&one, 3);
    let other = Planner::default();
    let mut again = leaves.clone();
    again[0].figures = leaf::<Poseidon16Suite>(&other, 6).figures;
    let again = other.plan(&again, TOY, Some(2)).unwrap();
    assert_eq!(again, planner.plan(&leaves, TOY, Some(2)).unwrap());
    // The same wraps serve another order; the joins are others.
    let mut swapped = leaves.clone();
    swapped.swap(0, 1);
    let (first, second) = (names(&leaves, 2), names(&swapped, 2));
    assert_eq!(first.intersection(&second).count(), 3);
    // At other heights everything is another task.
    assert!(names(&leaves, 8).is_disjoint(&first));
    // The same leaf twice is wrapped once.
    let twice = [one.clone(), one.clone()];
    assert_eq!(names(&twice, 2).len(), 2);
}

/// The result must fit a file: what is too large is refused before anything is proved.
#[test]
fn aggregates_that_no_file_holds_are_not_planned() {
    let planner = Planner::default();
    let one = leaf::<Poseidon16Suite>(&planner, 5);
    let plan = |change: &dyn Fn(&mut Vec<Leaf>), count: usize| {
        let mut leaves = copies(&one, count);
        change(&mut leaves);
        planner.plan(&leaves, TOY, Some(2))
    };
    // Three leaves: the last one is carried to the second level, where it is joined.
    let deepest = |leaf: usize, depth: usize| {
        plan(&move |leaves| leaves[leaf].depth = depth, 3).map(|plan| plan.tasks.len())
    };
    for (leaf, above) in [(0, 3), (2, 2)] {
        assert_eq!(deepest(leaf, MAX_DEPTH - above).unwrap(), 5);
        let refused = deepest(leaf, MAX_DEPTH - above + 1).unwrap_err();
        let depth = MAX_DEPTH + 1;
        let found = matches!(refused, PlanError::ClaimTree { depth: found, .. } if found == depth);
        assert!(found, "{refused}");
    }
    let refused = plan(&|leaves| leaves[0].nodes = usize::MAX, 2).unwrap_err();
    let found = matches!(
        refused,
        PlanError::ClaimTree {
            nodes: usize::MAX,
            ..
        }
    );
    assert!(found, "{refused}");
    // One key of the wraps and one of the join come on top.
    let with_keys = |count: u32| {
        let key = |n| KeyDigest([F::new(n); 8]);
        let keys = move |leaves: &mut Vec<Leaf>| {
            leaves[0].keys = (0..count / 2).map(key).collect();
            leaves[1].keys = (count / 4..count).map(key).collect();
        };
        plan(&keys, 2)
    };
    let most = MAX_KEYS as u32 - 2;
    with_keys(most).unwrap();
    let refused = with_keys(most + 1).unwrap_err();
    assert!(matches!(refused, PlanError::Keys(257)), "{refused}");
    let refused = with_keys(1000).unwrap_err();
    assert!(matches!(refused, PlanError::Keys(1001)), "{refused}");
}

/// One leaf many times is one wrap, and a join a level. The store is asked once for each.
#[test]
fn results_that_are_taken_often_are_looked_up_once() {
    let planner = Planner::default();
    let one = leaf::<Poseidon16Suite>(&planner, 5);
    let mut plan = planner.plan(&vec![one; 1 << 10], TOY, Some(2)).unwrap();
    assert_eq!(plan.tasks.len(), 11);
    // A plan may be larger than a planner makes it: here the root is above 2^200 leaves.
    for index in 11..201 {
        let mut task = plan.tasks[index - 1].clone();
        for input in &mut task.inputs {
            input.source = Source::Task(index - 1);
            (input.name, input.leaves) = (plan.root.name, plan.root.leaves);
        }
        task.name = Name::of_leaf(&index.to_le_bytes());
        (plan.root.source, plan.root.name) = (Source::Task(index), task.name);
        plan.tasks.push(task);
    }
    plan.check().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let worker = planner.worker(&plan);
    assert_eq!(needed(&plan, &worker, &store), (0..201).collect());
}

#[test]
fn many_leaves_are_planned_fast() {
    let planner = Planner::default();
    let leaves = copies(&leaf::<Poseidon16Suite>(&planner, 5), MAX_LEAVES);
    // The arity is chosen.
    let start = Instant::now();
    let plan = planner.plan(&leaves, TOY, None).unwrap();
    println!("{MAX_LEAVES} leaves planned in {:?}", start.elapsed());
    assert_eq!(plan.arity, 2);
    plan.check().unwrap();
    assert_eq!(plan.tasks.len(), 2 * MAX_LEAVES - 1);
    let names: BTreeSet<Name> = plan.tasks.iter().map(|task| task.name).collect();
    assert_eq!(names.len(), plan.tasks.len());

    let refused = planner.plan(&[], TOY, None).unwrap_err();
    assert!(matches!(refused, PlanError::Leaves(0)));
    let mut more = leaves;
    more.push(more[0].clone());
    let refused = planner.plan(&more, TOY, None).unwrap_err();
    assert!(matches!(refused, PlanError::Leaves(found) if found == MAX_LEAVES + 1));
    let refused = planner.plan(&more[..2], TOY, Some(1)).unwrap_err();
    assert!(matches!(refused, PlanError::Arity { found: 1, least: 2 }));
    // Joins of so many need a larger shape than anybody could derive keys for.
    let refused = planner.plan(&more[..2], Preset::Proven100, Some(33));
    let refused = refused.unwrap_err();
    assert!(matches!(refused, PlanError::Key(_)), "{refused}");
    let refused = planner.plan(&more[..2], TOY, Some(65)).unwrap_err();
    assert!(matches!(refused, PlanError::Arity { found: 65, .. }));
}

/// A plan from elsewhere may be anything.
#[test]
fn plans_that_are_not_well_formed_are_refused() {
    let planner = Planner::default();
    let leaves = copies(&leaf::<Poseidon16Suite>(&planner, 5), 2);
    let plan = planner.plan(&leaves, TOY, Some(2)).unwrap();
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = plan.clone();
        change(&mut plan);
        plan.check().is_err()
    };
    assert!(!refused(&|_| ()));
    assert!(refused(
        &|plan| plan.tasks[2].inputs[0].source = Source::Task(2)
    ));
    assert!(refused(
        &|plan| plan.tasks[2].inputs[0].source = Source::Task(9)
    ));
    assert!(refused(
        &|plan| plan.tasks[0].inputs[0].source = Source::Leaf(9)
    ));
    assert!(refused(
        &|plan| plan.tasks[2].inputs[1].name = plan.tasks[0].name
    ));
    assert!(refused(
        &|plan| plan.tasks[2].inputs[1].leaves = plan.tasks[0].leaves
    ));
    assert!(refused(&|plan| plan.tasks[2].inputs[1].bits += 1));
    assert!(refused(&|plan| plan.tasks.swap(0, 2)));
    assert!(refused(&|plan| plan.root.source = Source::Task(0)));
    // Any number may be written in a file.
    for arity in [0, 65, usize::MAX] {
        assert!(refused(&|plan| plan.arity = arity));
        let mut plan = plan.clone();
        plan.arity = arity;
        for preset in Preset::ALL {
            plan.preset = preset;
            planner.worker(&plan);
        }
    }
    let mut plan = plan;
    for task in &mut plan.tasks {
        task.estimate.fft_cost = u64::MAX;
    }
    assert_eq!(
        (plan.fft_cost(), plan.critical_path()),
        (u64::MAX, u64::MAX)
    );
}

#[test]
fn leaves_that_are_not_what_they_should_be_are_refused() {
    let planner = Planner::default();
    let (bytes, program) = proof::<Poseidon16Suite>(5);
    let check = |bytes: &[u8], expected: u32, bits: usize| {
        planner.proof(
            bytes,
            &program,
            &[F::new(expected)],
            VerifyOptions::min_bits(bits),
        )
    };
    // Twice: the second time the program's key is known.
    for _ in 0..2 {
        check(&bytes, 5, 1).unwrap();
        let refused = check(&bytes, 6, 0).unwrap_err().to_string();
        assert!(refused.contains("is 5, expected 6"), "{refused}");
        let refused = check(&bytes, 5, 100).unwrap_err().to_string();
        assert!(refused.contains("proven bits"), "{refused}");
    }
    let mut damaged = bytes.clone();
    let end = damaged.len() - 100;
    damaged[end] ^= 1;
    check(&damaged, 5, 0).unwrap_err();
    check(&bytes[..100], 5, 0).unwrap_err();
    planner
        .aggregate(&bytes, VerifyOptions::min_bits(0))
        .unwrap_err();
    let source = droste_programs::source("fibonacci").unwrap();
    let other = LeafProgram::new(compile(source, &[]).unwrap().program);
    let refused = planner.proof(&bytes, &other, &[], VerifyOptions::min_bits(0));
    refused.unwrap_err();
    // Valid, but generating the recursion program would take long, and nobody could derive its key.
    let settings = FriSettings {
        log_final_poly_len: 9,
        ..FriSettings::toy()
    };
    let (bytes, program) = proof_at::<Poseidon16Suite>(5, settings, Heights::Uniform(12));
    let refused = planner.proof(&bytes, &program, &[], VerifyOptions::min_bits(0));
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("final polynomial is 9, expected at most 8"),
        "{refused}"
    );
}
