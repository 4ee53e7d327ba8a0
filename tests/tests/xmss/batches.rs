//! Batches of signatures are verified natively and in the machine, honest and not.

use std::sync::Arc;

use droste::both_ways::{Hint, NativeTape, Program};
use droste_gadgets::xmss::verify_registered;
use droste_native::F;
use droste_native::hash_signature::{
    Message, Parameters, PublicKey, Signature, SignedMessage, TweakKind, VerifyError, Xmss,
    leaf_start_input, message_inputs, tweak,
};
use droste_native::precompile::poseidon16_compress;
use droste_native::stark::security::Preset;
use droste_verifier::xmss::{
    Registry, SignatureBatch, SignatureBatchError, SignatureBatchProgram, SignatureBatchProver,
    Signers, SignersClaim, key_block,
};
use droste_vm::executor::{Tape, TapeItem};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{MESSAGE, SMALL, signed};

/// A registry of so many keys, of which those at these places sign. The others are no keys.
fn registered(
    parameters: Parameters,
    log_keys: u32,
    slot: u32,
    places: &[usize],
) -> (SignatureBatchProgram, SignatureBatch) {
    let scheme = Xmss::new(parameters).expect("a scheme");
    let mut keys: Vec<PublicKey> = (0..1_usize << log_keys)
        .map(|number| PublicKey {
            root: [F::from_usize(number); 4],
            parameter: [F::ONE; 4],
        })
        .collect();
    let signatures: Vec<SignedMessage> = (0..)
        .zip(places)
        .map(|(seed, &place)| {
            let signed = signed(scheme, seed, slot);
            keys[place] = signed.public_key;
            signed
        })
        .collect();
    let registry = Arc::new(Registry::new(keys).expect("different keys"));
    let program = SignatureBatchProgram::new(registry, scheme, places.len()).expect("a program");
    let batch = program.batches(signatures).expect("a batch").swap_remove(0);
    (program, batch)
}

/// A batch whose keys are the first ones of the least registry.
fn batch(
    parameters: Parameters,
    keys: usize,
    slot: u32,
) -> (SignatureBatchProgram, SignatureBatch) {
    let log_keys = keys.next_power_of_two().ilog2().max(1);
    let places: Vec<usize> = (0..keys).collect();
    registered(parameters, log_keys, slot, &places)
}

/// The batch of a program with one signature changed.
fn changed(
    program: &SignatureBatchProgram,
    batch: &SignatureBatch,
    index: usize,
    change: fn(&mut Signature),
) -> SignatureBatch {
    let mut signed: Vec<SignedMessage> =
        batch.signed().iter().map(|(_, one)| one.clone()).collect();
    change(&mut signed[index].signature);
    program.batches(signed).expect("a batch").swap_remove(0)
}

fn native_tape(tape: Tape) -> NativeTape {
    let hints = tape.items.into_iter().map(|item| match item {
        TapeItem::Felt(value) => Hint::Felt(value),
        TapeItem::Slice(blocks) => Hint::Slice(blocks),
        TapeItem::Ext(_) => unreachable!("no extension element is hinted"),
    });
    NativeTape {
        hints: hints.collect(),
    }
}

fn statement(batch: &SignatureBatch) -> [u32; 8] {
    let statement = batch.claim().statement();
    statement.map(|element| element.as_canonical_u32())
}

fn compiled(program: &SignatureBatchProgram, main: fn()) -> Program {
    Program::new("xmss", &program.source(), main)
}

#[test]
fn batches_of_every_size_are_accepted() {
    for keys in 1..=4 {
        for slot in [0, 5, 7] {
            let (program, batch) = batch(SMALL, keys, slot);
            let main = match program.registry().log_keys() {
                1 => verify_registered::<1, 5, 26, 3>,
                _ => verify_registered::<2, 5, 26, 3>,
            };
            let tape = native_tape(program.tape(&batch).expect("valid signatures"));
            let run = compiled(&program, main).both(&tape, &[]);
            assert_eq!(run, Ok(statement(&batch)));
        }
    }
}

/// The parameters of the scheme, with slots that have an upper half.
#[test]
fn signatures_of_the_default_scheme_are_accepted() {
    for slot in [0xffff_ffff, 0x0001_0002] {
        let (program, batch) = batch(Parameters::DEFAULT, 2, slot);
        let tape = native_tape(program.tape(&batch).expect("valid signatures"));
        let compiled = compiled(&program, verify_registered::<1, 21, 110, 32>);
        assert_eq!(compiled.both(&tape, &[]), Ok(statement(&batch)));
    }
}

#[test]
fn false_hints_prove_nothing_else() {
    let (program, batch) = batch(SMALL, 2, 5);
    let tape = native_tape(program.tape(&batch).expect("valid signatures"));
    let free = compiled(&program, verify_registered::<1, 5, 26, 3>).mutate_hints(&tape, &[]);
    assert_eq!(free, 0);
}

/// Number of hints of a signature with [`SMALL`] parameters: its place, its blocks, those that the
/// chains read, the low bits of eight elements, and the digits of the element that is used in part.
const HINTS: usize = 1 + 2 + 8 + 1;

/// Hints before those of the signatures: the bits of the slot, the message, the registry and the
/// signers.
const REGISTRY: usize = 4;
const SIGNERS: usize = 5;

/// Changes a signature, and says how.
type Break = (&'static str, fn(&mut Signature));

const BREAKS: [Break; 3] = [
    ("chain", |signature| {
        signature.chain_values[3][1] += F::ONE;
    }),
    ("path", |signature| signature.path[1][2] += F::ONE),
    ("sum", |signature| signature.randomness[0] += F::ONE),
];

/// The hints of a signature with [`SMALL`] parameters, valid or not, as a prover would make them
/// who hopes that it is not noticed: everything that can be right is right.
fn hints(key: &PublicKey, slot: u32, signature: &Signature, honest: &[Hint]) -> Vec<Hint> {
    let [place, Hint::Slice(blocks), ..] = honest else {
        panic!("a slice");
    };
    let mut blocks = blocks.clone();
    let parameters = message_inputs(&Message {
        parameter: key.parameter,
        slot,
        message: &MESSAGE,
        randomness: signature.randomness,
    });
    let ([message, randomness], parameter) = parameters;
    blocks[0] = randomness.map(Some);
    let values = signature.chain_values.as_flattened().as_chunks::<8>().0;
    for (block, values) in blocks[1..].iter_mut().zip(values) {
        *block = values.map(Some);
    }
    for (level, sibling) in signature.path.iter().enumerate() {
        let from = 4 * (1 - (slot as usize >> level & 1));
        for (lane, element) in sibling.iter().enumerate() {
            blocks[1 + values.len() + level][from + lane] = Some(*element);
        }
    }
    let digest = poseidon16_compress(&poseidon16_compress(&message, &randomness), &parameter);
    let low = digest.map(|element| element.as_canonical_u32() & 0xff_ffff);
    let mut digits = [F::ZERO; 8];
    (digits[0], digits[1]) = (F::from_u32(low[0]), F::from_u32(low[1] & 63));
    [digits[6], digits[7]] = tweak(TweakKind::Chain, 0, slot);
    let [leaf, zero] = leaf_start_input(&key.parameter, slot);
    let context = [parameter, digits, poseidon16_compress(&leaf, &zero)];
    let mut hints = vec![
        place.clone(),
        Hint::Slice(blocks),
        Hint::Slice(context.map(|block| block.map(Some)).to_vec()),
    ];
    for (index, low) in low.into_iter().enumerate() {
        hints.push(Hint::Felt(F::from_u32(low)));
        if index == 1 {
            hints.push(Hint::Felt(digits[1]));
        }
    }
    hints
}

/// One bad signature, wherever it is: no hints are made for it, and hints that are right as far as
/// possible are rejected by both runs.
#[test]
fn a_batch_with_one_bad_signature_proves_nothing() {
    let (program, honest) = batch(SMALL, 3, 5);
    let tape = native_tape(program.tape(&honest).expect("valid signatures"));
    let compiled = compiled(&program, verify_registered::<2, 5, 26, 3>);
    let first = tape.hints.len() - 3 * HINTS;
    for index in 0..3 {
        let place = first + index * HINTS..first + (index + 1) * HINTS;
        let (_, signed) = &honest.signed()[index];
        let key = &signed.public_key;
        let same = hints(key, 5, &signed.signature, &tape.hints[place.clone()]);
        assert_eq!(same, tape.hints[place.clone()]);
        for (what, change) in BREAKS {
            let batch = changed(&program, &honest, index, change);
            let error = program.tape(&batch).expect_err("refused");
            assert!(error.to_string().contains(&index.to_string()), "{error}");

            let mut tape = tape.clone();
            let (_, signed) = &batch.signed()[index];
            let forged = hints(key, 5, &signed.signature, &tape.hints[place.clone()]);
            tape.hints.splice(place.clone(), forged);
            assert!(compiled.both(&tape, &[]).is_err(), "{what} of {index}");
        }
    }
}

/// A signature of another slot, message or key than the batch's.
#[test]
fn signatures_of_something_else_are_rejected() {
    let (program, honest) = batch(SMALL, 2, 5);
    let tape = native_tape(program.tape(&honest).expect("valid signatures"));
    let compiled = compiled(&program, verify_registered::<1, 5, 26, 3>);
    // Each bit of the slot.
    for bit in 0..3 {
        let mut tape = tape.clone();
        let Hint::Felt(value) = &mut tape.hints[bit] else {
            panic!("a bit");
        };
        *value = F::ONE - *value;
        assert!(compiled.both(&tape, &[]).is_err(), "bit {bit}");
    }
    for lane in 0..8 {
        let mut tape = tape.clone();
        let mut message = MESSAGE;
        message[lane] += F::ONE;
        tape.hints[REGISTRY - 1] = Hint::Slice(vec![message.map(Some)]);
        assert!(compiled.both(&tape, &[]).is_err(), "lane {lane}");
    }
    let Hint::Slice(blocks) = &tape.hints[REGISTRY] else {
        panic!("the keys");
    };
    let mut swapped = tape.clone();
    swapped.hints[REGISTRY] = Hint::Slice(vec![blocks[1], blocks[0]]);
    assert!(compiled.both(&swapped, &[]).is_err());
}

/// The signers that are claimed are those whose signatures are verified.
#[test]
fn a_claim_of_one_key_more_is_rejected() {
    let (program, four) = registered(SMALL, 2, 5, &[0, 1, 2, 3]);
    let compiled = compiled(&program, verify_registered::<2, 5, 26, 3>);
    let tape = native_tape(program.tape(&four).expect("valid signatures"));
    assert_eq!(compiled.both(&tape, &[]), Ok(statement(&four)));
    // Four are claimed, but there are hints for three.
    let mut three = tape;
    three.hints.truncate(three.hints.len() - HINTS);
    assert!(compiled.both(&three, &[]).is_err());
    // Three are claimed with a fourth key: the statement is that of three.
    let claim = |tape: &mut NativeTape, word: u32| {
        let Hint::Slice(signers) = &mut tape.hints[SIGNERS] else {
            panic!("the signers");
        };
        signers[0][0] = Some(F::from_u32(word));
    };
    claim(&mut three, 7);
    let signed = four.signed().iter().take(3).map(|(_, one)| one.clone());
    let batches = program.batches(signed).expect("a batch");
    let run = compiled.both(&three, &[]);
    assert_eq!(run, Ok(statement(&batches[0])));
    assert_ne!(run, Ok(statement(&four)));
    // Anyone can prove that nobody signed. Whoever verifies a fold refuses it (`Wanted`).
    let mut none = three;
    none.hints.truncate(none.hints.len() - 3 * HINTS);
    claim(&mut none, 0);
    let nobody = SignersClaim {
        signers: Signers::none(four.registry()).digest(),
        count: 0,
        ..four.claim()
    };
    let statement = nobody.statement().map(|element| element.as_canonical_u32());
    assert_eq!(compiled.both(&none, &[]), Ok(statement));
}

/// The heights of a program's proofs are computed from runs on one signature and on two.
#[test]
fn a_full_batch_fits_the_heights_of_its_program() {
    let all: Vec<usize> = (0..32).collect();
    let (program, batch) = registered(SMALL, 5, 5, &all);
    let prover = SignatureBatchProver::new(program, Preset::Toy).expect("a prover");
    prover.prove(&batch).expect("it fits");
}

/// A randomness whose digest has an element `p - 1`, of which no digits are defined. It was
/// searched for: one in 2^28 has such a digest.
#[test]
fn an_encoding_with_the_largest_element_is_rejected() {
    let (program, honest) = batch(SMALL, 1, 5);
    let tape = native_tape(program.tape(&honest).expect("valid signatures"));
    let mut signed = honest.signed()[0].1.clone();
    signed.public_key.parameter = F::new_array([1, 2, 3, 4]);
    signed.signature.randomness = F::new_array([0, 0, 0, 0, 565_901, 971]);
    let (key, signature) = (signed.public_key, signed.signature.clone());
    let registry = Arc::new(Registry::new(vec![key]).expect("a registry"));
    let scheme = Xmss::new(SMALL).expect("a scheme");
    let program = SignatureBatchProgram::new(registry, scheme, 1).expect("a program");
    let batches = program.batches([signed]).expect("a batch");
    assert_eq!(
        program.tape(&batches[0]),
        Err(SignatureBatchError::Signature {
            key: 0,
            source: VerifyError::NoDigits { element: 5 },
        })
    );

    let mut tape = tape.clone();
    let first = tape.hints.len() - HINTS;
    let forged = hints(&key, 5, &signature, &tape.hints[first..]);
    tape.hints.splice(first.., forged);
    let Hint::Slice(keys) = &mut tape.hints[REGISTRY] else {
        panic!("the keys");
    };
    keys[0] = key_block(&key).map(Some);
    let error = compiled(&program, verify_registered::<1, 5, 26, 3>)
        .both(&tape, &[])
        .expect_err("rejected");
    assert!(error.contains("low_24_bits"), "{error}");
}

/// Each signer of a registry is counted once: whoever says that others have signed, or that one has
/// signed twice, has no run.
#[test]
fn signers_of_a_registry_are_those_who_signed() {
    let tape = |places: &[usize]| {
        let (program, batch) = registered(SMALL, 5, 5, places);
        let tape = program.tape(&batch).expect("valid signatures");
        (native_tape(tape), statement(&batch))
    };
    let (program, _) = registered(SMALL, 5, 5, &[0]);
    let program = compiled(&program, verify_registered::<5, 5, 26, 3>);
    for places in [[0].as_slice(), &[31], &[3, 23, 24], &[5, 6, 7, 30]] {
        let (tape, statement) = tape(places);
        assert_eq!(program.both(&tape, &[]), Ok(statement), "{places:?}");
    }

    let (honest, _) = tape(&[3, 23]);
    assert_eq!(program.mutate_hints(&honest, &[]), 0);
    let set = |word: usize, signers: u32| {
        let mut tape = honest.clone();
        let Hint::Slice(blocks) = &mut tape.hints[SIGNERS] else {
            panic!("the signers");
        };
        blocks[0][word] = Some(F::from_u32(signers));
        tape
    };
    let signers = 1 << 3 | 1 << 23;
    assert!(program.both(&set(0, signers), &[]).is_ok());
    // Others, as many, fewer, more, and such as no word or no registry has.
    for (word, signers) in [
        (0, 1 << 4 | 1 << 23),
        (0, 1 << 3),
        (0, signers | 1),
        (0, signers + (1 << 24)),
        (1, 1 << 8),
        (2, 1),
    ] {
        let error = program.both(&set(word, signers), &[]);
        assert!(error.is_err(), "{word}, {signers:x}");
    }
    // The registry has no such keys: nothing of their signatures is read.
    let refused = program.native(&set(2, 1), &[]);
    let error = refused.expect_err("outside of the registry");
    assert!(
        error.contains("a signer is outside of the registry"),
        "{error}"
    );
    // Both signatures are by the same key. Twice the power of 3 is that of 4, one signer.
    let twice = |signers: u32| {
        let mut tape = set(0, signers);
        let signatures = SIGNERS + 1;
        let first = tape.hints[signatures..signatures + HINTS].to_vec();
        tape.hints.splice(signatures + HINTS.., first);
        tape
    };
    for signers in [signers, 1 << 4, 1 << 3 | 1 << 4] {
        assert!(program.both(&twice(signers), &[]).is_err(), "{signers:x}");
    }
    // Places that no word has.
    for place in [24, 31, 32] {
        let mut tape = honest.clone();
        tape.hints[SIGNERS + 1] = Hint::Felt(F::from_u32(place));
        let error = program.both(&tape, &[]).expect_err("no place of a word");
        // It is its bits that are too many, not the table that ends.
        assert!(place < 32 || error.contains("left == right"), "{error}");
    }
    // The keys that signed are elsewhere in the registry.
    let mut moved = honest;
    let Hint::Slice(keys) = &mut moved.hints[REGISTRY] else {
        panic!("the registry");
    };
    keys.swap(3, 4);
    assert!(program.both(&moved, &[]).is_err());
}

/// The leaf program of the example, with far fewer signers than it takes.
#[test]
fn the_example_of_a_registry_verifies_a_batch() {
    let source = droste_programs::fold_source("registered").expect("the program exists");
    let main = droste_programs::folds::registered::main;
    let program = Program::new("registered", source, main);
    let (of_batches, batch) = registered(Parameters::DEFAULT, 11, 0x0001_0009, &[5, 2047]);
    let tape = native_tape(of_batches.tape(&batch).expect("valid signatures"));
    assert_eq!(program.both(&tape, &[]), Ok(statement(&batch)));
}
