//! Estimates of what deriving keys costs bound the generated programs, and honest key sets stay
//! well below the limit.

use std::collections::BTreeSet;

use droste_air::test_utils::process_peak;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{FriSettings, HashId, with_suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::{CircuitCache, RecursionCircuit};
use droste_verifier::keys::{ChildShape, Children, MAX_CHILDREN, MAX_COST, Recipe};
use droste_verifier::tape::TapeSuite;
use droste_vm::fri::Verifier;
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::key::KeyHeights;
use droste_vm::machine::{Machine, Provable, StandardTables};
use droste_vm::tables::program::ProgramTable;
use rustix::time::{ClockId, clock_gettime};

use crate::fri;

const R: [u32; 2] = [id::EXT, id::POSEIDON16_SPONGE];
const POSEIDON2: [u32; 2] = [id::POSEIDON2_MERKLE, id::POSEIDON2_SPONGE];
const XMSS: [u32; 2] = [id::POSEIDON16_WINTERNITZ, id::LOW_24_BITS];
const WEIGHTS: [u32; 1] = [id::POWER_WEIGHTS];
const PRODUCTS: [u32; 1] = [id::BINARY_PRODUCT];
const WORDS: [u32; 1] = [id::WORD_PRODUCTS];
const BLAKE3: [u32; 2] = [id::LIMBS, id::BLAKE3_CHUNK];
const KECCAK: [u32; 2] = [id::LIMBS, id::KECCAK_HASH];

/// Shape of proofs in a hash, on the machine with these precompiles.
fn shape(hash: HashId, precompiles: &[&[u32]]) -> ChildShape {
    let precompiles: BTreeSet<u32> = precompiles.iter().copied().flatten().copied().collect();
    let program = ProgramTable::of_height(0);
    let machine = Machine::<StandardTables>::new(program, &precompiles).unwrap();
    ChildShape {
        hash,
        settings: FriSettings {
            log_blowup: 2,
            num_queries: 3,
            cap_height: 4,
            log_final_poly_len: 3,
            max_log_arity: 3,
            ..FriSettings::toy()
        }
        .into(),
        tables: machine.names(),
        log_heights: vec![14; machine.tables().len()],
        fixed: true,
    }
}

/// Every table, each at a different height, and every setting that lengthens the code of a child.
pub fn widest() -> ChildShape {
    let mut shape = shape(
        HashId::Poseidon16,
        &[&R, &POSEIDON2, &XMSS, &WEIGHTS, &PRODUCTS, &BLAKE3, &KECCAK],
    );
    let settings = fri(&mut shape.settings);
    *settings = FriSettings {
        cap_height: 12,
        log_final_poly_len: 8,
        max_log_arity: 4,
        num_queries: 1024,
        ..*settings
    };
    for (index, log_height) in shape.log_heights.iter_mut().enumerate() {
        *log_height = 9 + index;
    }
    shape
}

/// Every table, over WHIR.
pub fn widest_over_whir() -> ChildShape {
    let precompiles: [&[u32]; 7] = [&R, &POSEIDON2, &XMSS, &WEIGHTS, &PRODUCTS, &BLAKE3, &KECCAK];
    let mut shape = shape(HashId::Poseidon16, &precompiles);
    shape.settings = WhirSettings::toy().into();
    shape.log_heights.fill(6);
    shape
}

fn recipe(shape: ChildShape, count: usize) -> Recipe {
    Recipe {
        settings: WhirSettings::toy(),
        heights: Heights::Uniform(14),
        children: Children::Programs { shape, count },
    }
}

/// Instructions of the program that verifies `count` proofs.
fn instructions(shape: &ChildShape, count: usize) -> usize {
    fn of<H: TapeSuite>(shape: &ChildShape, count: usize) -> usize
    where
        StandardTables: Provable<H>,
    {
        let names = &shape.tables;
        let program = names.iter().position(|name| name == "program").unwrap();
        let heights = KeyHeights::Fixed(shape.log_heights.clone());
        let log_height = shape.log_heights[program];
        let settings = *fri(&mut shape.settings.clone());
        let verifier =
            Verifier::<H, StandardTables>::of_machine(settings, names, heights, log_height);
        let recursion =
            RecursionCircuit::over_fri(&verifier.unwrap(), &shape.log_heights, count).unwrap();
        recursion.compiled().program.instructions.len()
    }
    with_suite!(shape.hash, H => of::<H>(shape, count))
}

/// The estimate of the code that verifies a child over WHIR is at least its length, and at most
/// twelve times it, at settings that lengthen it in each way.
#[test]
fn estimates_bound_programs_over_whir() {
    let base = WhirSettings {
        cap_height: 4,
        ..WhirSettings::toy()
    };
    let weakest = WhirSettings {
        security_level: 128,
        grinding_bits: 24,
        log_blowup: 1,
        second_log_blowup: 1,
        later_fold: 2,
        blowup_step: 0,
        ..base
    };
    for (name, settings) in [
        ("toy", base),
        (
            "caps",
            WhirSettings {
                cap_height: 10,
                ..base
            },
        ),
        (
            "folds of six",
            WhirSettings {
                later_fold: 6,
                ..base
            },
        ),
        (
            "queries",
            WhirSettings {
                security_level: 100,
                ..base
            },
        ),
        ("queries at low rates", weakest),
        (
            "proven-100",
            WhirSettings {
                log_block: 12,
                ..WhirSettings::proven_100()
            },
        ),
    ] {
        let shape = ChildShape {
            settings: settings.into(),
            log_heights: vec![12, 12, 10, 9, 12, 10, 12],
            ..shape(HashId::Poseidon16, &[&R, &WEIGHTS])
        };
        bounds_over_whir(name, shape);
    }
    for (name, precompiles) in [
        ("table of products", &PRODUCTS[..]),
        ("table of products of words", &WORDS),
        ("tables of Blake3", &BLAKE3),
        ("tables of Keccak", &KECCAK),
    ] {
        let mut shape = shape(HashId::Poseidon16, &[&R, &WEIGHTS, precompiles]);
        shape.settings = WhirSettings {
            log_block: 12,
            ..base
        }
        .into();
        shape.log_heights.fill(6);
        bounds_over_whir(name, shape);
    }
}

fn bounds_over_whir(name: &str, shape: ChildShape) {
    let circuit = CircuitCache::default().circuit(shape.clone(), 1).unwrap();
    let length = circuit.compiled().program.instructions.len();
    let estimate = recipe(shape.clone(), 2).cost() - recipe(shape, 1).cost();
    println!("{name}: {length} of {estimate}");
    assert!(length <= estimate, "{name}: {length}, {estimate}");
    assert!(estimate <= 12 * length, "{name}: {length}, {estimate}");
}

/// The estimate of a child's code is at least its length, and at most six times it.
fn bounds(name: &str, shape: ChildShape) {
    let cost = |count| recipe(shape.clone(), count).cost();
    let estimate = cost(2) - cost(1);
    // Everything but `main` is repeated per child.
    let length = instructions(&shape, 1);
    println!("{name}, {:?}: {length} of {estimate}", shape.hash);
    assert!(length <= estimate, "{name}: {length}, {estimate}");
    assert!(estimate <= 6 * length, "{name}: {length}, {estimate}");
}

#[test]
fn estimates_bound_programs() {
    type Change = fn(&mut ChildShape);
    let changes: [(&str, Change); 8] = [
        ("large caps", |shape| {
            fri(&mut shape.settings).cap_height = 8
        }),
        ("final polynomial", |shape| {
            fri(&mut shape.settings).log_final_poly_len = 8
        }),
        ("folding by two", |shape| {
            fri(&mut shape.settings).max_log_arity = 1
        }),
        ("folding by sixteen", |shape| {
            fri(&mut shape.settings).max_log_arity = 4
        }),
        ("queries", |shape| {
            fri(&mut shape.settings).num_queries = 1024
        }),
        ("low", |shape| shape.log_heights.fill(8)),
        ("tall", |shape| shape.log_heights.fill(21)),
        ("heights", |shape| {
            (0..6).for_each(|index| shape.log_heights[index] += index);
        }),
    ];
    for hash in HashId::ALL {
        bounds("without precompiles", shape(hash, &[]));
        bounds("canonical", shape(hash, &[&R]));
    }
    // Each change with Poseidon-16 and with one of the other hashes.
    let others = HashId::ALL
        .iter()
        .filter(|hash| **hash != HashId::Poseidon16);
    for ((name, change), &other) in changes.into_iter().zip(others.cycle()) {
        for hash in [HashId::Poseidon16, other] {
            let mut shape = shape(hash, &[&R]);
            change(&mut shape);
            bounds(name, shape);
        }
    }
    // Not the table of products of words: with it, the text is longer than the compiler takes.
    for (name, precompiles) in [
        ("tables of Poseidon2", &POSEIDON2[..]),
        ("tables of signatures", &XMSS),
        ("table of weights", &WEIGHTS),
        ("table of products", &PRODUCTS),
        ("tables of Blake3", &BLAKE3),
        ("tables of Keccak", &KECCAK),
    ] {
        bounds(name, shape(HashId::Poseidon16, &[&R, precompiles]));
    }
}

/// The limit leaves room for the keys of wraps in all hashes, of the steps that bring them to the
/// canonical shape, and of a join.
#[test]
fn honest_sets_are_well_inside_the_budget() {
    for preset in [Preset::Toy, Preset::Proven100, Preset::Proven120] {
        for children in [1, 2, 3, 8] {
            let aggregator = Aggregator::for_preset(preset, children);
            let canonical = Heights::Exact(aggregator.log_heights().to_vec());
            let step = |shape: ChildShape, settings, heights: &Heights| Recipe {
                children: Children::Programs { shape, count: 1 },
                settings,
                heights: heights.clone(),
            };
            let mut recipes = vec![aggregator.join_recipe(children).unwrap()];
            for (hash, precompiles) in [
                (HashId::Poseidon16, &R[..]),
                (HashId::Poseidon2, &POSEIDON2),
                (HashId::Blake3, &BLAKE3),
                (HashId::Keccak, &KECCAK),
            ] {
                let settings = *aggregator.intermediate_settings();
                let leaf = ChildShape {
                    settings: preset.settings(3).unwrap().into(),
                    ..shape(hash, &[&R])
                };
                recipes.push(step(leaf, settings, &Heights::Minimal));
                let mut intermediate = ChildShape {
                    settings: settings.into(),
                    ..shape(HashId::Poseidon16, &[&R, &WEIGHTS, precompiles])
                };
                intermediate.log_heights.fill(18);
                recipes.push(step(intermediate, *aggregator.settings(), &canonical));
            }
            let mut sum = 0;
            for recipe in &recipes {
                recipe.check().unwrap();
                sum += recipe.cost();
            }
            println!("{preset:?}, {children} children: {sum} of {MAX_COST}");
            assert!(3 * sum <= 2 * MAX_COST, "{preset:?}, {children}: {sum}");
        }
    }
    // The join with the largest number of children.
    let aggregator = Aggregator::for_preset(Preset::Toy, 32);
    let join = aggregator.join_recipe(32).unwrap();
    join.check().unwrap();
    assert!(3 * join.cost() <= MAX_COST, "{}", join.cost());
}

/// The costliest recipe that is allowed takes bounded time and memory. The bounds leave room for a
/// machine that does other work.
#[test]
#[ignore = "20 s of CPU time: cargo test -p droste-tests --test aggregate the_budget -- --ignored"]
fn the_budget_bounds_the_work() {
    let of = |count| Recipe {
        settings: WhirSettings {
            log_block: 20,
            ..WhirSettings::toy()
        },
        heights: Heights::Uniform(20),
        ..recipe(widest_over_whir(), count)
    };
    let largest = (1..=MAX_CHILDREN)
        .map(of)
        .rfind(|recipe| recipe.check().is_ok());
    let largest = largest.unwrap();
    let start = clock_gettime(ClockId::ProcessCPUTime);
    let (derived, bytes) = process_peak(|| largest.derive());
    let seconds = clock_gettime(ClockId::ProcessCPUTime).tv_sec - start.tv_sec;
    let (cost, megabytes) = (largest.cost(), bytes >> 20);
    println!("a cost of {cost}: {seconds} s of CPU time, {megabytes} MB");
    derived.unwrap();
    assert!(seconds < 120 && megabytes < 2048);
}
