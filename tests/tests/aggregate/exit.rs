//! The last proof of a chain, in Keccak.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId, KeccakSuite};
use droste_verifier::aggregate::{AggregateError, Aggregator, exit_settings, exit_statement};
use droste_verifier::proofs::{self, Known};
use droste_vm::key::KeyHeights;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Verifier};

use crate::{TOYS, aggregator};

#[test]
fn an_exit_says_the_claim_and_is_verified_as_any_proof() {
    let settings = WhirSettings::of_exit(Preset::Toy);
    let exit = |aggregate| aggregator().exit(aggregate, settings).unwrap();
    let outer = exit(&TOYS.outer);
    // A contract relies on it: one key for all aggregates of the shape.
    assert_eq!(exit(&TOYS.inner).proof.key, outer.proof.key);
    let statement = exit_statement(&TOYS.outer);
    assert_eq!(outer.proof.statement, statement);
    let before = TOYS.outer.accepted();
    assert_eq!(outer.accepted.proofs, before.proofs + 1);
    assert!(outer.accepted.tree_bits <= before.tree_bits);

    let bytes = whir::encode(&outer.proof).unwrap();
    let key = outer.proof.key.digest();
    let insecure = VerifyOptions::min_bits(0);
    let verify = |bytes: &[u8], key, statement: &[F]| {
        proofs::verify(bytes, Known::Key(key), statement, insecure)
    };
    let says = verify(&bytes, key, &statement).unwrap();
    assert_eq!(says.hash, HashId::Keccak);
    let other = exit_statement(&TOYS.inner);
    verify(&bytes, key, &other).unwrap_err();
    verify(&bytes, before.root.key, &statement).unwrap_err();
    // The proof with the statement of another aggregate.
    let mut forged = outer.proof;
    forged.statement = other;
    verify(&whir::encode(&forged).unwrap(), key, &other).unwrap_err();
}

/// At the heights of last proofs of joins of two and of chains: the sum of all terms has the bits
/// that the name of the preset promises, in rows of the length that makes the shortest proof. In
/// rows as long as the tallest table, those of chains would be 7 kB longer.
#[test]
fn last_proofs_are_short_and_have_the_bits_of_their_presets() {
    let tables = [
        "cpu",
        "ext",
        "poseidon16",
        "power_weights",
        "program",
        "words",
        "blocks",
    ];
    let names = tables.map(str::to_owned);
    let joins = [14, 14, 13, 12, 14, 12, 15];
    let chains = [14, 14, 13, 12, 14, 12, 14];
    for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
        for log_heights in [joins, chains] {
            let settings = exit_settings(WhirSettings::of_exit(preset), &log_heights);
            assert_eq!(settings.log_block, 15);
            let verifier = |settings| {
                let heights = KeyHeights::Fixed(log_heights.to_vec());
                Verifier::<StandardTables, KeccakSuite>::of_machine(settings, &names, heights, 14)
                    .unwrap()
            };
            let security = verifier(settings).security(&log_heights).unwrap();
            assert!(preset.is_reached_by(&security), "{preset}: {security:?}");
            let bytes = |log_block| {
                let settings = WhirSettings {
                    log_block,
                    ..settings
                };
                let (scheme, _) = verifier(settings).shape(&log_heights).unwrap();
                scheme.most_bytes()
            };
            let others = (log_heights[6]..=17).filter(|&log_block| log_block != 15);
            for log_block in others {
                assert!(bytes(log_block) > bytes(15), "{preset}: {log_block}");
            }
            if log_heights == chains {
                assert!(bytes(14) - bytes(15) > 7_000, "{preset}");
            }
        }
    }
    // Small proofs are shortest in rows as long as their tallest table.
    let toy = [13, 14, 11, 8, 13, 7, 14];
    let settings = exit_settings(WhirSettings::of_exit(Preset::Toy), &toy);
    assert_eq!(settings.log_block, 14);
}

#[test]
fn only_aggregates_of_the_canonical_shape_have_an_exit() {
    let other = Aggregator::for_preset(Preset::Proven100, 2);
    let settings = WhirSettings::of_exit(Preset::Proven100);
    let refused = other.exit(&TOYS.outer, settings).unwrap_err();
    assert!(
        matches!(refused, AggregateError::OtherShape { .. }),
        "{refused}"
    );
}
