//! Batches of XMSS signatures are verified natively and in the machine, honest and not.

use std::ops::ControlFlow;
use std::sync::Arc;

use droste::both_ways::{Hint, NativeTape, Program};
use droste_gadgets::xmss::verify_registered;
use droste_native::F;
use droste_native::hash_signature::{
    Message, Parameters, PublicKey, SecretKey, Signature, SignedMessage, TweakKind, VerifyError,
    Xmss, leaf_start_input, message_inputs, tweak,
};
use droste_native::precompile::poseidon16_compress;
use droste_native::stark::security::Preset;
use droste_verifier::file;
use droste_verifier::fold::plan::run;
use droste_verifier::fold::{Options, RefusedFold};
use droste_verifier::keys::Deriver;
use droste_verifier::plan::Store;
use droste_verifier::xmss::{
    DEFAULT_BATCH, MAX_BATCH, Registry, SignatureBatch, SignatureBatchError, SignatureBatchProgram,
    SignatureBatchProver, SignatureFold, SignatureFoldError, Signers, SignersClaim, SignersError,
    Wanted, key_block,
};
use droste_vm::executor::{Tape, TapeItem};
use droste_vm::whir;
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

/// A key of a scheme that signs the message in the slot.
fn signed(scheme: Xmss, seed: u8, slot: u32) -> SignedMessage {
    let key = SecretKey::generate(scheme, &[seed; 32], slot..=slot).expect("a key");
    SignedMessage {
        public_key: key.public_key(),
        slot,
        message: MESSAGE,
        signature: key.sign(slot, &MESSAGE).expect("a signature"),
    }
}

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
    let batches = SignatureBatch::group(&registry, scheme, signatures, places.len());
    let batch = batches.expect("a batch").swap_remove(0);
    let program = SignatureBatchProgram::new(scheme, log_keys, places.len());
    (program.expect("a program"), batch)
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

/// The batch of [`SMALL`] signatures with one of them changed.
fn changed(batch: &SignatureBatch, index: usize, change: fn(&mut Signature)) -> SignatureBatch {
    let mut signed: Vec<SignedMessage> =
        batch.signed().iter().map(|(_, one)| one.clone()).collect();
    change(&mut signed[index].signature);
    let scheme = Xmss::new(SMALL).expect("a scheme");
    let batches = SignatureBatch::group(batch.registry(), scheme, signed, batch.signed().len());
    batches.expect("a batch").swap_remove(0)
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
            let main = match program.log_keys() {
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
            let batch = changed(&honest, index, change);
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
    let scheme = Xmss::new(SMALL).expect("a scheme");
    let batches = SignatureBatch::group(four.registry(), scheme, signed, 3).expect("a batch");
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
    let batches = SignatureBatch::group(&registry, scheme, [signed], 1).expect("a batch");
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

/// Two aggregators prove overlapping signatures, and the fold of both counts each signer once. It
/// is refused for another slot, message, registry, set of signers, number or scheme.
#[test]
fn a_fold_counts_each_signer_once() {
    let scheme = Xmss::new(SMALL).expect("a scheme");
    let sign = |seed: u8, slot: u32| {
        let key = SecretKey::generate(scheme, &[seed; 32], 5..=6).expect("a key");
        SignedMessage {
            public_key: key.public_key(),
            slot,
            message: MESSAGE,
            signature: key.sign(slot, &MESSAGE).expect("a signature"),
        }
    };
    let all: Vec<SignedMessage> = (0..6).map(|seed| sign(seed, 5)).collect();
    let keys: Vec<PublicKey> = all.iter().map(|signed| signed.public_key).collect();
    let registry = Arc::new(Registry::new(keys.clone()).expect("different keys"));
    let deriver = Arc::new(Deriver::new());
    let rules = |registry: &Arc<Registry>, scheme, batch| {
        let (registry, deriver) = (Arc::clone(registry), Arc::clone(&deriver));
        SignatureFold::new(registry, scheme, Preset::Toy, batch, deriver).expect("a fold")
    };
    let fold = rules(&registry, scheme, 2);
    let folder = tempfile::TempDir::new().expect("a folder");
    let store = Store::open(folder.path()).expect("a store");
    let group = |registry: &Arc<Registry>, signed: &[SignedMessage]| {
        SignatureBatch::group(registry, scheme, signed.to_vec(), 2).expect("batches")
    };
    let prove = |batches: &[SignatureBatch]| -> Vec<Vec<u8>> {
        let proofs = batches.iter().map(|batch| {
            let proof = fold.prover().prove_kept(batch, &store).expect("a proof");
            // It is not proved again.
            assert!(fold.prover().kept(&batch.claim(), &store).is_some());
            proof
        });
        proofs.collect()
    };
    let aggregate = |signed: &[SignedMessage]| {
        let batches = group(&registry, signed);
        let proofs = prove(&batches);
        let plan = fold.plan(&batches, &proofs).expect("a plan");
        let leaf = |index: usize| Ok(proofs[index].clone());
        let folded = run(fold.fold(), &plan, &store, leaf, |_| {
            ControlFlow::Continue(())
        });
        let folded = folded.expect("a fold");
        let bytes = file::fold::encode(&folded).expect("it can be encoded");
        (bytes, fold.signers(&batches))
    };
    let options = Options::min_bits(0);
    let read = |bytes: &[u8]| file::fold::decode(bytes).expect("a fold");
    let accept = |(bytes, signers): &(Vec<u8>, Signers)| {
        let folded = fold.fold().accept(read(bytes), &options);
        (folded.expect("valid"), signers.clone())
    };
    // Of three batches and of one. Key 4 signs according to both.
    let left = aggregate(&[2, 0, 1, 4, 3].map(|number: usize| all[number].clone()));
    let right = aggregate(&[4, 5].map(|number: usize| all[number].clone()));
    let united = fold.unite(accept(&left), accept(&right));
    let (united, signers) = united.expect("both are of one message");
    let places = |signers: &Signers| signers.places().collect::<Vec<_>>();
    assert_eq!(places(&left.1), [0, 1, 2, 3, 4]);
    assert_eq!(places(&signers), [0, 1, 2, 3, 4, 5]);

    let proofs = united.counters().proofs();
    let bytes = file::fold::encode(&united).expect("it can be encoded");
    let wanted = Wanted {
        slot: 5,
        message: MESSAGE,
        min_signers: 6,
    };
    let (_, claim) = fold.check(read(&bytes), &wanted, &options).expect("valid");
    assert_eq!((claim.slot, claim.count), (5, 6));
    claim.check(&signers).expect("the signers");
    claim.check(&left.1).expect_err("others have signed");
    let refused = |edit: &dyn Fn(&mut Wanted)| {
        let mut other = wanted;
        edit(&mut other);
        let refused = fold.check(read(&bytes), &other, &options);
        refused.expect_err("refused").to_string()
    };
    assert_eq!(
        refused(&|wanted| wanted.slot = 6),
        "the fold is about slot 5, expected 6"
    );
    let error = refused(&|wanted| wanted.message[7] += F::ONE);
    assert!(
        error.starts_with("the fold is about the message "),
        "{error}"
    );
    assert_eq!(
        refused(&|wanted| wanted.min_signers = 7),
        "6 keys have signed, expected at least 7"
    );
    // The same keys in another order have the same fold key, and another root.
    let mut keys = keys;
    keys.swap(3, 4);
    let swapped = Arc::new(Registry::new(keys).expect("different keys"));
    let elsewhere = rules(&swapped, scheme, 2);
    assert_eq!(elsewhere.fold().key(), fold.fold().key());
    let about_the_registry = "the fold is about the registry ";
    let error = elsewhere.check(read(&bytes), &wanted, &options);
    let error = error.expect_err("another registry").to_string();
    assert!(error.starts_with(about_the_registry), "{error}");
    let error = elsewhere.unite(accept(&left), accept(&right));
    let error = error.expect_err("another registry").to_string();
    assert!(error.starts_with(about_the_registry), "{error}");
    // What a fold says cannot be changed.
    for block in 0..5 {
        let mut lie = read(&bytes);
        lie.state[block][0] += F::ONE;
        let error = fold.check(lie, &wanted, &options);
        let error = error.expect_err("another state");
        assert!(matches!(error, SignersError::Refused(_)), "{error}");
    }
    // Another scheme, which whoever forges would choose, has another fold key.
    for other in [
        Parameters {
            target_sum: SMALL.target_sum - 1,
            ..SMALL
        },
        Parameters { levels: 4, ..SMALL },
    ] {
        let easier = rules(&registry, Xmss::new(other).expect("a scheme"), 2);
        let error = easier.check(read(&bytes), &wanted, &options);
        let error = error.expect_err("another key");
        assert!(
            matches!(error, SignersError::Refused(RefusedFold::Key { .. })),
            "{error}"
        );
    }

    // Whose signers are known adds none, so its proofs do not count again.
    let whole = (bytes, signers);
    for (one, other) in [(&whole, &whole), (&whole, &left), (&right, &whole)] {
        let same = fold.unite(accept(one), accept(other));
        let (same, signers) = same.expect("nothing is to be proved");
        assert_eq!((same.counters().proofs(), &signers), (proofs, &whole.1));
    }
    // Who is said to have signed on either side is compared with the folds.
    for (a, b) in [(&right.1, &right.1), (&left.1, &left.1)] {
        let ((one, _), (other, _)) = (accept(&left), accept(&right));
        let lie = fold.unite((one, a.clone()), (other, b.clone()));
        let error = lie.expect_err("others have signed").to_string();
        assert!(error.contains("others have signed"), "{error}");
    }

    // Another slot.
    let later = aggregate(&[sign(0, 6)]);
    let error = fold.unite(accept(&right), accept(&later));
    let error = error.expect_err("another slot").to_string();
    assert_eq!(error, "the fold is about slot 6, expected 5");
    let batches = [group(&registry, &all[4..]), group(&registry, &[sign(0, 6)])].concat();
    let proofs = prove(&batches);
    let plan = |batches: &[SignatureBatch], proofs: &[Vec<u8>]| {
        fold.plan(batches, proofs).expect_err("no plan")
    };
    let error = plan(&batches, &proofs);
    assert!(error.to_string().contains("the slots differ"), "{error}");
    // There is one proof of each batch, in their order, of this registry.
    for (batches, proofs) in [
        (&batches[..], &proofs[..1]),
        (&batches[..1], &proofs[..]),
        (&batches[..], &proofs[..0]),
    ] {
        let error = plan(batches, proofs);
        let numbers = (batches.len(), proofs.len());
        assert!(
            matches!(error, SignatureFoldError::Proofs(a, b) if (a, b) == numbers),
            "{error}"
        );
    }
    let swapped_proofs = [proofs[1].clone(), proofs[0].clone()];
    let error = plan(&batches, &swapped_proofs);
    assert!(
        matches!(error, SignatureFoldError::OtherBatch(0)),
        "{error}"
    );
    let of_another = group(&swapped, &all[4..]);
    let error = plan(&of_another, &proofs[..1]).to_string();
    assert!(
        error.starts_with("the batch is about the registry "),
        "{error}"
    );
    // A fold is no leaf.
    let error = plan(&batches[..1], std::slice::from_ref(&whole.0));
    assert!(matches!(error, SignatureFoldError::Leaf(_)), "{error}");
}

/// The fold of the largest registry with batches of at most so many, and one of one signature, whose
/// proof has the shape of all.
fn largest(preset: Preset, batch: usize) -> (SignatureFold, SignatureBatch) {
    let one = signed(Xmss::DEFAULT, 0, 5);
    let others = (1..2_048).map(|number| PublicKey {
        root: [F::from_usize(number); 4],
        parameter: [F::ONE; 4],
    });
    let keys = std::iter::once(one.public_key).chain(others);
    let registry = Arc::new(Registry::new(keys.collect()).expect("different keys"));
    let batches = SignatureBatch::group(&registry, Xmss::DEFAULT, [one], 1);
    let deriver = Arc::new(Deriver::new());
    let fold = SignatureFold::new(registry, Xmss::DEFAULT, preset, batch, deriver);
    let fold = fold.unwrap_or_else(|error| panic!("{preset}, {batch}: {error}"));
    (fold, batches.expect("a batch").swap_remove(0))
}

/// Its key is derived at the sizes that the command offers. Nothing is proved.
#[test]
fn full_batches_have_a_fold() {
    for batch in [DEFAULT_BATCH, MAX_BATCH] {
        let preset = Preset::Proven120;
        let (fold, _) = largest(preset, batch);
        let path = &fold.fold().leaves()[0].paths()[0];
        assert_eq!(path.keys().len(), 2, "one wrap of {batch}");
        let behind = usize::from(fold.fold().family().bits_behind);
        assert!(behind >= preset.target_bits(), "{behind} bits of {batch}");
    }
}

/// One wrap brings their proofs to the shape of the fold.
#[test]
#[ignore = "minutes of CPU time: cargo test -p droste-tests --test xmss at_every_preset -- --ignored"]
fn full_batches_are_wrapped_at_every_preset() {
    for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
        for batch in [DEFAULT_BATCH, MAX_BATCH] {
            let (fold, one) = largest(preset, batch);
            let proof = fold.prover().prove(&one).expect("a proof");
            let proof = whir::encode(&proof).expect("it can be encoded");
            let wrap = fold.fold().wrap_leaf(&proof);
            wrap.unwrap_or_else(|error| panic!("{preset}, {batch}: {error}"));
        }
    }
}

/// With tables of the least heights, one wrap would not bring a batch to the shape of the rules, or a
/// union not fit it.
#[test]
fn a_union_of_the_largest_registry_fits() {
    let signed: Vec<SignedMessage> = (0..2).map(|seed| signed(Xmss::DEFAULT, seed, 5)).collect();
    let mut keys: Vec<PublicKey> = signed.iter().map(|signed| signed.public_key).collect();
    keys.extend((2..2_048).map(|number| PublicKey {
        root: [F::from_usize(number); 4],
        parameter: [F::ONE; 4],
    }));
    let registry = Arc::new(Registry::new(keys).expect("different keys"));
    let batches = SignatureBatch::group(&registry, Xmss::DEFAULT, signed, 1).expect("batches");
    // Three proofs of 101 bits have 99 together: `proven-100` is of no use at the default of 100.
    for (preset, tree_bits) in [(Preset::Proven100, Some(99)), (Preset::Proven120, None)] {
        let (registry, deriver) = (Arc::clone(&registry), Arc::new(Deriver::new()));
        let fold = SignatureFold::new(registry, Xmss::DEFAULT, preset, 1, deriver);
        let fold = fold.expect("a fold");
        let folder = tempfile::TempDir::new().expect("a folder");
        let store = Store::open(folder.path()).expect("a store");
        let proofs = batches
            .iter()
            .map(|batch| fold.prover().prove_kept(batch, &store).expect("a proof"));
        let proofs: Vec<Vec<u8>> = proofs.collect();
        let plan = fold.plan(&batches, &proofs).expect("a plan");
        let leaf = |index: usize| Ok(proofs[index].clone());
        let folded = run(fold.fold(), &plan, &store, leaf, |_| {
            ControlFlow::Continue(())
        });
        let folded = folded.expect("a fold");
        let wanted = Wanted {
            slot: 5,
            message: MESSAGE,
            min_signers: 2,
        };
        assert_eq!(folded.accepted().tree_bits < 100, tree_bits.is_some());
        let unverified = folded.into_unverified();
        let options = Options::min_bits(100).with_min_tree_bits(tree_bits);
        fold.check(unverified, &wanted, &options).expect("valid");
    }
}
