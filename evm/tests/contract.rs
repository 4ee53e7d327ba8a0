//! Contracts against the native verifier, end to end, on a chain.

#[path = "../src/dishonest.rs"]
mod dishonest;
mod yul;

use std::sync::OnceLock;

use droste_evm::calldata;
use droste_evm::chain::{Chain, MAX_GAS, change_number, is_of_tables};
use droste_evm::contract::deploy::{Contracts, DEPLOYER, call_data, statement_bytes};
use droste_evm::contract::{Contract, ContractError, MAX_CODE};
use droste_evm::phase::Phase;
use droste_native::changes::{Changes, LENGTHS, Place, sample};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{F, KeccakSuite};
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::isa::id;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{Proof, ProvingKey, Verifier};
use p3_field::PrimeCharacteristicRing;

use dishonest::{Deviation, Dishonest, congruent};

/// A program of few rows. Its machine has all tables that verify proofs.
const PROGRAM: &str = "use droste_gadgets::prelude::*;
    pub fn main() { let x = public_input(); reveal(x * x); }";

/// The order of the field.
const P: u32 = 0x7f00_0001;

/// Gas of the phases of its example.
const GAS_OF_PHASES: [u64; 10] = [
    365, 1_996, 1_789, 128_335, 715_697, 101_735, 29_392, 95_401, 18_824, 158_260,
];

/// A key of the program.
fn key(settings: WhirSettings) -> ProvingKey<StandardTables, KeccakSuite> {
    let program = &compile(PROGRAM, &[]).unwrap().program;
    let precompiles = [id::EXT, id::POSEIDON16_SPONGE, id::POWER_WEIGHTS].into();
    ProvingKey::with_precompiles(program, &precompiles, settings, Heights::Minimal).unwrap()
}

/// Settings of last proofs, with few queries and a little work.
const fn settings() -> WhirSettings {
    WhirSettings {
        grinding_bits: 3,
        lookup_grinding_bits: 2,
        ..WhirSettings::of_exit(Preset::Toy)
    }
}

struct Example {
    verifier: Verifier<StandardTables, KeccakSuite>,
    proof: Proof<KeccakSuite>,
    contract: Contract,
    contracts: Contracts,
}

fn example() -> &'static Example {
    static EXAMPLE: OnceLock<Example> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let compiled = compile(PROGRAM, &[]).unwrap();
        let inputs = [F::from_u32(12)];
        let execution = execute(&compiled, &inputs, &Tape::default(), 1 << 16).unwrap();
        let key = key(settings());
        let proof = key.prove_run(&execution).unwrap();
        let verifier = Verifier::new(key.key().clone()).unwrap();
        let contract = Contract::new(&verifier, &proof.log_heights).unwrap();
        let contracts = contract.deployed_by(&DEPLOYER).unwrap();
        Example {
            verifier,
            proof,
            contract,
            contracts,
        }
    })
}

impl Example {
    fn chain(&self) -> Chain {
        let mut chain = Chain::new();
        let gas = chain.deploy(&self.contracts).unwrap();
        assert!(gas.iter().all(|&gas| gas < MAX_GAS));
        chain
    }

    fn data(&self, proof: &Proof<KeccakSuite>) -> Vec<u8> {
        call_data(&statement_bytes(&proof.statement), &calldata::encode(proof))
    }

    fn is_accepted(&self, proof: &Proof<KeccakSuite>) -> bool {
        let options = VerifyOptions::min_bits(0);
        self.verifier
            .verify(&proof.statement, options, proof)
            .is_ok()
    }
}

#[test]
fn proofs_are_accepted() {
    let example = example();
    assert!(example.is_accepted(&example.proof));
    let codes = example
        .contracts
        .evaluators
        .iter()
        .chain([&example.contracts.verifier]);
    for (_, code) in codes {
        assert!(code.bytes.len() <= MAX_CODE);
        yul::check(code);
    }
    let (mut chain, data) = (example.chain(), example.data(&example.proof));
    let outcome = chain.call(&example.contracts.verifier.0, &data, None);
    let yes: Vec<u8> = std::iter::repeat_n(0, 31).chain([1]).collect();
    assert_eq!(outcome.refused_in(), None);
    assert_eq!(outcome.result, Ok(yes));
}

/// Gas of each phase, in their order. Proofs are deterministic, so it is always the same; what
/// changes it should be meant to.
#[test]
fn gas_of_phases() {
    let example = example();
    let (mut chain, data) = (example.chain(), example.data(&example.proof));
    let place = Some(example.contract.phase());
    let outcome = chain.call(&example.contracts.verifier.0, &data, place);
    let gas: Vec<u64> = outcome.phases.values().copied().collect();
    assert_eq!(outcome.phases.len(), Phase::ALL.len());
    assert_eq!(gas, GAS_OF_PHASES);
}

#[test]
fn keys_that_no_contract_verifies_are_errors() {
    let settings = WhirSettings {
        cap_height: 1,
        ..settings()
    };
    let example = example();
    let verifier = Verifier::<StandardTables, _>::new(key(settings).key().clone()).unwrap();
    let heights = &example.proof.log_heights;
    let refused = Contract::new(&verifier, heights).err();
    assert!(
        matches!(refused, Some(ContractError::Program(2))),
        "{refused:?}"
    );
    let refused = Contract::new(&example.verifier, &heights[1..]).err();
    assert!(
        matches!(refused, Some(ContractError::Verify(_))),
        "{refused:?}"
    );
    let refused = example.contract.verifier(&[]).err();
    let is_expected = matches!(
        refused,
        Some(ContractError::Addresses {
            expected: 2,
            found: 0
        })
    );
    assert!(is_expected, "{refused:?}");
}

/// A verifier without its evaluators accepts nothing.
#[test]
fn evaluators_are_needed() {
    let example = example();
    let mut chain = Chain::new();
    let contracts = Contracts {
        evaluators: vec![],
        ..example.contracts.clone()
    };
    chain.deploy(&contracts).unwrap();
    let data = example.data(&example.proof);
    let outcome = chain.call(&contracts.verifier.0, &data, None);
    assert_eq!(outcome.refused_in(), Some(Phase::Constraints));
}

#[test]
fn calls_that_are_encoded_otherwise_are_refused() {
    let example = example();
    let (mut chain, data) = (example.chain(), example.data(&example.proof));
    let mut refused_in = |data: &[u8]| {
        chain
            .call(&example.contracts.verifier.0, data, None)
            .refused_in()
    };
    assert_eq!(refused_in(&data), None);
    let changed = |place: usize, bytes: &[u8]| {
        let mut data = data.clone();
        data[place..place + bytes.len()].copy_from_slice(bytes);
        data
    };
    let encoding = Some(Phase::Encoding);
    for length in [0, 3, 4, 36, 68, 100, 132, data.len() - 32, data.len() - 1] {
        assert_eq!(refused_in(&data[..length]), encoding);
    }
    assert_eq!(refused_in(&[&data[..], &[0]].concat()), encoding);
    assert_eq!(refused_in(&[&data[..], &[0; 32]].concat()), encoding);
    for place in [0, 3, 36, 67, 68, 90] {
        assert_eq!(refused_in(&changed(place, &[data[place] ^ 1])), encoding);
    }
    let length = calldata::encode(&example.proof).len() as u32;
    for other in [0, length - 1, length + 1, length + 32, u32::MAX] {
        assert!(refused_in(&changed(96, &other.to_be_bytes())).is_some());
    }
    // Lengths that are a multiple of 2^32 when they are rounded up to whole words.
    for length in [u32::MAX - 30, u32::MAX] {
        let data = changed(96, &length.to_be_bytes());
        assert_eq!(refused_in(&data[..100]), encoding);
    }
    let longer = call_data(&statement_bytes(&example.proof.statement), &[0; 64]);
    assert!(refused_in(&longer).is_some());
    // The proof is not a multiple of 32 bytes, so that something could be behind it.
    let padding = data.len() - 100 - length as usize;
    assert!(padding > 0);
    for place in [data.len() - padding, data.len() - 1] {
        assert_eq!(refused_in(&changed(place, &[1])), encoding);
    }
    // Elements of the statement that are not canonical, and other ones.
    for element in 0..8 {
        for value in [P, u32::MAX] {
            let data = changed(4 + 4 * element, &value.to_le_bytes());
            assert_eq!(refused_in(&data), Some(Phase::Statement));
        }
        for value in [1, P - 1] {
            assert!(refused_in(&changed(4 + 4 * element, &value.to_le_bytes())).is_some());
        }
    }
}

/// The function takes no value, which nobody could take out again.
#[test]
fn values_are_refused() {
    let example = example();
    let (mut chain, data) = (example.chain(), example.data(&example.proof));
    let to = &example.contracts.verifier.0;
    let outcome = chain.call_with(to, &data, None, 1, MAX_GAS);
    assert_eq!(outcome.refused_in(), Some(Phase::Encoding));
}

/// A true proof is refused with too little gas, also as if a constraint did not hold: an evaluator
/// has run out of gas, and what it leaves is enough to revert. So a refusal shows nothing.
#[test]
fn true_proofs_are_refused_with_too_little_gas() {
    let example = example();
    let (mut chain, data) = (example.chain(), example.data(&example.proof));
    let to = &example.contracts.verifier.0;
    let enough = chain.call(to, &data, None).gas;
    let mut phases = vec![];
    for part in 20..40 {
        let outcome = chain.call_with(to, &data, None, 0, enough * part / 40);
        assert!(outcome.result.is_err(), "{part}");
        phases.push(outcome.refused_in());
    }
    assert!(phases.contains(&Some(Phase::Constraints)), "{phases:?}");
}

/// The proof of a prover who deviates, and its transcript.
fn prove(deviation: Deviation) -> (Proof<KeccakSuite>, Dishonest) {
    let compiled = compile(PROGRAM, &[]).unwrap();
    let inputs = [F::from_u32(12)];
    let execution = execute(&compiled, &inputs, &Tape::default(), 1 << 16).unwrap();
    let key = key(settings());
    let traces = key.traces(&execution).unwrap();
    let mut transcript = Dishonest::new(deviation);
    let proof = key.prove_traces_with(execution.statement, &traces, &mut transcript);
    (proof.unwrap(), transcript)
}

/// A prover who does a bit too little work once, and everything else by the book, is refused there.
#[test]
fn every_proof_of_work_has_all_its_bits() {
    let example = example();
    let (mut chain, to) = (example.chain(), &example.contracts.verifier.0);
    let mut refused_in = |proof: &Proof<KeccakSuite>| {
        let outcome = chain.call(to, &example.data(proof), None);
        assert_eq!(outcome.result.is_ok(), example.is_accepted(proof));
        outcome.refused_in()
    };
    let (proof, transcript) = prove(Deviation::None);
    assert_eq!(refused_in(&proof), None);
    let phases = (0..transcript.works).map(|work| refused_in(&prove(Deviation::Work(work)).0));
    let phases: Vec<_> = phases.collect();
    assert_eq!(phases[0], Some(Phase::Commitment));
    let later = [Phase::Sumchecks, Phase::Queries].map(Some);
    assert!(phases.len() > 1 && phases[1..].iter().all(|phase| later.contains(phase)));
}

/// A prover who writes an element in another way, and goes on with the challenges that follow from
/// that, is refused: there is one encoding of a proof. Some elements of each kind.
#[test]
fn elements_have_one_encoding() {
    let example = example();
    let (mut chain, to) = (example.chain(), &example.contracts.verifier.0);
    let count = prove(Deviation::None).1.elements.len();
    let mut found = 0;
    for element in (0..count).step_by(count / 60 + 1).chain([count - 1]) {
        let (proof, transcript) = prove(Deviation::Element(element));
        let mut data = example.data(&proof);
        let bytes = &transcript.elements[element];
        let windows = data.windows(bytes.len()).enumerate();
        let places = windows.filter(|(_, window)| window == bytes);
        // Slots without a column are zero, and there are several.
        let [place] = places.map(|(place, _)| place).collect::<Vec<_>>()[..] else {
            continue;
        };
        data[place..place + bytes.len()].copy_from_slice(&congruent(bytes));
        let outcome = chain.call(to, &data, None);
        assert!(outcome.result.is_err(), "element {element} of {count}");
        found += 1;
    }
    assert!(found > 30, "{found}");
}

/// The contract answers as the native verifier does, and a proof that it refuses takes no more gas
/// than one that it accepts.
#[test]
fn changed_proofs_are_refused_as_the_native_verifier_refuses_them() {
    let example = example();
    let (mut chain, address) = (example.chain(), &example.contracts.verifier.0);
    let accepted = chain.call(address, &example.data(&example.proof), None);
    let mut most = 0;
    let mut agree = |proof: &Proof<KeccakSuite>, what: &str| {
        let outcome = chain.call(address, &example.data(proof), None);
        assert_eq!(outcome.result.is_ok(), example.is_accepted(proof), "{what}");
        most = most.max(outcome.gas);
        outcome.result.is_ok()
    };
    assert!(agree(&example.proof, "as it is"));
    let changes = Changes::new(&example.proof).unwrap();
    let numbers = changes.numbers().into_iter().filter(is_of_tables);
    let (trees, others): (Vec<_>, Vec<_>) =
        numbers.partition(|place: &Place<'_>| place.kind.contains("trees"));
    let mut count = 0;
    let mut refuse = |proof: Option<Proof<KeccakSuite>>, place: &Place<'_>| {
        if let Some(proof) = proof {
            assert!(!agree(&proof, &place.name), "{}", place.name);
            count += 1;
        }
    };
    for place in sample(others, 520).chain(sample(trees, 200)) {
        for change in 0..3 {
            let changed = changes.with(&place, |node| change_number(node, change));
            refuse(changed, &place);
        }
    }
    let lists = changes.lists().into_iter().filter(is_of_tables);
    for place in sample(lists.collect(), 60) {
        for edit in LENGTHS {
            refuse(changes.with_list(&place, edit), &place);
        }
    }
    assert!(count > 1_400, "{count}");
    assert!(
        most <= accepted.gas + accepted.gas / 50,
        "{most}, {}",
        accepted.gas
    );
}

/// No byte of a proof can be changed, and no element be another one modulo the field's order.
#[test]
fn every_byte_is_read() {
    let example = example();
    let (mut chain, data) = (example.chain(), example.data(&example.proof));
    let length = calldata::encode(&example.proof).len();
    for place in (0..length).step_by(length / 150) {
        let mut changed = data.clone();
        changed[100 + place] ^= 1 << (place % 8);
        let outcome = chain.call(&example.contracts.verifier.0, &changed, None);
        assert!(outcome.result.is_err(), "byte {place}");
        // Elements are words from the start of the outside values on, up to the first later root.
        let element = 100 + 32 + place / 10 / 4 * 4;
        let word = data[element..].first_chunk().unwrap();
        let value = u32::from_le_bytes(*word);
        for other in [value.wrapping_add(P), P, u32::MAX] {
            let mut data = data.clone();
            data[element..element + 4].copy_from_slice(&other.to_le_bytes());
            let outcome = chain.call(&example.contracts.verifier.0, &data, None);
            assert!(outcome.result.is_err(), "word {element}");
        }
    }
}
