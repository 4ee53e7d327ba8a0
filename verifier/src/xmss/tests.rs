use droste_gadgets::xmss::CLAIM_TAG;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::hash_signature::{Parameters, PublicKey, Signature, SignedMessage, Xmss};
use droste_native::precompile::poseidon16_compress;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, HashId};
use droste_vm::heights::Heights;
use droste_vm::key::KeyHeights;
use droste_vm::machine::StandardTables;
use droste_vm::whir::{Key, ProvingKey, Verifier};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::*;
use crate::claim::{Claim, ClaimTree};

fn key(n: u32) -> PublicKey {
    let elements = |from: u32| std::array::from_fn(|i| F::from_u32(100 * n + from + i as u32));
    PublicKey {
        root: elements(0),
        parameter: elements(50),
    }
}

fn claim(keys: u32) -> SignatureBatchClaim {
    SignatureBatchClaim {
        slot: 0x1234_5678,
        message: std::array::from_fn(|i| F::from_usize(i + 1)),
        keys: (0..keys).map(key).collect(),
    }
}

#[test]
fn members_of_a_claim_are_accepted() {
    for (keys, log_keys) in [(1, 1), (2, 1), (3, 2), (5, 3), (8, 3), (5, 4)] {
        let claim = claim(keys);
        let statement = claim.statement(log_keys).expect("it fits");
        for index in 0..keys {
            let member = claim.member(log_keys, index as usize).expect("a key");
            assert_eq!(member.key, key(index));
            assert_eq!(member.verify(log_keys, &statement), Ok(()));
        }
        assert_eq!(claim.member(log_keys, keys as usize), None);
    }
    // More keys than the program takes, none, and levels that no program has.
    for (keys, log_keys) in [(3, 1), (0, 2), (3, MAX_LOG_KEYS + 1), (3, 64)] {
        assert_eq!(claim(keys).member(log_keys, 0), None);
        assert_eq!(claim(keys).statement(log_keys), None);
    }
}

#[test]
fn a_statement_binds_everything_and_the_order() {
    let honest = claim(3);
    let mut others = vec![claim(2), claim(4)];
    others.push(SignatureBatchClaim {
        slot: honest.slot ^ 1,
        ..honest.clone()
    });
    others.push(SignatureBatchClaim {
        slot: honest.slot ^ (1 << 16),
        ..honest.clone()
    });
    let mut swapped = honest.clone();
    swapped.keys.swap(0, 1);
    others.push(swapped);
    for lane in 0..8 {
        let mut other = honest.clone();
        other.message[lane] += F::ONE;
        others.push(other);
    }
    // Keys of zeros are as good as none in the tree, but not in the number of signatures.
    let mut longer = honest.clone();
    let zero = [F::ZERO; 4];
    longer.keys.push(PublicKey {
        root: zero,
        parameter: zero,
    });
    others.push(longer);
    for other in others {
        assert_ne!(other.statement(2), honest.statement(2), "{other:?}");
    }
}

#[test]
fn what_is_not_in_a_claim_is_refused() {
    let claim = claim(3);
    let statement = claim.statement(2).expect("it fits");
    let honest = claim.member(2, 1).expect("a key");
    let refused = |edit: &dyn Fn(&mut SignatureBatchMember)| {
        let mut member = honest.clone();
        edit(&mut member);
        member.verify(2, &statement).expect_err("refused")
    };
    assert_eq!(
        refused(&|member| member.key = key(7)),
        SignatureBatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.slot += 1),
        SignatureBatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.message[0] += F::ONE),
        SignatureBatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.index = 0),
        SignatureBatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.signatures = 4),
        SignatureBatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.path[1][3] += F::ONE),
        SignatureBatchMemberError::Statement
    );
    // A node of the tree is no key, and what follows the keys has not signed.
    assert_eq!(
        refused(&|member| member.path.truncate(1)),
        SignatureBatchMemberError::Levels {
            expected: 2,
            found: 1
        }
    );
    assert_eq!(
        refused(&|member| (member.index, member.signatures) = (3, 3)),
        SignatureBatchMemberError::NotSigned {
            index: 3,
            signatures: 3
        }
    );
    assert_eq!(
        refused(&|member| (member.index, member.signatures) = (5, 9)),
        SignatureBatchMemberError::Signatures {
            signatures: 9,
            most: 4
        }
    );
}

/// Signatures that nobody verifies, by key, slot and first element of the message.
fn signed(key_number: u32, slot: u32, element: u32) -> SignedMessage {
    let mut message = [F::ZERO; 8];
    message[0] = F::from_u32(element);
    SignedMessage {
        public_key: key(key_number),
        slot,
        message,
        signature: Signature {
            randomness: [F::ZERO; 6],
            chain_values: vec![],
            path: vec![],
        },
    }
}

#[test]
fn signatures_are_grouped_in_the_order_of_their_batches() {
    let given = [
        (1, 5, 1),
        (2, 6, 1),
        (3, 5, 2),
        (4, 5, 1),
        (5, 5, 1),
        (6, 6, 1),
    ];
    let all = || given.map(|(key, slot, element)| signed(key, slot, element));
    let groups = |largest| {
        let batches = SignatureBatch::group(all(), largest).expect("batches");
        let keys = |batch: &SignatureBatch| -> Vec<PublicKey> { batch.claim().keys };
        batches.iter().map(keys).collect::<Vec<_>>()
    };
    let expected = |groups: &[&[u32]]| -> Vec<Vec<PublicKey>> {
        groups
            .iter()
            .map(|group| group.iter().copied().map(key).collect())
            .collect()
    };
    assert_eq!(groups(2), expected(&[&[1, 4], &[2, 6], &[3], &[5]]));
    assert_eq!(
        groups(1 << MAX_LOG_KEYS),
        expected(&[&[1, 4, 5], &[2, 6], &[3]])
    );
    for (given, largest, found) in [(vec![], 2, 0), (all().to_vec(), 0, 0)] {
        let refused = SignatureBatch::group(given, largest);
        assert_eq!(refused, Err(SignatureBatchProgramError::Signatures(found)));
    }
    let found = (1 << MAX_LOG_KEYS) + 1;
    let refused = SignatureBatch::group(all(), found);
    assert_eq!(refused, Err(SignatureBatchProgramError::Signatures(found)));
}

#[test]
fn members_and_wanted_signatures_are_written_as_canonical_integers() {
    let member = claim(3).member(2, 1).expect("a key");
    let text = serde_json::to_string(&member).expect("JSON");
    assert_eq!(
        serde_json::from_str::<SignatureBatchMember>(&text).expect("read"),
        member
    );
    let wanted = Wanted::from(&signed(7, 5, 1));
    let text = serde_json::to_string(&wanted).expect("JSON");
    assert_eq!(serde_json::from_str::<Wanted>(&text).expect("read"), wanted);
    let forged = text.replace("[1,0,", &format!("[{},0,", u64::from(F::ORDER_U32) + 1));
    assert_ne!(forged, text);
    let refused = serde_json::from_str::<Wanted>(&forged).expect_err("refused");
    assert_eq!(refused.to_string(), "element 0 of message is not canonical");
    let more = text.replace("{\"slot\"", "{\"signature\":[],\"slot\"");
    assert!(serde_json::from_str::<Wanted>(&more).is_err());
}

#[test]
fn programs_are_named_by_their_parameters() {
    let scheme = Xmss::new(Parameters {
        chains: 4,
        bits: 3,
        levels: 2,
        target_sum: 20,
    })
    .expect("a scheme");
    let program = SignatureBatchProgram::new(scheme, 5).expect("a program");
    assert_eq!(program.log_keys(), 3);
    assert!(
        program
            .source()
            .contains("verify_signatures::<3, 2, 8, 2>()")
    );
    assert_eq!(
        SignatureBatchProgram::new(scheme, 1)
            .expect("a program")
            .log_keys(),
        1
    );
    for signatures in [0, (1 << MAX_LOG_KEYS) + 1] {
        assert_eq!(
            SignatureBatchProgram::new(scheme, signatures),
            Err(SignatureBatchProgramError::Signatures(signatures))
        );
    }
    let wide = Xmss::new(Parameters {
        chains: 20,
        bits: 4,
        levels: 2,
        target_sum: 20,
    });
    assert_eq!(
        SignatureBatchProgram::new(wide.expect("a scheme"), 1),
        Err(SignatureBatchProgramError::Digits(4))
    );
    let long = Xmss::new(Parameters {
        chains: 50,
        bits: 3,
        levels: 2,
        target_sum: 20,
    });
    assert_eq!(
        SignatureBatchProgram::new(long.expect("a scheme"), 1),
        Err(SignatureBatchProgramError::Chains(50))
    );
}

/// The program says nothing of the keys that follow those of the signatures. A number of signatures
/// that is the same element as the right one must not make one of them a member.
#[test]
fn a_number_of_signatures_above_the_modulus_is_refused() {
    let tree = claim(4);
    let keys: Vec<_> = tree.keys.iter().map(key_block).collect();
    let root = poseidon16_compress(
        &poseidon16_compress(&keys[0], &keys[1]),
        &poseidon16_compress(&keys[2], &keys[3]),
    );
    // Three signatures are proved, over a tree with a fourth key.
    let mut head = [F::ZERO; 8];
    (head[0], head[1], head[2]) = (F::from_u32(3), F::from_u32(0x5678), F::from_u32(0x1234));
    let blocks = [head, tree.message, root];
    let statement = Poseidon16.hash(F::from_usize(CLAIM_TAG), blocks.as_flattened());
    let mut member = tree.member(2, 2).expect("a key");
    member.signatures = 3;
    assert_eq!(member.verify(2, &statement), Ok(()));
    let mut member = tree.member(2, 3).expect("a key");
    for signatures in [3, 3 + F::ORDER_U32, 0, u32::MAX] {
        member.signatures = signatures;
        assert!(member.verify(2, &statement).is_err(), "{signatures}");
    }
}

/// Claims about signatures of another scheme are refused, whatever the aggregate says: with another
/// target sum a signature can be forged from a true one.
#[test]
fn the_scheme_is_the_verifiers() {
    let small = Xmss::new(Parameters {
        target_sum: Parameters::DEFAULT.target_sum + 1,
        ..Parameters::DEFAULT
    })
    .expect("a scheme");
    let batch = claim(2);
    let mut claims = SignatureClaims {
        program: SignatureBatchProgram::new(small, 2).expect("a program"),
        hash: HashId::Poseidon16,
        settings: WhirSettings::toy(),
        batches: vec![batch.clone()],
    };
    let leaf = |claims: &SignatureClaims| ClaimTree {
        key: claims.key().expect("a key"),
        claim: Claim::Statement(batch.statement(1).expect("it fits")),
    };
    let tree = leaf(&claims);
    assert!(claims.check(&tree, &small).is_ok());
    let refused = claims.check(&tree, &Xmss::DEFAULT).expect_err("refused");
    assert!(
        matches!(refused, SignatureClaimsError::OtherScheme { .. }),
        "{refused}"
    );
    claims.program = SignatureBatchProgram::new(Xmss::DEFAULT, 2).expect("a program");
    assert!(claims.check(&leaf(&claims), &Xmss::DEFAULT).is_ok());
    let refused = claims.check(&tree, &Xmss::DEFAULT).expect_err("refused");
    assert!(
        matches!(refused, SignatureClaimsError::OtherKey { batch: 0, .. }),
        "{refused}"
    );
}

/// Claims of other files: of a format before, and with settings that none has.
#[test]
fn claims_of_another_format_are_refused_by_its_number() {
    let claims = SignatureClaims {
        program: SignatureBatchProgram::new(Xmss::DEFAULT, 2).expect("a program"),
        hash: HashId::Poseidon16,
        settings: WhirSettings::toy(),
        batches: vec![claim(2)],
    };
    let honest = serde_json::to_value(&claims).expect("JSON");
    let read = |value: &serde_json::Value| {
        let read = serde_json::from_value::<SignatureClaims>(value.clone());
        read.map_err(|error| error.to_string())
    };
    assert_eq!(read(&honest), Ok(claims));
    let refused = |edit: &dyn Fn(&mut serde_json::Value), reason: &str| {
        let mut other = honest.clone();
        edit(&mut other);
        let error = read(&other).expect_err("refused");
        assert!(error.contains(reason), "{error}");
    };
    let over_fri = Preset::Toy.settings(1).expect("settings");
    let over_fri = serde_json::to_value(over_fri).expect("JSON");
    refused(
        &|other| {
            let fields = other.as_object_mut().expect("fields");
            fields.remove("format");
            fields.insert("settings".to_owned(), over_fri.clone());
        },
        "the claims have format 1, expected 3",
    );
    refused(
        &|other| other["format"] = 2.into(),
        "the claims have format 2",
    );
    refused(
        &|other| other["settings"] = over_fri.clone(),
        "the settings are not those of a proof over WHIR",
    );
    refused(
        &|other| other["log_keys"] = (MAX_LOG_KEYS + 1).into(),
        "the batch has 8192 signatures, expected 1 to 4096",
    );
    for (log_block, log_blowup) in [(20, 2), (16, 6), (usize::MAX, 1)] {
        let mut claims = read(&honest).expect("honest");
        (claims.settings.log_block, claims.settings.log_blowup) = (log_block, log_blowup);
        let refused = claims.key().expect_err("refused");
        let is_work = matches!(refused, SignatureClaimsError::TooManyRows(_));
        assert!(is_work, "{log_block}, {log_blowup}: {refused}");
    }
}

/// Full batches of every size have the bits of their preset, at every blowup at which verifiers
/// commit to the program.
#[test]
fn full_batches_have_the_bits_of_their_preset() {
    let program =
        |log_keys: u32| SignatureBatchProgram::new(Xmss::DEFAULT, 1 << log_keys).expect("one");
    let compiled = program(1).compile().expect("it compiles");
    let toy = ProvingKey::<StandardTables>::new(&compiled, WhirSettings::toy(), Heights::Minimal);
    let Key {
        tables,
        program_log_height,
        ..
    } = toy.expect("a key").key().clone();
    // A signature takes at most 2^n rows of each table.
    let of_signature = |table: &str| match table {
        "poseidon16_tweaked" => 8,
        "cpu" | "blocks" => 7,
        "ext" | "words" => 6,
        "low_24_bits" => 4,
        "poseidon16" => 3,
        _ => panic!("{table} is not among the tables"),
    };
    let (mut accepted, mut without_settings) = (0, vec![]);
    for log_keys in 1..=MAX_LOG_KEYS {
        let log_heights = tables.iter().map(|table| match table.as_str() {
            "program" => program_log_height,
            table => (of_signature(table) + log_keys as usize).max(10),
        });
        let log_heights: Vec<usize> = log_heights.collect();
        for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
            for log_blowup in 1..=4 {
                let settings = program(log_keys).settings(preset, log_blowup);
                if TooManyRows::check(&settings).is_err() {
                    continue;
                }
                let free = KeyHeights::Free;
                let verifier = Verifier::<StandardTables>::of_machine(
                    settings,
                    &tables,
                    free,
                    program_log_height,
                );
                let Ok(security) = verifier.expect("a key").security(&log_heights) else {
                    without_settings.push((preset, log_keys, log_blowup));
                    continue;
                };
                assert!(
                    preset.is_reached_by(&security),
                    "{preset}, 2^{log_keys} at blowup 2^{log_blowup}: {:.2}",
                    security.without.sum()
                );
                accepted += 1;
            }
        }
    }
    // All four blowups up to 2^9 signatures, then one fewer at each size.
    let none = [(8, 4), (9, 4), (10, 3)];
    assert_eq!(accepted, 3 * (9 * 4 + 3 + 2 + 1) - none.len());
    let none = none.map(|(log_keys, log_blowup)| (Preset::Proven128, log_keys, log_blowup));
    assert_eq!(without_settings, none);
}
