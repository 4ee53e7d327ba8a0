//! What the names of presets promise.

use droste_native::security::Preset;
use droste_native::{Blake3Family, KeccakFamily, Poseidon16Family};
use droste_verifier::aggregate::{Aggregator, PRECOMPILES};
use droste_verifier::recursion::Recursion;
use droste_verifier::tape::TapeFamily;
use droste_vm::compiler::compile;
use droste_vm::heights::Heights;
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::log_heights;
use droste_vm::tables::Table;
use droste_vm::verifier::Verifier;

use crate::{leaf, verified};

/// A preset's name is a promise about every proof that is home, its reduced number of queries included.
#[test]
fn homes_have_the_bits_of_their_presets() {
    let program = compile(droste_programs::source("factorial").unwrap(), &[])
        .unwrap()
        .program;
    for (preset, children, bits) in [
        (Preset::Proven100, 1, 100),
        (Preset::Proven100, 2, 100),
        (Preset::Proven100, 4, 100),
        (Preset::Proven120, 1, 120),
        (Preset::Proven120, 2, 120),
    ] {
        let aggregator = Aggregator::for_preset(preset, children).unwrap();
        let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
            &program,
            &PRECOMPILES.into(),
            *aggregator.settings(),
            Heights::Exact(aggregator.log_heights().to_vec()),
        )
        .unwrap();
        let verifier = Verifier::<_, StandardTables>::new(key.key().clone()).unwrap();
        let (_, security) = verifier.shape(aggregator.log_heights()).unwrap();
        assert!(
            security.bits() >= bits,
            "{preset}, {children}: {}",
            security.bits()
        );
    }
}

/// The same promise about the larger proofs on the way home.
fn steps_have_the_bits<H: TapeFamily>()
where
    StandardTables: Provable<H>,
{
    for (preset, children, bits) in [
        (Preset::Proven100, 1, 100),
        (Preset::Proven100, 2, 100),
        (Preset::Proven120, 1, 120),
    ] {
        let aggregator = Aggregator::for_preset(preset, children).unwrap();
        let leaf = leaf::<H>("factorial", 5, preset.settings(2).unwrap());
        let verifier = Verifier::<H, StandardTables>::new(leaf.key.clone()).unwrap();
        let wrap = Recursion::new(&verifier, &leaf.batch.degree_bits, 1).unwrap();
        let execution = wrap.execute(&[&leaf]).unwrap();
        let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
            &wrap.compiled().program,
            &PRECOMPILES.into(),
            *aggregator.settings_away(H::ID),
            Heights::Minimal,
        )
        .unwrap();
        // Larger proofs are verified in more rows.
        let heights: Vec<usize> = log_heights(&key, &execution)
            .unwrap()
            .iter()
            .zip(key.machine().tables())
            .map(|(log_height, table)| log_height + 2 * usize::from(table.name() != "program"))
            .collect();
        let verifier =
            Verifier::<Poseidon16Family, StandardTables>::new(key.key().clone()).unwrap();
        let (_, security) = verifier.shape(&heights).unwrap();
        let found = security.bits();
        assert!(found >= bits, "{preset}, {children}, {}: {found}", H::NAME);
    }
}

#[test]
fn steps_have_the_bits_of_their_presets() {
    steps_have_the_bits::<Poseidon16Family>();
    steps_have_the_bits::<Blake3Family>();
    steps_have_the_bits::<KeccakFamily>();
}

/// Whether verifying `children` copies of a proof that is `from`'s home fits the home of `to`.
fn fits(from: &Aggregator, children: usize, to: &Aggregator) -> bool {
    let leaf = leaf::<Poseidon16Family>("factorial", 5, *from.settings());
    let wrap = from.wrap(&verified(leaf), |_| ()).unwrap();
    assert!(from.is_home(wrap.proof()));
    let verifier = Verifier::<_, StandardTables>::new(wrap.proof().key.clone()).unwrap();
    let degree_bits = &wrap.proof().batch.degree_bits;
    let join = Recursion::new(&verifier, degree_bits, children).unwrap();
    let execution = join.execute(&vec![wrap.proof(); children]).unwrap();
    let key = ProvingKey::<Poseidon16Family, StandardTables>::with_precompiles(
        &join.compiled().program,
        &PRECOMPILES.into(),
        *to.settings(),
        Heights::Exact(to.log_heights().to_vec()),
    )
    .unwrap();
    log_heights(&key, &execution).is_ok()
}

/// Joins of one and of two children fill their homes almost: whoever lengthens a query sees it here.
#[test]
fn joins_fit_the_homes_of_their_presets() {
    for (preset, children) in [
        (Preset::Proven100, 1),
        (Preset::Proven100, 2),
        (Preset::Proven120, 1),
    ] {
        let home = Aggregator::for_preset(preset, children).unwrap();
        assert!(fits(&home, children, &home), "{preset}, {children}");
    }
    // The way home for proofs in Blake3 and Keccak where a join takes one.
    let [one, two] =
        [1, 2].map(|children| Aggregator::for_preset(Preset::Proven100, children).unwrap());
    assert!(fits(&two, 1, &one));
}
