//! Verifies the last proof of a chain in contracts, and prints what that takes:
//! `cargo run --release -p droste-evm --example verify -- EXIT [--key KEY] [--changes COUNT]`.
//!
//! The file is what `droste exit` writes. Without a key, that of the proof is printed and used.
//! Changed proofs are given to the contract and to the native verifier, which must both refuse.

#[path = "../../tests/chain/mod.rs"]
mod chain;

use std::collections::BTreeMap;
use std::error::Error;

use droste_evm::calldata;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{DEPLOYER, call_data, statement_bytes};
use droste_evm::phase::Phase;
use droste_native::{F, KeccakSuite};
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Proof, Verifier};
use p3_field::Field;

use chain::changes::{Changes, LENGTHS};
use chain::{Chain, Outcome};

/// The order of the field.
const P: u32 = 0x7f00_0001;

/// Gas of a transaction before anything runs.
const TRANSACTION: u64 = 21_000;

/// Gas of all bytes, where one that is not zero takes so much, and a zero a fourth of it.
fn gas_of(bytes: &[u8], each: u64) -> u64 {
    let zeros = bytes.iter().filter(|&&byte| byte == 0).count() as u64;
    each * (bytes.len() as u64 - zeros) + each / 4 * zeros
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, options @ ..] = &arguments[..] else {
        return Err("usage: verify EXIT [--key KEY] [--changes COUNT]".into());
    };
    let (mut key, mut count) = (None, 0);
    for option in options.chunks(2) {
        match option {
            [name, value] if name == "--key" => key = Some(value.parse::<KeyDigest>()?),
            [name, value] if name == "--changes" => count = value.parse::<usize>()?,
            _ => return Err(format!("unknown option {}", option[0]).into()),
        }
    }
    let proof = whir::decode::<KeccakSuite>(&std::fs::read(file)?)?;
    let digest = proof.key.digest();
    if key.is_some_and(|key| key != digest) {
        return Err(format!("the proof is one of key {digest}").into());
    }
    println!("key        {digest}");
    println!("statement  {}", KeyDigest(proof.statement));
    let verifier = Verifier::<StandardTables, KeccakSuite>::new(proof.key.clone())?;
    let options = VerifyOptions::min_bits(0);
    let report = verifier.verify(&proof.statement, options, &proof)?;
    println!("bits       {}", report.bits());

    let contract = Contract::new(&verifier, &proof.log_heights)?;
    let contracts = contract.deployed_by(&DEPLOYER)?;
    for (index, (_, code)) in contracts.evaluators.iter().enumerate() {
        println!("code       evaluator {index}: {} bytes", code.bytes.len());
    }
    println!(
        "code       verifier: {} bytes",
        contracts.verifier.1.bytes.len()
    );
    let mut chain = Chain::new();
    println!("gas        to deploy: {:?}", chain.deploy(&contracts));
    let proof_bytes = calldata::encode(&proof);
    let data = call_data(&statement_bytes(&proof.statement), &proof_bytes);
    println!(
        "proof      {} bytes, {} of calldata",
        proof_bytes.len(),
        data.len()
    );
    let address = &contracts.verifier.0;
    let outcome = chain.call(address, &data, Some(contract.phase()));
    for (&phase, gas) in &outcome.phases {
        let name = Phase::of(phase).map_or("?", Phase::name);
        println!("gas        {name}: {gas}");
    }
    match outcome.result {
        Ok(_) => println!("the contract accepts the proof"),
        Err(_) => {
            return Err(
                format!("the contract refuses the proof: {:?}", outcome.refused_in()).into(),
            );
        }
    }
    let execution = outcome.gas - TRANSACTION - gas_of(&data, 16);
    println!(
        "gas        execution {execution}, transaction {}",
        outcome.gas
    );
    for floor in [40, 64] {
        let floor_gas = TRANSACTION + gas_of(&data, floor);
        let gas = floor_gas.max(TRANSACTION + gas_of(&data, 16) + execution);
        println!("gas        with a floor of {floor} a byte: {gas}");
    }
    change(&proof, count, |proof| {
        let data = call_data(&statement_bytes(&proof.statement), &calldata::encode(proof));
        let outcome = chain.call(address, &data, None);
        let native = verifier.verify(&proof.statement, options, proof);
        (outcome.result.is_ok() == native.is_ok(), outcome)
    })
}

/// Verifies changed proofs, and prints in which phases they are refused.
fn change(
    proof: &Proof<KeccakSuite>,
    count: usize,
    mut verify: impl FnMut(&Proof<KeccakSuite>) -> (bool, Outcome),
) -> Result<(), Box<dyn Error>> {
    let changes = &Changes::new(proof);
    let (mut refused, mut most) = (BTreeMap::new(), 0);
    let lists = changes.lists.iter().flat_map(|path| {
        let edits = LENGTHS.iter();
        edits.map(move |&edit| (path, changes.with_list(path, edit)))
    });
    // Zero, the largest value, and each bit. Steps that have no divisor in common with the number of
    // all changes visit each of them once.
    let each = 2 + F::bits();
    let all = changes.numbers.len() * each;
    let numbers = (0..all).map(|index| {
        let change = index * 7_919 % all;
        let path = &changes.numbers[change / each];
        let number = match change % each {
            0 => 0,
            1 => u64::from(P - 1),
            bit => changes.number(path) ^ (1 << (bit - 2)),
        };
        (path, changes.with_number(path, number))
    });
    let proofs = lists
        .chain(numbers)
        .filter_map(|(path, proof)| Some((path, proof?)));
    for (path, proof) in proofs.take(count) {
        let (agrees, outcome) = verify(&proof);
        if !agrees || outcome.result.is_ok() {
            return Err(format!("{path} changed: {:?}", outcome.result).into());
        }
        *refused.entry(outcome.refused_in()).or_insert(0) += 1;
        most = most.max(outcome.gas);
    }
    for (phase, count) in refused {
        println!(
            "changes    refused in {}: {count}",
            phase.map_or("?", Phase::name)
        );
    }
    if count > 0 {
        println!("changes    gas at most: {most}");
    }
    Ok(())
}
