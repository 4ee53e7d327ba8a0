//! Compared with the native verifier.

use std::sync::OnceLock;

use droste_native::stark::challenger::{ExtensionTranscript, Sent};
use droste_native::whir::WhirSettings;
use droste_native::{F, HashSuite, KeccakSuite};
use droste_vm::key::KeyHeights;
use droste_vm::machine::StandardTables;
use droste_vm::whir::Verifier;
use droste_vm::whir::challenges::LookupChallenges;
use droste_vm::whir::expressions::{Leaf, Row};
use droste_vm::whir::zerocheck::{self, LeafClaim, Opened, Reduction, ZerocheckProof};
use p3_challenger::CanObserve;
use p3_field::RawDataSerializable;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::{Code, Op};
use crate::field::{self, encode};
use crate::machine::{MAX_CODE, gas, run, run_with};
use crate::transcript;

/// The recursion machine, at heights of which most differ from their neighbours.
const TABLES: [(&str, usize); 7] = [
    ("cpu", 14),
    ("ext", 14),
    ("poseidon16", 13),
    ("power_weights", 12),
    ("program", 14),
    ("words", 13),
    ("blocks", 14),
];

fn machine() -> &'static (System, Shape) {
    static MACHINE: OnceLock<(System, Shape)> = OnceLock::new();
    MACHINE.get_or_init(|| {
        let (names, heights): (Vec<_>, Vec<_>) = TABLES.into_iter().unzip();
        let names: Vec<String> = names.into_iter().map(String::from).collect();
        let fixed = KeyHeights::Fixed(heights.clone());
        let settings = WhirSettings::proven_100();
        let verifier = Verifier::<StandardTables>::of_machine(settings, &names, fixed, 14);
        let system = verifier.unwrap().system().clone();
        let shape = Shape::new(&system, &heights).unwrap();
        (system, shape)
    })
}

/// A proof, and what it is verified for.
#[derive(Clone)]
struct Example {
    claim: LeafClaim,
    lookups: LookupChallenges,
    public_values: Vec<F>,
    proof: ZerocheckProof,
    opened: Vec<Opened>,
}

fn challenger() -> <KeccakSuite as HashSuite>::Challenger {
    let mut challenger = KeccakSuite::challenger();
    challenger.observe(F::ONE);
    let _ = challenger.sample_extension();
    challenger
}

impl Example {
    /// Random messages and values. The numerator is the one that they show, as a prover's would be.
    fn new(seed: u64) -> Self {
        let (system, shape) = machine();
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut values = |count: usize| -> Vec<EF> { (0..count).map(|_| rng.random()).collect() };
        let rounds = (0..shape.max_log_height()).map(|_| Sent::forged(values(system.degree())));
        let proof = ZerocheckProof {
            rounds: rounds.collect(),
        };
        let opened = system.tables().iter().map(|table| Opened {
            main: values(table.main.width()),
            main_next: values(table.main.num_next()),
            preprocessed: values(table.preprocessed.width()),
            preprocessed_next: values(table.preprocessed.num_next()),
        });
        let opened = opened.collect();
        let [alpha, beta, theta, denominator] = values(4)[..].try_into().unwrap();
        let point = values(shape.log_leaves());
        let mut example = Self {
            claim: LeafClaim {
                numerator: EF::ZERO,
                denominator,
                point,
                theta,
            },
            lookups: LookupChallenges { alpha, beta },
            public_values: (0..system.num_public_values() as u32)
                .map(F::from_u32)
                .collect(),
            proof,
            opened,
        };
        // A round's polynomial adds to its claim what does not depend on it.
        let reduction = example.reduction();
        example.claim.numerator = example.sum(&reduction) - reduction.value;
        example
    }

    fn reduction(&self) -> Reduction {
        let (system, shape) = machine();
        let challenger = &mut challenger();
        zerocheck::verify(system, shape, &self.claim, &self.proof, challenger).unwrap()
    }

    /// The sum over the tables, by the definition.
    fn sum(&self, reduction: &Reduction) -> EF {
        let (system, shape) = machine();
        let (mut sum, mut power) = (EF::ZERO, reduction.alpha);
        let tables = system.tables().iter().zip(&self.opened);
        let places = shape.log_heights().iter().zip(shape.starts());
        for ((table, opened), (&log_height, start)) in tables.zip(places) {
            let point = &reduction.point[reduction.point.len() - log_height..];
            let first: EF = point.iter().map(|&x| EF::ONE - x).product();
            let last: EF = point.iter().copied().product();
            let (main, preprocessed) = (&table.main, &table.preprocessed);
            let values = table.expressions.evaluate(&|leaf| match leaf {
                Leaf::Main(Row::Current, column) => opened.main[main.slot(column)],
                Leaf::Main(Row::Next, column) => opened.main_next[main.slot(column)],
                Leaf::Preprocessed(Row::Current, column) => {
                    opened.preprocessed[preprocessed.slot(column)]
                }
                Leaf::Preprocessed(Row::Next, column) => {
                    opened.preprocessed_next[preprocessed.slot(column)]
                }
                Leaf::Public(index) => self.public_values[index].into(),
                Leaf::FirstRow => first,
                Leaf::LastRow => last,
                Leaf::Transition => EF::ONE - last,
            });
            for &constraint in table.expressions.constraints().iter().rev() {
                sum += power * values[constraint];
                power *= reduction.alpha;
            }
            let coordinates = self.claim.point.len() - log_height;
            let blocks = (start >> log_height)..;
            let messages = table.expressions.messages().iter().zip(&table.buses);
            for (block, (message, &bus)) in blocks.zip(messages) {
                let weight =
                    droste_vm::whir::hypercube::eq_at(&self.claim.point[..coordinates], block);
                let elements = message.payload.iter().map(|&node| values[node]);
                let factors = self.lookups.factors(message.payload.len());
                let combined: EF = elements.zip(factors).map(|(x, factor)| x * factor).sum();
                let denominator = self.lookups.prefix(system, bus) - combined;
                let multiplicity = values[message.multiplicity];
                sum += weight * (multiplicity + self.claim.theta * (denominator - EF::ONE));
            }
        }
        sum
    }

    fn is_accepted(&self) -> bool {
        let (system, shape) = machine();
        let (public_values, reduction) = (&self.public_values, self.reduction());
        let (claim, lookups) = (&self.claim, &self.lookups);
        zerocheck::check(
            system,
            shape,
            claim,
            lookups,
            public_values,
            &reduction,
            &self.opened,
        )
        .is_ok()
    }

    /// The calldata: what is observed before, the proof, and the words that are in memory.
    fn data(&self) -> Vec<u8> {
        let mut data: Vec<u8> = F::into_byte_stream([F::ONE]).into_iter().collect();
        let rounds = self.proof.rounds.iter().flat_map(Sent::peek).copied();
        let opened = self.opened.iter().flat_map(Opened::values);
        data.extend(EF::into_byte_stream(rounds.chain(opened)));
        let claim = [
            self.claim.numerator,
            self.claim.denominator,
            self.claim.theta,
        ];
        let lookups = [self.lookups.alpha, self.lookups.beta];
        let public_values = self.public_values.iter().map(|&x| EF::from(x));
        let words = claim
            .iter()
            .chain(&self.claim.point)
            .chain(&lookups)
            .copied();
        let words = words.chain(public_values);
        data.extend(words.flat_map(|word| encode(word).to_be_bytes()));
        data
    }
}

/// Bytes that are observed in front of the proof.
const START: u64 = 4;
const CONSTANTS: u64 = 0x40;
const INPUTS: u64 = CONSTANTS + ELEMENT_BYTES * field::KEPT as u64;

fn memory() -> Memory {
    let (system, shape) = machine();
    let point = INPUTS + 3 * ELEMENT_BYTES;
    let point_end = word(point, shape.log_leaves());
    let public_values = word(point_end, 2);
    let opened_point = word(public_values, system.num_public_values());
    Memory {
        claim: INPUTS,
        point_end,
        lookups: point_end,
        public_values,
        opened_point,
        work: word(opened_point, shape.max_log_height()),
    }
}

fn verifier() -> Zerocheck<'static> {
    let (system, shape) = machine();
    Zerocheck::new(system, shape, memory())
}

fn setup(a: &mut Assembler) {
    field::define(a);
    field::keep_constants(a, CONSTANTS);
    transcript::define(a);
    let words = START + verifier().proof_bytes();
    let length = memory().opened_point - INPUTS;
    a.run(
        Op::CallDataCopy,
        [INPUTS.into(), words.into(), length.into()],
    );
}

fn statements(a: &mut Assembler) {
    statements_with(a, &[]);
}

fn statements_with(a: &mut Assembler, evaluators: &[Evaluator<'_>]) {
    let mut transcript = Transcript::new(1 << 16);
    transcript.observe(a, 0, START);
    transcript.sample_element(a, "first");
    let zerocheck = verifier();
    zerocheck
        .verify(a, &mut transcript, START, evaluators)
        .unwrap();
}

fn contract() -> Code {
    let mut a = Assembler::new();
    setup(&mut a);
    statements(&mut a);
    a.assemble().unwrap()
}

#[test]
fn proofs_are_accepted_as_the_native_verifier_accepts_them() {
    let code = contract();
    for seed in 0..3 {
        let example = Example::new(seed);
        assert!(example.is_accepted());
        assert!(run(&code, &example.data()).is_some());
    }
}

/// Places of opened values that no expression reads: slots that are opened in the next row because
/// their number is rounded up. The opening shows them to be values of columns.
fn unread() -> Vec<u64> {
    let (system, shape) = machine();
    let rounds = system.degree() * shape.max_log_height();
    let mut place = START + PACKED_BYTES * rounds as u64;
    let mut unread = vec![];
    for table in system.tables() {
        let leaves = table.expressions.leaves();
        let (main, preprocessed) = (table.main.columns(), table.preprocessed.columns());
        let current = main.iter().map(|&column| Leaf::Main(Row::Current, column));
        let next = &main[..table.main.num_next()];
        let next = next.iter().map(|&column| Leaf::Main(Row::Next, column));
        let preprocessed = preprocessed.iter();
        let preprocessed = preprocessed.map(|&column| Leaf::Preprocessed(Row::Current, column));
        for leaf in current.chain(next).chain(preprocessed) {
            if !leaves.contains(&leaf) {
                unread.push(place);
            }
            place += PACKED_BYTES;
        }
    }
    assert_eq!(place, START + verifier().proof_bytes());
    unread
}

#[test]
fn changed_proofs_and_claims_are_refused() {
    let code = contract();
    let data = Example::new(5).data();
    let end = START + verifier().proof_bytes();
    let is_accepted = |place: u64| {
        let mut data = data.clone();
        // The low byte of a word, so that it stays below p.
        data[place as usize] ^= 1;
        run(&code, &data).is_some()
    };
    let elements = (START..end).step_by(PACKED_BYTES as usize);
    let accepted: Vec<u64> = elements.filter(|&place| is_accepted(place)).collect();
    assert_eq!(accepted, unread());
    let words = (end..data.len() as u64).step_by(ELEMENT_BYTES as usize);
    let mut words = words.map(|place| place + ELEMENT_BYTES - 1);
    assert!(!words.any(is_accepted));
}

/// The native verifier refuses what the contract refuses: some of each kind.
#[test]
fn the_native_verifier_refuses_changes_too() {
    let example = Example::new(6);
    let refused = |change: fn(&mut Example)| {
        let mut changed = example.clone();
        change(&mut changed);
        assert!(!changed.is_accepted());
        assert!(run(&contract(), &changed.data()).is_none());
    };
    refused(|example| example.claim.denominator += EF::ONE);
    refused(|example| example.claim.point[0] += EF::ONE);
    refused(|example| example.lookups.alpha += EF::ONE);
    refused(|example| example.public_values[3] += F::ONE);
    refused(|example| example.proof.rounds[2].forge()[1] += EF::ONE);
    refused(|example| example.opened[2].main[17] += EF::ONE);
    refused(|example| example.opened[0].main_next[1] += EF::ONE);
    refused(|example| example.opened[4].preprocessed[0] += EF::ONE);
}

/// The tables that are left to another contract.
const ELSEWHERE: [&str; 6] = ["cpu", "ext", "power_weights", "program", "words", "blocks"];
const ADDRESS: u8 = 0x77;

/// A contract that leaves tables to another one, and that one.
fn two_contracts(elsewhere: &[&str]) -> [Code; 2] {
    let mut main = Assembler::new();
    setup(&mut main);
    let evaluator = Evaluator {
        address: u64::from(ADDRESS).into(),
        tables: elsewhere,
    };
    statements_with(&mut main, &[evaluator]);
    let mut other = Assembler::new();
    field::define(&mut other);
    field::keep_constants(&mut other, CONSTANTS);
    verifier().evaluator(&mut other, elsewhere).unwrap();
    [main, other].map(|assembler| assembler.assemble().unwrap())
}

#[test]
fn tables_may_be_left_to_another_contract() {
    let one = Example::new(8);
    let mut other = one.clone();
    other.claim.numerator += EF::ONE;
    for elsewhere in [
        &ELSEWHERE[..],
        &["poseidon16"],
        &["cpu", "words"],
        &["ext"],
        &["blocks"],
    ] {
        let [main, evaluator] = two_contracts(elsewhere);
        let accepts = |example: &Example, others: &[(u8, &Code)]| {
            run_with(&main, others, &example.data()).is_some()
        };
        assert!(accepts(&one, &[(ADDRESS, &evaluator)]), "{elsewhere:?}");
        assert!(!accepts(&other, &[(ADDRESS, &evaluator)]));
        // A contract that is not there, or is another one.
        assert!(!accepts(&one, &[]));
        assert!(!accepts(&one, &[(ADDRESS, &main)]));
    }
    let mut a = Assembler::new();
    let unknown = verifier().evaluator(&mut a, &["cpu", "gpu"]);
    assert_eq!(unknown, Err(ConstraintsError::Unknown("gpu".to_owned())));
}

#[test]
fn heights_of_other_tables_are_refused() {
    let (_, shape) = machine();
    let names = ["cpu", "program", "words", "blocks"].map(String::from);
    let fixed = KeyHeights::Fixed(vec![14; names.len()]);
    let settings = WhirSettings::proven_100();
    let verifier = Verifier::<StandardTables>::of_machine(settings, &names, fixed, 14).unwrap();
    let zerocheck = Zerocheck::new(verifier.system(), shape, memory());
    let evaluated = zerocheck.evaluator(&mut Assembler::new(), &["cpu"]);
    let refused = ConstraintsError::Heights {
        expected: names.len(),
        found: TABLES.len(),
    };
    assert_eq!(evaluated, Err(refused));
}

/// A contract that calls another one with its own calldata, and ends with so many bytes of memory,
/// of which the first 64 are what the other one returned.
fn relay(address: u8, end: Op, length: u64) -> Code {
    let mut a = Assembler::new();
    let size = || Expr::Op(Op::CallDataSize, vec![]);
    a.run(Op::CallDataCopy, [0.into(), 0.into(), size()]);
    let (gas, address) = (Expr::Op(Op::Gas, vec![]), u64::from(address).into());
    let (place, results) = (Expr::from(1 << 16), Expr::from(64));
    let call = vec![gas, address, 0.into(), size(), place.clone(), results];
    a.revert_if(Expr::Op(Op::IsZero, vec![Expr::Op(Op::StaticCall, call)]));
    a.run(end, [place, length.into()]);
    a.assemble().unwrap()
}

/// The right values are not enough: the call must succeed, and return nothing else.
#[test]
fn evaluators_must_succeed_and_return_two_words() {
    let [main, evaluator] = two_contracts(&ELSEWHERE);
    let other = ADDRESS + 1;
    let accepts = |end: Op, length: u64| {
        let relay = relay(other, end, length);
        let others = [(ADDRESS, &relay), (other, &evaluator)];
        run_with(&main, &others, &Example::new(9).data()).is_some()
    };
    assert!(accepts(Op::Return, 64));
    assert!(!accepts(Op::Revert, 64));
    for length in [0, 32, 63, 65, 96] {
        assert!(!accepts(Op::Return, length), "{length}");
    }
}

/// With no contract at the address, a sum that is zero would be the one that is asked for.
#[test]
fn nothing_is_not_zero() {
    let names: Vec<&str> = TABLES.into_iter().map(|(name, _)| name).collect();
    let mut a = Assembler::new();
    setup(&mut a);
    let address = u64::from(ADDRESS).into();
    let tables = &names[..];
    statements_with(&mut a, &[Evaluator { address, tables }]);
    let main = a.assemble().unwrap();
    let mut example = Example::new(10);
    // What the rounds leave is zero.
    example.claim.numerator -= example.reduction().value;
    assert_eq!(example.reduction().value, EF::ZERO);
    assert!(!example.is_accepted());
    let zeros = {
        let mut a = Assembler::new();
        a.run(Op::Return, [0.into(), 64.into()]);
        a.assemble().unwrap()
    };
    let accepts = |others: &[(u8, &Code)]| run_with(&main, others, &example.data()).is_some();
    assert!(accepts(&[(ADDRESS, &zeros)]));
    assert!(!accepts(&[]));
}

#[test]
fn gas_is_as_it_was() {
    let used = gas(setup, statements, &Example::new(7).data());
    let codes = two_contracts(&ELSEWHERE).map(|code| code.bytes.len());
    assert!(codes.iter().all(|&length| length <= MAX_CODE));
    assert_eq!((used, codes), (765302, [11857, 20161]));
}
