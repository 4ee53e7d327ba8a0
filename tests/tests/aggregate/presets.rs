//! Presets have the bits that their names promise.

use droste_native::stark::security::{BIRTHDAY, Preset};
use droste_native::{Blake3Suite, FriSettings, KeccakSuite, Poseidon2Suite, Poseidon16Suite};
use droste_verifier::aggregate::{AggregateError, Aggregator, RunFigures, VerifiedProof};
use droste_verifier::keys::{ChildShape, Children, Deriver};
use droste_verifier::tape::TapeSuite;
use droste_vm::fri::Proof;
use droste_vm::key::KeyHeights;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::whir::Verifier;

use crate::{ANY, leaf, unverified, verified, whir};

/// The verifier of recursion proofs of this shape.
fn verifier(shape: &ChildShape) -> Verifier<StandardTables> {
    let heights = if shape.fixed {
        KeyHeights::Fixed(shape.log_heights.clone())
    } else {
        KeyHeights::Free
    };
    let program = shape.tables.iter().position(|name| name == "program");
    let program = shape.log_heights[program.unwrap()];
    let settings = *whir(&mut shape.settings.clone());
    Verifier::of_machine(settings, &shape.tables, heights, program).unwrap()
}

/// At every arity for which there are joins, which are those whose rows of the stack have
/// at most 2^20 cells: they have the bits of their presets, and fit by the estimates.
#[test]
fn canonical_shapes_have_the_bits_of_their_presets() {
    for (preset, level, largest) in [
        (Preset::Toy, 0.0, 64),
        (Preset::Proven100, 101.0, 32),
        (Preset::Proven120, 124.0, 16),
        (Preset::Proven128, 128.0, 16),
    ] {
        for children in [1, 2, 3, 4, 8, 9, 16, 17, 32, 33, 64] {
            let aggregator = Aggregator::for_preset(preset, children);
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
            let verifier = verifier(&shape);
            // Plonky3 has no parameters for longer codewords where `usize` has 32 bits, as in a
            // browser.
            let (scheme, _) = verifier.shape(&shape.log_heights).unwrap();
            let stack = scheme.schedule().stack;
            assert!(
                stack.variables + stack.log_blowup < 32,
                "{preset}, {children}"
            );
            let security = verifier.security(&shape.log_heights).unwrap();
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

/// Proofs of intermediate shape have the preset's bits, also where verifying a larger proof takes
/// four times the rows. `too_many` says at which presets there are no settings for so many cells.
fn steps_have_the_bits<H: TapeSuite>(times: &[usize], too_many: &[Preset])
where
    StandardTables: Provable<H>,
{
    for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
        let aggregator = Aggregator::for_preset(preset, 1);
        let leaf = verified(leaf::<H>("factorial", 5, preset.settings(2).unwrap()));
        let figures = RunFigures::of_proof(aggregator.circuits(), &leaf).unwrap();
        for &times in times {
            let mut figures = figures.clone();
            for (name, rows) in &mut figures.rows {
                *rows *= if name == "program" { 1 } else { times };
            }
            let step = match aggregator.step_outlook(&figures) {
                Err(AggregateError::TooManyCells) => {
                    assert!(too_many.contains(&preset), "{preset}, {}", H::NAME);
                    continue;
                }
                step => step.unwrap(),
            };
            assert!(!too_many.contains(&preset), "{preset}, {}", H::NAME);
            let shape = step.shape;
            let security = verifier(&shape).security(&shape.log_heights).unwrap();
            println!("{preset}, {}, {times}: {:?}", H::NAME, shape.settings);
            assert!(
                preset.is_reached_by(&security),
                "{preset}, {}, {times}: {:.2}, {security:?}",
                H::NAME,
                security.without.sum()
            );
        }
    }
}

/// Verifying a proof in a byte hash takes so many lookups that `proven-128` grinds for their term.
#[test]
fn steps_have_the_bits_of_their_presets() {
    steps_have_the_bits::<Poseidon16Suite>(&[1, 4], &[]);
    steps_have_the_bits::<Poseidon2Suite>(&[1, 4], &[]);
    steps_have_the_bits::<Blake3Suite>(&[1], &[]);
    steps_have_the_bits::<KeccakSuite>(&[1], &[]);
}

/// A run that needs more cells than one proof commits to is refused by name.
#[test]
fn runs_of_too_many_cells_are_refused() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 1);
    let leaf = verified(leaf::<Poseidon16Suite>("factorial", 5, crate::toy()));
    let mut figures = RunFigures::of_proof(aggregator.circuits(), &leaf).unwrap();
    aggregator.step_outlook(&figures).unwrap();
    for (_, rows) in &mut figures.rows {
        *rows = 1 << 40;
    }
    let refusal = aggregator.step_outlook(&figures).unwrap_err();
    assert!(matches!(refusal, AggregateError::TooManyCells), "{refusal}");
}

/// Joins fit the canonical shapes, which have the bits of their presets, and leave few
/// of their rows empty.
#[test]
fn joins_fit_the_canonical_shapes_of_their_presets() {
    fit(&[(Preset::Toy, 2), (Preset::Proven100, 1)]);
}

/// The same for more children and bits.
#[test]
#[ignore = "two minutes of CPU time: cargo test -p droste-tests --test aggregate larger_joins -- --ignored"]
fn larger_joins_fit_the_canonical_shapes_of_their_presets() {
    fit(&[
        (Preset::Proven100, 2),
        (Preset::Proven100, 4),
        (Preset::Proven120, 1),
        (Preset::Proven120, 2),
        (Preset::Proven120, 4),
        (Preset::Proven128, 1),
    ]);
}

/// A proof whose verification needs more rows than R has goes through one of intermediate shape.
#[test]
fn larger_runs_reach_the_canonical_shapes() {
    larger_runs(1, 1);
}

/// So does one of more than 2^16 rows, at blowup 2.
#[test]
#[ignore = "half a minute of CPU time: cargo test -p droste-tests --test aggregate long_runs -- --ignored"]
fn long_runs_reach_the_canonical_shapes() {
    larger_runs(2, 2);
}

/// Wraps a proof with so many times the queries of its preset for joins of `children`.
fn larger_runs(children: usize, times: usize) {
    let settings = Preset::Proven100.settings(1).unwrap();
    let settings = FriSettings {
        num_queries: times * settings.num_queries,
        ..settings
    };
    let leaf = verified(leaf::<Poseidon16Suite>("factorial", 5, settings));
    let steps = steps(Preset::Proven100, children, &leaf);
    assert_eq!(steps, [false, true]);
}

/// At the least heights there are.
#[test]
fn a_byte_hash_reaches_the_smallest_canonical_shape() {
    let settings = Preset::Toy.settings(2).unwrap();
    let leaf = verified(leaf::<Blake3Suite>("factorial", 5, settings));
    let steps = steps(Preset::Toy, 1, &leaf);
    assert_eq!((steps.first(), steps.last()), (Some(&false), Some(&true)));
}

/// So does one of proven security.
#[test]
#[ignore = "two minutes of CPU time: cargo test -p droste-tests --test aggregate byte_hashes_reach -- --ignored"]
fn byte_hashes_reach_the_canonical_shapes() {
    for preset in [Preset::Proven100, Preset::Proven120] {
        let leaf = verified(leaf::<Blake3Suite>(
            "factorial",
            5,
            preset.settings(2).unwrap(),
        ));
        for children in [1, 2, 4] {
            let steps = steps(preset, children, &leaf);
            assert!((2..=4).contains(&steps.len()), "{preset}, {children}");
        }
    }
}

/// Wraps a leaf; whether the proof of each step is canonical. The wrap has the preset's bits, and
/// its keys are those of their recipes.
fn steps<H: TapeSuite>(preset: Preset, children: usize, leaf: &VerifiedProof<Proof<H>>) -> Vec<bool>
where
    StandardTables: Provable<H>,
{
    let aggregator = Aggregator::for_preset(preset, children);
    let wrap = aggregator.wrap(leaf).unwrap();
    let accepted = wrap.accepted();
    assert!(accepted.bits >= preset.target_bits(), "{accepted:?}");
    let derived = unverified(&wrap).derive(&Deriver::new(), ANY).unwrap();
    assert_eq!(derived.keys(), wrap.keys());
    wrap.steps().iter().map(|step| step.canonical).collect()
}

fn fit(shapes: &[(Preset, usize)]) {
    for &(preset, children) in shapes {
        let aggregator = Aggregator::for_preset(preset, children);
        let leaf = leaf::<Poseidon16Suite>("factorial", 5, preset.settings(2).unwrap());
        let wrap = aggregator.wrap(&verified(leaf)).unwrap();
        for step in wrap.steps() {
            println!(
                "{preset}, {children}: {} cycles, canonical: {}",
                step.cycles, step.canonical
            );
        }
        let bits = wrap.accepted().root.security.bits();
        assert!(bits >= preset.target_bits(), "{preset}, {children}: {bits}");
        let proof = wrap.proof();
        let shape = ChildShape::new(&proof.key, &proof.log_heights);
        let circuit = aggregator.circuits().circuit(shape, children).unwrap();
        assert!(circuit.bits() >= preset.target_bits());
        let run = circuit.execute(&vec![proof; children]).unwrap();
        let rows = circuit.needed_rows(&run).unwrap();
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
                *rows <= 1 << log_height,
                "{preset}, {children}, {table}: {rows}"
            );
        }
    }
}
