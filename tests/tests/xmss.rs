//! Batches of XMSS signatures are verified natively and in the machine, honest and not.

use droste::both_ways::{Hint, NativeTape, Program};
use droste_gadgets::signers::{SIGNERS_TAG, blocks_for};
use droste_gadgets::xmss::{CLAIM_TAG, verify_registered, verify_signatures};
use droste_native::F;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::hash_signature::{
    Message, Parameters, PublicKey, SecretKey, Signature, TweakKind, VerifyError, Xmss,
    leaf_start_input, message_inputs, tweak,
};
use droste_native::precompile::poseidon16_compress;
use droste_verifier::xmss::{
    SignatureBatch, SignatureBatchError, SignatureBatchProgram, key_block,
};
use droste_vm::executor::{Tape, TapeItem};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// Seven chains' digits would be three pairs and a half, so four pairs: a whole element; ten chains
/// have an element that is used in part.
const SMALL: Parameters = Parameters {
    chains: 10,
    bits: 3,
    levels: 3,
    target_sum: 44,
};

const MESSAGE: [F; 8] = F::new_array([7, 8, 11, 16, 23, 32, 43, 56]);

fn batch(parameters: Parameters, keys: u8, slot: u32) -> (SignatureBatchProgram, SignatureBatch) {
    let scheme = Xmss::new(parameters).expect("a scheme");
    let signatures = (0..keys).map(|seed| {
        let key = SecretKey::generate(scheme, &[seed; 32], slot..=slot).expect("a key");
        let signature = key.sign(slot, &MESSAGE).expect("a signature");
        (key.public_key(), signature)
    });
    let batch = SignatureBatch {
        slot,
        message: MESSAGE,
        signatures: signatures.collect(),
    };
    let program = SignatureBatchProgram::new(scheme, keys.into()).expect("a program");
    (program, batch)
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

fn statement(program: &SignatureBatchProgram, batch: &SignatureBatch) -> [u32; 8] {
    let statement = batch.claim().statement(program.log_keys());
    let statement = statement.expect("the program was chosen for the batch");
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
            let main = match program.log_keys() {
                1 => verify_signatures::<1, 5, 26, 3>,
                _ => verify_signatures::<2, 5, 26, 3>,
            };
            let tape = native_tape(program.tape(&batch).expect("valid signatures"));
            let run = compiled(&program, main).both(&tape, &[]);
            assert_eq!(run, Ok(statement(&program, &batch)));
        }
    }
}

/// The parameters of the scheme, with slots that have an upper half.
#[test]
fn signatures_of_the_default_scheme_are_accepted() {
    for slot in [0xffff_ffff, 0x0001_0002] {
        let (program, batch) = batch(Parameters::DEFAULT, 2, slot);
        let tape = native_tape(program.tape(&batch).expect("valid signatures"));
        let compiled = compiled(&program, verify_signatures::<1, 21, 110, 32>);
        assert_eq!(compiled.both(&tape, &[]), Ok(statement(&program, &batch)));
    }
}

/// The example program, with far fewer signatures than it takes.
#[test]
fn the_example_program_verifies_a_batch() {
    let (_, batch) = batch(Parameters::DEFAULT, 2, 9);
    let largest = SignatureBatchProgram::new(Xmss::DEFAULT, 1 << 11).expect("a program");
    let tape = native_tape(largest.tape(&batch).expect("valid signatures"));
    let source = droste_programs::source("xmss").expect("the program exists");
    let program = Program::new("xmss", source, droste_programs::xmss::main);
    assert_eq!(program.both(&tape, &[]), Ok(statement(&largest, &batch)));
}

#[test]
fn false_hints_prove_nothing_else() {
    let (program, batch) = batch(SMALL, 2, 5);
    let tape = native_tape(program.tape(&batch).expect("valid signatures"));
    let free = compiled(&program, verify_signatures::<1, 5, 26, 3>).mutate_hints(&tape, &[]);
    assert_eq!(free, 0);
}

/// Number of hints of a signature with [`SMALL`] parameters: its blocks, those that the chains
/// read, the low bits of eight elements, and the digits of the element that is used in part.
const HINTS: usize = 2 + 8 + 1;

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
    let Hint::Slice(blocks) = &honest[0] else {
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
    let compiled = compiled(&program, verify_signatures::<2, 5, 26, 3>);
    let first = tape.hints.len() - 3 * HINTS;
    for index in 0..3 {
        let place = first + index * HINTS..first + (index + 1) * HINTS;
        let (key, signature) = &honest.signatures[index];
        let same = hints(key, 5, signature, &tape.hints[place.clone()]);
        assert_eq!(same, tape.hints[place.clone()]);
        for (what, change) in BREAKS {
            let mut batch = honest.clone();
            change(&mut batch.signatures[index].1);
            let error = program.tape(&batch).expect_err("refused");
            assert!(error.to_string().contains(&index.to_string()), "{error}");

            let mut tape = tape.clone();
            let forged = hints(
                key,
                5,
                &batch.signatures[index].1,
                &tape.hints[place.clone()],
            );
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
    let compiled = compiled(&program, verify_signatures::<1, 5, 26, 3>);
    let log_keys = program.log_keys() as usize;
    // Each bit of the slot.
    for bit in 0..3 {
        let mut tape = tape.clone();
        let Hint::Felt(value) = &mut tape.hints[log_keys + bit] else {
            panic!("a bit");
        };
        *value = F::ONE - *value;
        assert!(compiled.both(&tape, &[]).is_err(), "bit {bit}");
    }
    let keys = log_keys + 4;
    let Hint::Slice(blocks) = &tape.hints[keys] else {
        panic!("the keys");
    };
    let mut swapped = tape.clone();
    swapped.hints[keys] = Hint::Slice(vec![blocks[1], blocks[0]]);
    assert!(compiled.both(&swapped, &[]).is_err());
}

/// The number of signatures that is claimed is that of those that are verified.
#[test]
fn a_claim_of_one_key_more_is_rejected() {
    let (program, honest) = batch(SMALL, 3, 5);
    let compiled = compiled(&program, verify_signatures::<2, 5, 26, 3>);
    let mut batch = honest.clone();
    batch.signatures.push(honest.signatures[0].clone());
    let four = native_tape(program.tape(&batch).expect("valid signatures"));
    assert_eq!(compiled.both(&four, &[]), Ok(statement(&program, &batch)));
    // Four are claimed, but there are hints for three; and three are claimed with a fourth key.
    let mut three = four.clone();
    three.hints.truncate(four.hints.len() - HINTS);
    assert!(compiled.both(&three, &[]).is_err());
    three.hints[0] = Hint::Felt(F::ZERO);
    three.hints[1] = Hint::Felt(F::ONE);
    let run = compiled.both(&three, &[]);
    assert_ne!(run, Ok(statement(&program, &honest)));
    assert_ne!(run, Ok(statement(&program, &batch)));
    // A key beyond the number of signatures is not in the claim of three keys, and nobody can show
    // that it signed.
    let claim = batch.claim();
    let member = claim.member(2, 3).map(|mut member| {
        member.signatures = 3;
        member
    });
    let found = run.expect("three signatures").map(F::from_u32);
    assert!(member.is_some_and(|member| member.verify(2, &found).is_err()));
}

/// A randomness whose digest has an element `p - 1`, of which no digits are defined. It was
/// searched for: one in 2^28 has such a digest.
#[test]
fn an_encoding_with_the_largest_element_is_rejected() {
    let (program, honest) = batch(SMALL, 1, 5);
    let tape = native_tape(program.tape(&honest).expect("valid signatures"));
    let (mut key, mut signature) = honest.signatures[0].clone();
    key.parameter = F::new_array([1, 2, 3, 4]);
    signature.randomness = F::new_array([0, 0, 0, 0, 565_901, 971]);
    let mut batch = honest.clone();
    batch.signatures = vec![(key, signature.clone())];
    assert_eq!(
        program.tape(&batch),
        Err(SignatureBatchError::Signature {
            index: 0,
            source: VerifyError::NoDigits { element: 5 },
        })
    );

    let mut tape = tape.clone();
    let first = tape.hints.len() - HINTS;
    let forged = hints(&key, 5, &signature, &tape.hints[first..]);
    tape.hints.splice(first.., forged);
    let [.., Hint::Slice(keys)] = &mut tape.hints[..first] else {
        panic!("the keys");
    };
    keys[0] = key_block(&key).map(Some);
    let error = compiled(&program, verify_signatures::<1, 5, 26, 3>)
        .both(&tape, &[])
        .expect_err("rejected");
    assert!(error.contains("low_24_bits"), "{error}");
}

/// Signatures of the first keys of a batch, by keys at these places of a registry: the hints, and
/// what the statement says. The places ascend.
fn registered(
    parameters: Parameters,
    log_keys: u32,
    slot: u32,
    places: &[usize],
) -> (NativeTape, [u32; 8]) {
    let (program, batch) = batch(parameters, places.len() as u8, slot);
    let honest = native_tape(program.tape(&batch).expect("valid signatures")).hints;
    let (head, signatures) = honest.split_at(honest.len() - HINTS * places.len());
    let from = program.log_keys() as usize;
    let head = &head[from..from + parameters.levels as usize + 1];

    let mut registry = vec![[F::ZERO; 8]; 1 << log_keys];
    let mut words = vec![[0u32; 8]; blocks_for(registry.len())];
    for (&place, (key, _)) in places.iter().zip(&batch.signatures) {
        registry[place] = key_block(key);
        words[place / 192][place / 24 % 8] |= 1 << (place % 24);
    }
    let words: Vec<[F; 8]> = words.iter().map(|block| block.map(F::from_u32)).collect();
    let slice = |blocks: &[[F; 8]]| Hint::Slice(blocks.iter().map(|b| b.map(Some)).collect());
    let mut hints = head.to_vec();
    hints.extend([slice(&registry), slice(&words)]);
    for (place, signature) in places.iter().zip(signatures.chunks(HINTS)) {
        hints.push(Hint::Felt(F::from_usize(place % 24)));
        hints.extend_from_slice(signature);
    }

    let mut nodes = registry;
    while nodes.len() > 1 {
        let pairs = nodes.as_chunks().0.iter();
        nodes = pairs
            .map(|[left, right]| poseidon16_compress(left, right))
            .collect();
    }
    let number = |low: u32, high: u32| {
        let mut block = [F::ZERO; 8];
        (block[0], block[1]) = (F::from_u32(low), F::from_u32(high));
        block
    };
    let said = [
        number(slot & 0xffff, slot >> 16),
        MESSAGE,
        nodes[0],
        Poseidon16.hash(F::new(SIGNERS_TAG), words.as_flattened()),
        number(places.len() as u32, 0),
    ];
    let statement = Poseidon16.hash(F::from_usize(CLAIM_TAG), said.as_flattened());
    let statement = statement.map(|element| element.as_canonical_u32());
    (NativeTape { hints }, statement)
}

/// Each signer of a registry is counted once: whoever says that others have signed, or that one has
/// signed twice, has no run.
#[test]
fn signers_of_a_registry_are_those_who_signed() {
    let source = "use droste_gadgets::xmss::verify_registered;
        pub fn main() {
            verify_registered::<5, 5, 26, 3>();
        }";
    let program = Program::new("registered", source, verify_registered::<5, 5, 26, 3>);
    let tape = |places: &[usize]| registered(SMALL, 5, 5, places);
    for places in [[0].as_slice(), &[31], &[3, 23, 24], &[5, 6, 7, 30]] {
        let (tape, statement) = tape(places);
        assert_eq!(program.both(&tape, &[]), Ok(statement), "{places:?}");
    }

    // Slot and message come first, then the registry and the set of signers.
    let (honest, _) = tape(&[3, 23]);
    assert_eq!(program.mutate_hints(&honest, &[]), 0);
    let (registry, words) = (4, 5);
    let set = |word: usize, signers: u32| {
        let mut tape = honest.clone();
        let Hint::Slice(blocks) = &mut tape.hints[words] else {
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
        let first = tape.hints[words + 1..words + 2 + HINTS].to_vec();
        tape.hints.splice(words + 2 + HINTS.., first);
        tape
    };
    for signers in [signers, 1 << 4, 1 << 3 | 1 << 4] {
        assert!(program.both(&twice(signers), &[]).is_err(), "{signers:x}");
    }
    // Places that no word has.
    for place in [24, 31, 32] {
        let mut tape = honest.clone();
        tape.hints[words + 1] = Hint::Felt(F::from_u32(place));
        let error = program.both(&tape, &[]).expect_err("no place of a word");
        // It is its bits that are too many, not the table that ends.
        assert!(place < 32 || error.contains("left == right"), "{error}");
    }
    // The keys that signed are elsewhere in the registry.
    let mut moved = honest;
    let Hint::Slice(keys) = &mut moved.hints[registry] else {
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
    let (tape, statement) = registered(Parameters::DEFAULT, 11, 0x0001_0009, &[5, 2047]);
    assert_eq!(program.both(&tape, &[]), Ok(statement));
}
