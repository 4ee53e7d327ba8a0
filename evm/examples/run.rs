//! Runs what `droste evm` has written, in revm, and prints the gas of each transaction:
//! `cargo run --release -p droste-evm --example run -- CONTRACTS`.
//!
//! Every contract of the folder is deployed. Then the verifier gets its call; if there is a leaf
//! root, the consumer gets its own, and opens the leaves of `openings.json`.

#[path = "../tests/chain/mod.rs"]
mod chain;

use std::error::Error;
use std::path::Path;

use chain::{Chain, Outcome};
use droste_evm::contract::deploy::{Address, DEPLOYER};
use droste_evm::registry::{HOLDS, Opening};
use droste_vm::key::KeyDigest;
use serde_json::Value;

/// All contracts. Those of a leaf root are the last two.
const CONTRACTS: [&str; 5] = [
    "evaluator0",
    "evaluator1",
    "verifier",
    "registry",
    "consumer",
];

/// The bytes of a text of hexadecimal digits behind `0x`.
fn bytes(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let digits = text
        .trim()
        .strip_prefix("0x")
        .ok_or("no hexadecimal text")?;
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
    pairs.map(byte).collect()
}

/// Prints the gas of a transaction. Returns what it returned.
fn show(name: &str, outcome: Outcome) -> Result<Vec<u8>, Box<dyn Error>> {
    let refused = outcome.refused();
    let returned = outcome.result;
    let returned = returned.map_err(|_| format!("{name} is refused: {refused:?}"))?;
    println!("gas  {name}: {}", outcome.gas);
    Ok(returned)
}

/// A leaf of `openings.json`.
fn opening(leaf: &Value) -> Option<Opening> {
    let digest = |text: &Value| text.as_str()?.strip_prefix("0x")?.parse::<KeyDigest>().ok();
    let path = leaf["path"].as_array()?.iter();
    let path = path.map(|node| bytes(node.as_str()?).ok()?.try_into().ok());
    Some(Opening {
        key: digest(&leaf["key"])?,
        statement: digest(&leaf["statement"])?.0,
        sides: leaf["sides"].as_u64()?,
        path: path.collect::<Option<_>>()?,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: run CONTRACTS")?;
    let read = |name: &str| std::fs::read_to_string(Path::new(&folder).join(name));
    let mut chain = Chain::new();
    let mut addresses: Vec<Address> = vec![];
    for name in CONTRACTS {
        let Ok(data) = read(&format!("{name}.hex")) else {
            break;
        };
        let outcome = chain.call(&DEPLOYER, &bytes(&data)?, None);
        let address = show(&format!("to deploy {name}"), outcome)?;
        addresses.push(address[..].try_into()?);
    }
    let [_, _, verifier, leaf_root @ ..] = &addresses[..] else {
        return Err("the folder has no contracts of a verifier".into());
    };
    let outcome = chain.call(verifier, &bytes(&read("call.hex")?)?, None);
    show("of the proof", outcome)?;
    let [_, consumer] = leaf_root else {
        return Ok(());
    };
    let accept = bytes(&read("accept.hex")?)?;
    show("of the leaf root", chain.call(consumer, &accept, None))?;
    let root = accept.get(36..68).ok_or("a short call")?.try_into()?;
    let leaves: Vec<Value> = serde_json::from_str(&read("openings.json")?)?;
    for (index, leaf) in leaves.iter().enumerate() {
        let opening = opening(leaf).ok_or("a leaf that is none")?;
        let data = opening.call_data(HOLDS, &root);
        let outcome = chain.call(consumer, &data, None);
        show(&format!("of opened leaf {index}"), outcome)?;
    }
    Ok(())
}
