//! Keys and a node of a fold without leaves: the example `repeat`.

use droste_native::F;
use droste_native::precompile::poseidon16_compress;
use droste_native::stark::security::Preset;
use droste_verifier::file;
use droste_verifier::fold::{Child, Fold, Options, Source};
use droste_vm::executor::Tape;
use droste_vm::key::KeyDigest;
use p3_field::PrimeCharacteristicRing;

use crate::data::Found;
use crate::instructions::Instructions;

/// The first value.
const FIRST: [F; 8] = F::new_array([1, 2, 3, 4, 5, 6, 7, 8]);

fn fold(preset: Preset) -> Fold {
    let text = droste_programs::fold_source("repeat").unwrap();
    let source = Source::new("repeat", text).unwrap();
    Fold::of(source, preset).build().unwrap()
}

/// At toy and at the default preset; a node above the first one.
#[test]
fn folds() {
    let mut found = Found::new("folds");
    for preset in [Preset::Toy, Preset::Proven120] {
        let fold = fold(preset);
        found.add(&format!("{preset}.key"), fold.key());
        for rule in fold.rules() {
            let circuit = fold.circuit(&rule.name).unwrap();
            let name = format!("{preset}.{}", rule.name);
            found.add(&name, Instructions::of(circuit.compiled()));
        }
    }
    let fold = fold(Preset::Toy);
    let mut first = Tape::default();
    first.slice(&[FIRST]);
    let start = fold.prove("start", &[], &first).unwrap();
    let step = fold.prove("step", &[Child::Node(&start)], &Tape::default());
    found.add_file("step", file::fold::encode(&step.unwrap()).unwrap());
    found.compare();
}

/// Whether the kept file says, under this fold key, that the function was applied to the first value
/// a hundred times.
pub fn is_accepted(key: KeyDigest, bytes: &[u8]) -> bool {
    let mut last = FIRST;
    for _ in 0..100 {
        last = poseidon16_compress(&last, &last);
    }
    let mut times = [F::ZERO; 8];
    times[0] = F::from_u32(100);
    let options = Options::min_bits(0).with_state(vec![FIRST, last, times]);
    let fold = file::fold::decode(bytes).unwrap();
    fold.verify(key, &options.with_max_proofs(2)).is_ok()
}
