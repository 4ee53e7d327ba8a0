//! Presets have the bits that their names promise.

use droste_native::stark::security::{BIRTHDAY, Preset};
use droste_native::{
    Blake3Suite, FriSettings, HashId, KeccakSuite, Poseidon2Suite, Poseidon16Suite,
};
use droste_verifier::aggregate::{Aggregate, Aggregator, RunFigures, VerifiedProof};
use droste_verifier::circuit::PRECOMPILES;
use droste_verifier::circuit::{ChildShape, ProgramCircuit, RecursionProof};
use droste_verifier::keys::{Children, Deriver, MAX_CHILDREN};
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::compile;
use droste_vm::heights::Heights;
use droste_vm::key::{KeyHeights, ProvingKey};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::{Proof, log_heights};
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::tables::Table;
use droste_vm::verifier::Verifier;
use droste_vm::whir;

use crate::{ANY, fri, leaf, unverified, verified};

/// Every proof of canonical shape has the preset's bits, also at the reduced number of queries.
#[test]
fn canonical_shapes_have_the_bits_of_their_presets() {
    let program = compile(droste_programs::source("factorial").unwrap(), &[])
        .unwrap()
        .program;
    for (preset, children) in [
        (Preset::Proven100, 1),
        (Preset::Proven100, 2),
        (Preset::Proven100, 4),
        (Preset::Proven120, 1),
        (Preset::Proven120, 2),
        (Preset::Proven128, 1),
    ] {
        let aggregator = Aggregator::for_preset(preset, children, Stack::Fri).unwrap();
        let key = ProvingKey::<Poseidon16Suite, StandardTables>::with_precompiles(
            &program,
            &PRECOMPILES.into(),
            *aggregator.leaf_settings(),
            Heights::Exact(aggregator.log_heights().to_vec()),
        )
        .unwrap();
        let verifier = Verifier::<_, StandardTables>::new(key.key().clone()).unwrap();
        let (_, security) = verifier.shape(aggregator.log_heights()).unwrap();
        assert!(
            preset.is_reached_by(&security),
            "{preset}, {children}: {:.2}, {security:?}",
            security.without.sum()
        );
    }
}

/// At every arity for which there are joins: a plan whose results had fewer bits would refuse them.
#[test]
fn canonical_shapes_of_all_arities_have_the_bits_of_their_presets() {
    for preset in Preset::ALL {
        let mut before = None;
        for children in 1..=MAX_CHILDREN {
            let aggregator = Aggregator::for_preset(preset, children, Stack::Fri).unwrap();
            let recipe = aggregator.join_recipe(children).unwrap();
            let shape = (
                *aggregator.leaf_settings(),
                aggregator.log_heights().to_vec(),
            );
            if before.as_ref() == Some(&shape) {
                continue;
            }
            let Children::Programs { shape: child, .. } = recipe.children else {
                panic!("{preset}, {children}");
            };
            let verifier = Verifier::<Poseidon16Suite, StandardTables>::of_machine(
                *fri(&mut child.settings.clone()),
                &child.tables,
                KeyHeights::Fixed(child.log_heights.clone()),
                child.log_heights[3],
            );
            let (_, security) = verifier.unwrap().shape(&child.log_heights).unwrap();
            assert!(
                preset.is_reached_by(&security) && security.bits() >= preset.target_bits(),
                "{preset}, {children}: {:.2}, {:?}",
                security.without.sum(),
                security.without.weakest()
            );
            before = Some(shape);
        }
    }
}

/// At every arity for which there are joins over WHIR, which are those whose rows of the stack have
/// at most 2^20 cells: they have the bits of their presets, and fit by the estimates.
#[test]
fn canonical_shapes_over_whir_have_the_bits_of_their_presets() {
    for (preset, level, largest) in [
        (Preset::Toy, 0.0, 32),
        (Preset::Proven100, 101.0, 32),
        (Preset::Proven120, 124.0, 16),
        (Preset::Proven128, 128.0, 16),
    ] {
        for children in [1, 2, 3, 4, 8, 9, 16, 17, 32, 33, 64] {
            let aggregator = Aggregator::for_preset(preset, children, Stack::Whir).unwrap();
            let recipe = aggregator.join_recipe(children).unwrap();
            assert_eq!(
                recipe.check().is_ok(),
                children <= largest,
                "{preset}, {children}"
            );
            if children > largest {
                continue;
            }
            let Children::Programs { shape, .. } = recipe.children else {
                panic!("{preset}, {children}");
            };
            let StackSettings::Whir(settings) = shape.settings else {
                panic!("{preset}, {children}");
            };
            let verifier = whir::Verifier::<StandardTables>::of_machine(
                settings,
                &shape.tables,
                KeyHeights::Fixed(shape.log_heights.clone()),
                shape.log_heights[4],
            );
            let security = verifier.unwrap().security(&shape.log_heights).unwrap();
            let (without, with) = (security.without.sum(), security.with.sum());
            println!("{preset}, {children}: {without:.2} and {with:.2} bits of the sum");
            assert!(without <= with);
            assert!(
                preset.is_reached_by(&security),
                "{preset}, {children}: {security:?}"
            );
            // Neither bound on proximity gaps leaves a term of the protocol below the level.
            for term in security.without.terms.iter().chain(&security.with.terms) {
                let reaches = term.bits >= level || term.theorem == BIRTHDAY;
                assert!(reaches, "{preset}, {children}: {term:?}");
            }
            let cycles = aggregator.join_outlook(children).unwrap().cycles;
            assert!(cycles <= 1 << shape.log_heights[0], "{preset}, {children}");
        }
    }
}

/// By the estimates, for arities whose proofs would take long to make: a join that does not fit
/// would be refused after all wraps were made.
#[test]
fn joins_of_all_arities_fit_by_the_estimates() {
    for (preset, largest) in [
        (Preset::Toy, MAX_CHILDREN),
        (Preset::Proven100, 22),
        (Preset::Proven120, 20),
        (Preset::Proven128, 15),
    ] {
        for children in 1..=MAX_CHILDREN {
            let aggregator = Aggregator::for_preset(preset, children, Stack::Fri).unwrap();
            let recipe = aggregator.join_recipe(children).unwrap();
            assert_eq!(
                recipe.check().is_ok(),
                children <= largest,
                "{preset}, {children}"
            );
            if children > largest {
                continue;
            }
            // Of all tables, that of the blocks is fullest: it takes five rows for four cycles.
            let cycles = aggregator.join_outlook(children).unwrap().cycles;
            let share = cycles as f64 * 5.0 / 4.0 / f64::from(1 << aggregator.log_heights()[5]);
            // Joins of one, two and four, which are made in another test, do not quite reach it.
            assert!(share <= 1.005, "{preset}, {children}: {share}");
        }
    }
}

/// Proofs of intermediate shape, which are larger, have the preset's bits too.
fn steps_have_the_bits<H: TapeSuite>()
where
    StandardTables: Provable<H>,
{
    for (preset, children) in [
        (Preset::Proven100, 1),
        (Preset::Proven100, 2),
        (Preset::Proven120, 1),
        (Preset::Proven128, 1),
    ] {
        let aggregator = Aggregator::for_preset(preset, children, Stack::Fri).unwrap();
        let leaf = leaf::<H>("factorial", 5, preset.settings(2).unwrap());
        let verifier = Verifier::<H, StandardTables>::new(leaf.key.clone()).unwrap();
        let wrap = ProgramCircuit::new(&verifier, &leaf.batch.degree_bits, 1).unwrap();
        let execution = wrap.execute(&[&leaf]).unwrap();
        let key = ProvingKey::<Poseidon16Suite, StandardTables>::with_precompiles(
            &wrap.compiled().program,
            &PRECOMPILES.into(),
            *aggregator.intermediate_settings(H::ID),
            Heights::Minimal,
        )
        .unwrap();
        // Verifying a larger proof takes more rows.
        let heights: Vec<usize> = log_heights(&key, &execution)
            .unwrap()
            .iter()
            .zip(key.machine().tables())
            .map(|(log_height, table)| log_height + 2 * usize::from(table.name() != "program"))
            .collect();
        let verifier = Verifier::<Poseidon16Suite, StandardTables>::new(key.key().clone()).unwrap();
        let (_, security) = verifier.shape(&heights).unwrap();
        assert!(
            preset.is_reached_by(&security),
            "{preset}, {children}, {}: {:.2}, {security:?}",
            H::NAME,
            security.without.sum()
        );

        let aggregator = Aggregator::for_preset(preset, children, Stack::Whir).unwrap();
        let figures = RunFigures {
            shape: ChildShape::new(&leaf.key, &leaf.batch.degree_bits),
            count: 1,
            rows: wrap.filled_rows(&execution).unwrap(),
            cycles: execution.cycles.len(),
            exact: true,
        };
        let step = aggregator.step_outlook(&figures).unwrap();
        let StackSettings::Whir(settings) = step.recipe.settings else {
            // There are no settings for so many cells with so many bits.
            assert!(H::ID == HashId::Keccak && preset == Preset::Proven128);
            continue;
        };
        let shape = step.shape;
        let program = shape.tables.iter().position(|name| name == "program");
        let verifier = whir::Verifier::<StandardTables>::of_machine(
            settings,
            &shape.tables,
            KeyHeights::Free,
            shape.log_heights[program.unwrap()],
        );
        let security = verifier.unwrap().security(&shape.log_heights).unwrap();
        println!(
            "{preset}, {children}, {}: {:.2}",
            H::NAME,
            security.without.sum()
        );
        assert!(
            preset.is_reached_by(&security),
            "{preset}, {children}, {}: {security:?}",
            H::NAME
        );
    }
}

#[test]
fn steps_have_the_bits_of_their_presets() {
    steps_have_the_bits::<Poseidon16Suite>();
    steps_have_the_bits::<Poseidon2Suite>();
    steps_have_the_bits::<Blake3Suite>();
    steps_have_the_bits::<KeccakSuite>();
}

/// Over WHIR: joins fit the canonical shapes, which have the bits of their presets, and leave few
/// of their rows empty.
#[test]
fn joins_over_whir_fit_the_canonical_shapes_of_their_presets() {
    fit_over_whir(&[(Preset::Toy, 2), (Preset::Proven100, 1)]);
}

/// The same for more children and bits.
#[test]
#[ignore = "two minutes of CPU time: cargo test -p droste-tests --test aggregate larger_joins -- --ignored"]
fn larger_joins_over_whir_fit_the_canonical_shapes_of_their_presets() {
    fit_over_whir(&[
        (Preset::Proven100, 2),
        (Preset::Proven100, 4),
        (Preset::Proven120, 1),
        (Preset::Proven120, 2),
        (Preset::Proven120, 4),
        (Preset::Proven128, 1),
    ]);
}

/// A proof whose verification fills more rows than R has goes through one over WHIR, at blowup 2 if
/// there are more than 2^16.
#[test]
fn larger_runs_reach_the_canonical_shapes_over_whir() {
    let settings = Preset::Proven100.settings(1).unwrap();
    for (children, times) in [(1, 1), (2, 2)] {
        let settings = FriSettings {
            num_queries: times * settings.num_queries,
            ..settings
        };
        let leaf = verified(leaf::<Poseidon16Suite>("factorial", 5, settings));
        let steps = steps_over_whir(Preset::Proven100, children, &leaf);
        assert_eq!(steps, [(Stack::Whir, false), (Stack::Whir, true)]);
    }
}

/// At the least heights there are.
#[test]
fn a_byte_hash_reaches_the_smallest_canonical_shape() {
    let settings = Preset::Toy.settings(2).unwrap();
    let leaf = verified(leaf::<Blake3Suite>("factorial", 5, settings));
    let steps = steps_over_whir(Preset::Toy, 1, &leaf);
    assert_eq!(steps.first(), Some(&(Stack::Whir, false)));
    assert_eq!(steps.last(), Some(&(Stack::Whir, true)));
}

/// The first step of which has a machine with that hash's tables.
#[test]
#[ignore = "two minutes of CPU time: cargo test -p droste-tests --test aggregate byte_hashes_reach -- --ignored"]
fn byte_hashes_reach_the_canonical_shapes_over_whir() {
    for preset in [Preset::Proven100, Preset::Proven120] {
        let leaf = verified(leaf::<Blake3Suite>(
            "factorial",
            5,
            preset.settings(2).unwrap(),
        ));
        for children in [1, 2, 4] {
            let steps = steps_over_whir(preset, children, &leaf);
            assert!((2..=4).contains(&steps.len()), "{preset}, {children}");
            assert!(steps.iter().all(|(stack, _)| *stack == Stack::Whir));
        }
    }
}

/// Wraps a leaf; whether the proof of each step is over FRI or WHIR, and is canonical. The wrap has
/// the preset's bits, and its keys are those of their recipes.
fn steps_over_whir<H: TapeSuite>(
    preset: Preset,
    children: usize,
    leaf: &VerifiedProof<Proof<H>>,
) -> Vec<(Stack, bool)>
where
    StandardTables: Provable<H>,
{
    let aggregator = Aggregator::for_preset(preset, children, Stack::Whir).unwrap();
    let wrap = aggregator.wrap(leaf).unwrap();
    let accepted = wrap.accepted();
    assert!(accepted.bits >= preset.target_bits(), "{accepted:?}");
    let derived = unverified(&wrap).derive(&Deriver::new(), ANY).unwrap();
    assert_eq!(derived.keys(), wrap.keys());
    let steps = wrap.steps().iter();
    steps.map(|step| (step.stack, step.canonical)).collect()
}

fn fit_over_whir(shapes: &[(Preset, usize)]) {
    for &(preset, children) in shapes {
        let aggregator = Aggregator::for_preset(preset, children, Stack::Whir).unwrap();
        let leaf = leaf::<Poseidon16Suite>("factorial", 5, *aggregator.leaf_settings());
        let wrap = aggregator.wrap(&verified(leaf)).unwrap();
        for step in wrap.steps() {
            println!(
                "{preset}, {children}: {} cycles, canonical: {}",
                step.cycles, step.canonical
            );
        }
        let bits = wrap.accepted().root.bits();
        assert!(bits >= preset.target_bits(), "{preset}, {children}: {bits}");
        let RecursionProof::Whir(proof) = wrap.proof() else {
            panic!("a wrap over FRI");
        };
        let shape = wrap.proof().shape();
        let circuit = aggregator.circuits();
        let circuit = circuit
            .multilinear::<Poseidon16Suite>(shape, children)
            .unwrap();
        assert!(circuit.bits() >= preset.target_bits());
        let run = circuit.execute(&vec![proof; children]).unwrap();
        let rows = circuit.filled_rows(&run).unwrap();
        let outlook = aggregator.join_outlook(children).unwrap();
        let share = outlook.cycles as f64 / run.cycles.len() as f64;
        assert!(
            (0.8..1.25).contains(&share),
            "{preset}, {children}: {share}"
        );
        println!(
            "{preset}, {children}: {} cycles, {} instructions, {rows:?} of {:?}, {bits} bits",
            run.cycles.len(),
            circuit.compiled().program.instructions.len(),
            aggregator.log_heights(),
        );
        for ((table, rows), log_height) in rows.iter().zip(aggregator.log_heights()) {
            assert!(
                *rows < 1 << log_height,
                "{preset}, {children}, {table}: {rows}"
            );
        }
    }
}

/// A wrap of an aggregator's canonical shape.
fn wrap(aggregator: &Aggregator) -> Aggregate {
    let leaf = leaf::<Poseidon16Suite>("factorial", 5, *aggregator.leaf_settings());
    let wrap = aggregator.wrap(&verified(leaf)).unwrap();
    assert!(aggregator.is_canonical(wrap.proof()));
    wrap
}

/// Whether verifying `children` copies of a wrap fits the canonical shape of `to`.
fn fits(wrap: &Aggregate, children: usize, to: &Aggregator) -> bool {
    let RecursionProof::Fri(proof) = wrap.proof() else {
        panic!("a wrap over WHIR");
    };
    let verifier = Verifier::<_, StandardTables>::new(proof.key.clone()).unwrap();
    let degree_bits = &proof.batch.degree_bits;
    let join = ProgramCircuit::new(&verifier, degree_bits, children).unwrap();
    let execution = join.execute(&vec![proof; children]).unwrap();
    let key = ProvingKey::<Poseidon16Suite, StandardTables>::with_precompiles(
        &join.compiled().program,
        &PRECOMPILES.into(),
        *to.leaf_settings(),
        Heights::Exact(to.log_heights().to_vec()),
    )
    .unwrap();
    log_heights(&key, &execution).is_ok()
}

/// Joins of one, two and four children almost fill the canonical shape, so this test fails if the
/// code of a query gets longer.
#[test]
fn joins_fit_the_canonical_shapes_of_their_presets() {
    let own = |preset, children| {
        let aggregator = Aggregator::for_preset(preset, children, Stack::Fri).unwrap();
        let wrap = wrap(&aggregator);
        assert!(fits(&wrap, children, &aggregator), "{preset}, {children}");
        (aggregator, wrap)
    };
    own(Preset::Proven120, 1);
    let (one, _) = own(Preset::Proven100, 1);
    let (_, of_two) = own(Preset::Proven100, 2);
    own(Preset::Proven100, 4);
    // With joins of one, proofs in Blake3 and Keccak reach the canonical shape through that of
    // joins of two.
    assert!(fits(&of_two, 1, &one));
}
