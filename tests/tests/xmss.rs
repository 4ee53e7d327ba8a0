//! Batches of XMSS signatures are verified natively and in the machine, honest and not.

use droste::both_ways::{Hint, NativeTape, Program};
use droste_gadgets::xmss::{HEADER, verify_signatures};
use droste_native::F;
use droste_native::hash_signature::{Parameters, SecretKey, Signature, Xmss};
use droste_verifier::xmss::{Batch, BatchProgram};
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

fn batch(parameters: Parameters, keys: u8, slot: u32) -> (BatchProgram, Batch) {
    let scheme = Xmss::new(parameters).expect("a scheme");
    let signatures = (0..keys).map(|seed| {
        let key = SecretKey::generate(scheme, &[seed; 32], slot..=slot).expect("a key");
        let signature = key.sign(slot, &MESSAGE).expect("a signature");
        (key.public_key(), signature)
    });
    let batch = Batch {
        slot,
        message: MESSAGE,
        signatures: signatures.collect(),
    };
    let program = BatchProgram::new(scheme, keys.into()).expect("a program");
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

fn statement(program: &BatchProgram, batch: &Batch) -> [u32; 8] {
    let statement = batch.claim().statement(program.log_keys());
    statement.map(|element| element.as_canonical_u32())
}

fn compiled(program: &BatchProgram, main: fn()) -> Program {
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

#[test]
fn false_hints_prove_nothing_else() {
    let (program, batch) = batch(SMALL, 2, 5);
    let tape = native_tape(program.tape(&batch).expect("valid signatures"));
    let free = compiled(&program, verify_signatures::<1, 5, 26, 3>).mutate_hints(&tape, &[]);
    // Of each signature lane 0 of the low bits, since the element that it would be of has all its
    // digits, and the four elements of digits that five pairs of chains do not need.
    assert_eq!(free, 2 * (1 + 4));
}

/// Returns the changes of a signature that break it, by what they break.
fn broken(signature: &Signature) -> Vec<(&'static str, Signature)> {
    let changed = |edit: &dyn Fn(&mut Signature)| {
        let mut signature = signature.clone();
        edit(&mut signature);
        signature
    };
    vec![
        ("chain", changed(&|s| s.chain_values[3][1] += F::ONE)),
        ("path", changed(&|s| s.path[1][2] += F::ONE)),
        ("sum", changed(&|s| s.randomness[0] += F::ONE)),
    ]
}

/// One bad signature, wherever it is: hints cannot be made for it, and the honest signature's hints
/// with its values in their place are rejected by both runs.
#[test]
fn a_batch_with_one_bad_signature_proves_nothing() {
    let (program, honest) = batch(SMALL, 3, 5);
    let honest_tape = native_tape(program.tape(&honest).expect("valid signatures"));
    let compiled = compiled(&program, verify_signatures::<2, 5, 26, 3>);
    let first = honest_tape.hints.len() - 3;
    for index in 0..3 {
        for (what, signature) in broken(&honest.signatures[index].1) {
            let mut batch = honest.clone();
            batch.signatures[index].1 = signature.clone();
            let error = program.tape(&batch).expect_err("refused");
            assert!(error.to_string().contains(&index.to_string()), "{error}");

            let mut tape = honest_tape.clone();
            let Hint::Slice(blocks) = &mut tape.hints[first + index] else {
                panic!("a slice");
            };
            let values = signature.chain_values.as_flattened().chunks(8);
            for (block, values) in blocks[HEADER..].iter_mut().zip(values) {
                *block = std::array::from_fn(|lane| Some(values[lane]));
            }
            for (lane, element) in signature.randomness.iter().enumerate() {
                blocks[0][lane] = Some(*element);
            }
            if what == "path" {
                let level = HEADER + 5 + 1;
                let side = 4 * (1 - (5 >> 1 & 1));
                blocks[level][side + 2] = Some(signature.path[1][2]);
            }
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
    let mut short = four.clone();
    short.hints.pop();
    assert!(compiled.both(&short, &[]).is_err());
    let mut three = four.clone();
    three.hints.pop();
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
