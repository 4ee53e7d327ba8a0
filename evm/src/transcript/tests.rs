//! Compared with the native challenger.

use droste_native::stark::challenger::ExtensionTranscript;
use droste_native::{EF, F, HashSuite, KeccakSuite};
use p3_challenger::{CanObserve, CanSampleBits};
use p3_field::{PrimeCharacteristicRing, PrimeField32, RawDataSerializable};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::Code;
use crate::field;
use crate::machine::{gas, return_words, run, words};

const BUFFER: u64 = 0x400;
const OUTPUT: u64 = 0x2000;

/// A contract under construction, and the native challenger that does the same.
struct Both {
    a: Assembler,
    transcript: Transcript,
    data: Vec<u8>,
    native: <KeccakSuite as HashSuite>::Challenger,
    samples: Vec<Word>,
}

impl Both {
    fn new() -> Self {
        let mut a = Assembler::new();
        field::define(&mut a);
        define(&mut a);
        Self {
            a,
            transcript: Transcript::new(BUFFER),
            data: vec![],
            native: KeccakSuite::challenger(),
            samples: vec![],
        }
    }

    fn observe(&mut self, bytes: Vec<u8>) {
        let place = self.data.len() as u64;
        self.transcript
            .observe(&mut self.a, place, bytes.len() as u64);
        self.data.extend(bytes);
    }

    fn observe_base(&mut self, value: F) {
        self.native.observe(value);
        self.observe(F::into_byte_stream([value]).into_iter().collect());
    }

    fn observe_extension(&mut self, value: EF) {
        self.native.observe_extension(value);
        self.observe(EF::into_byte_stream([value]).into_iter().collect());
    }

    /// A digest, as the bytes of elements that native code observes.
    fn observe_word(&mut self, elements: [F; 8]) {
        self.native.observe_slice(&elements);
        let bytes: Vec<u8> = F::into_byte_stream(elements).into_iter().collect();
        let place = self.data.len() as u64;
        let word = Expr::from(place).calldata();
        self.transcript.observe_word(&mut self.a, word);
        self.data.extend(bytes);
    }

    /// Keeps a sample that has been bound.
    fn keep(&mut self, expected: Word) {
        let place = OUTPUT + 32 * self.samples.len() as u64;
        self.a.store(place, var("sample"));
        self.a.op(Op::Pop);
        self.samples.push(expected);
    }

    fn sample_extension(&mut self) {
        self.transcript.sample_element(&mut self.a, "sample");
        let expected = self.native.sample_extension();
        self.keep(field::encode(expected));
    }

    fn sample_bits(&mut self, bits: usize) {
        self.transcript
            .sample_bits(&mut self.a, "sample", bits as u32);
        let expected = self.native.sample_bits(bits);
        self.keep((expected as u64).into());
    }

    fn work(&mut self, bits: usize) {
        let nonce = match bits {
            0 => return,
            _ => self.native.prove_work(bits),
        };
        let place = self.data.len() as u64;
        self.transcript.check_work(&mut self.a, place, bits as u32);
        self.data.extend(F::into_byte_stream([nonce]));
    }

    fn finish(mut self) -> (Code, Vec<u8>, Vec<Word>) {
        let samples = (0..self.samples.len() as u64).map(|i| load(OUTPUT + 32 * i));
        let samples: Vec<Expr> = samples.collect();
        // What returns the words writes them to the beginning of memory.
        assert!(32 * samples.len() as u64 <= BUFFER);
        return_words(&mut self.a, samples);
        (self.a.assemble().unwrap(), self.data, self.samples)
    }
}

#[test]
fn random_transcripts_are_those_of_the_native_challenger() {
    for seed in 0..60 {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut both = Both::new();
        while both.samples.len() < 20 {
            match rng.random_range(0..9) {
                0 => both.observe_base(rng.random()),
                1 => both.observe_word(rng.random()),
                2 | 3 => both.observe_extension(rng.random()),
                4 | 5 => both.sample_extension(),
                6 => both.work(rng.random_range(0..6)),
                _ => both.sample_bits(rng.random_range(1..=24)),
            }
        }
        let (code, data, samples) = both.finish();
        assert_eq!(words(&code, &data), Some(samples), "seed {seed}");
    }
}

#[test]
fn many_indices_take_further_digests() {
    let mut both = Both::new();
    both.observe_base(F::ONE);
    (0..20).for_each(|_| both.sample_bits(20));
    both.sample_extension();
    both.sample_bits(3);
    both.work(3);
    both.sample_bits(7);
    let (code, data, samples) = both.finish();
    assert_eq!(words(&code, &data), Some(samples));
}

#[test]
fn nonces_that_do_no_work_or_are_no_elements_are_refused() {
    let mut both = Both::new();
    both.observe_base(F::TWO);
    both.work(5);
    both.sample_extension();
    let (code, data, _) = both.finish();
    assert!(run(&code, &data).is_some());
    let nonce = data.len() - 4;
    let refused = |bytes: [u8; 4]| {
        let mut data = data.clone();
        data[nonce..].copy_from_slice(&bytes);
        run(&code, &data).is_none()
    };
    let others = (1..=1000).map(|x| F::from_u32(x).to_unique_u32().to_le_bytes());
    let passing = others.filter(|bytes| !refused(*bytes)).count();
    assert!(
        (10..60).contains(&passing),
        "{passing} of 1000 nonces pass 5 bits"
    );
    // Nonces of at least `p`, of which some would pass.
    assert!((0..200).all(|x| refused((P as u32 + x).to_le_bytes())));
}

#[test]
fn loops_must_end_as_they_start() {
    let mut both = Both::new();
    both.transcript.repeat_while(&mut both.a, |transcript, a| {
        transcript.observe(a, 0, 4);
        0.into()
    });
    assert_eq!(both.a.assemble(), Err(AssemblerError::Loop));
}

#[test]
fn gas_is_as_it_was() {
    let setup = |a: &mut Assembler| {
        field::define(a);
        define(a);
        a.store(BUFFER + 128, 0);
    };
    let round = |a: &mut Assembler| {
        let mut transcript = Transcript::new(BUFFER);
        transcript.pending.start = BUFFER;
        transcript.observe(a, 0, 40);
        transcript.sample_element(a, "r");
    };
    let work = |a: &mut Assembler| {
        let mut transcript = Transcript::new(BUFFER);
        transcript.pending.start = BUFFER;
        transcript.check_work(a, 0, 1);
    };
    let found = [
        ("observe 40 bytes, sample", gas(setup, round, &[0; 40])),
        ("work", gas(setup, work, &[0; 40])),
    ];
    assert_eq!(found, [("observe 40 bytes, sample", 379), ("work", 289)]);
}
