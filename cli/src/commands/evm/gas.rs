//! What the contracts of a proof take in revm.

use std::collections::BTreeMap;

use droste_evm::calldata;
use droste_evm::chain::{Chain, Outcome, TRANSACTION_GAS, calldata_gas, changed_proofs};
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{Address, call_data, statement_bytes};
use droste_evm::phase::Phase;
use droste_evm::registry::HOLDS;
use droste_native::KeccakSuite;
use droste_native::changes::Changes;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::Proof;
use serde::Serialize;

use super::fold::KeptRoot;
use super::registry::Leaves;
use super::{Made, ProofRows, hex};
use crate::error::CommandError;
use crate::output::{Report, row};

/// Least gas of a transaction for each of these bytes: that of EIP-7623, and a larger one.
const FLOORS: [u64; 2] = [40, 64];

/// One contract.
#[derive(Debug, Serialize)]
struct Deployed {
    name: String,
    bytes: usize,
    gas: u64,
}

/// The calls of a consumer.
#[derive(Debug, Serialize)]
struct LeafRootGas {
    accept: u64,
    /// Of each leaf whose key is accepted.
    holds: Vec<u64>,
}

/// Changed proofs. All of them were refused.
#[derive(Debug, Default, Serialize)]
struct Refused {
    /// How many in each phase.
    phases: BTreeMap<&'static str, usize>,
    most_gas: u64,
}

/// What was run.
#[derive(Debug, Serialize)]
pub struct Gas {
    #[serde(flatten)]
    proof: ProofRows,
    contracts: Vec<Deployed>,
    proof_bytes: usize,
    call_bytes: usize,
    /// In their order.
    phases: Vec<(&'static str, u64)>,
    /// Of all of them.
    execution_gas: u64,
    /// Of the whole transaction, by the rules of Osaka.
    gas: u64,
    gas_with_floor: BTreeMap<u64, u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_root: Option<LeafRootGas>,
    /// Of the transaction that advances the root which a contract keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    advance: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Refused>,
}

impl Report for Gas {
    fn rows(&self) -> Vec<Vec<String>> {
        let of = |name: &str, gas: u64| row(name, format!("{gas} gas"));
        let mut rows = self.proof.rows();
        rows.extend(self.contracts.iter().map(|contract| {
            let Deployed { name, bytes, gas } = contract;
            row(name, format!("{bytes} bytes, {gas} gas to deploy"))
        }));
        rows.push(row("proof", format!("{} bytes", self.proof_bytes)));
        rows.push(row("call", format!("{} bytes", self.call_bytes)));
        rows.extend(self.phases.iter().map(|&(phase, gas)| of(phase, gas)));
        rows.push(of("execution", self.execution_gas));
        rows.push(of("transaction", self.gas));
        for (floor, &gas) in &self.gas_with_floor {
            rows.push(of(&format!("with a floor of {floor} a byte"), gas));
        }
        if let Some(leaf_root) = &self.leaf_root {
            rows.push(of("accept", leaf_root.accept));
            rows.extend(leaf_root.holds.iter().map(|&gas| of("holds", gas)));
        }
        rows.extend(self.advance.map(|gas| of("advance", gas)));
        if let Some(Refused { phases, most_gas }) = &self.changes {
            let refused = |(phase, count)| row(format!("refused in {phase}"), count);
            rows.extend(phases.iter().map(refused));
            rows.push(of("refused with at most", *most_gas));
        }
        rows
    }
}

/// The gas of a call that must be accepted.
fn accepted(what: &str, outcome: &Outcome) -> Result<u64, CommandError> {
    match &outcome.result {
        Ok(_) => Ok(outcome.gas),
        Err(data) => {
            let message = format!("{what} is refused with {}", hex(data));
            Err(CommandError::failed(message))
        }
    }
}

/// The call that verifies a proof.
fn call(proof: &Proof<KeccakSuite>) -> Vec<u8> {
    call_data(&statement_bytes(&proof.statement), &calldata::encode(proof))
}

/// Deploys the contracts of a proof, and calls them, also with so many changed proofs.
pub fn measure(made: &Made, changes: usize) -> Result<Gas, CommandError> {
    let mut chain = Chain::new();
    let mut contracts = vec![];
    for (name, contract) in made.all() {
        let gas = chain.deploy_one(contract).map_err(CommandError::failed)?;
        let bytes = contract.1.bytes.len();
        contracts.push(Deployed { name, bytes, gas });
    }
    let (proof, data) = (&made.proof, call(&made.proof));
    let contract = Contract::new(&made.verifier, &proof.log_heights);
    let place = contract.map_err(CommandError::failed)?.phase();
    let outcome = chain.call(&made.contracts.verifier.0, &data, Some(place));
    let gas = accepted("the proof", &outcome)?;
    let with_floor = |floor| {
        let least = TRANSACTION_GAS + calldata_gas(&data, floor);
        (floor, gas.max(least))
    };
    let phases = outcome.phases.iter();
    let phases = phases.filter_map(|(&phase, &gas)| Some((Phase::of(phase)?.name(), gas)));
    let leaf_root = made.leaves.as_ref();
    let leaf_root =
        leaf_root.map(|(leaves, [_, consumer])| hold(&mut chain, proof, leaves, &consumer.0));
    let advance = made
        .root
        .as_ref()
        .map(|root| advance(&mut chain, proof, root));
    let refused = (changes > 0).then(|| refuse(&mut chain, made, changes));
    Ok(Gas {
        proof: made.proof(),
        contracts,
        proof_bytes: calldata::encode(proof).len(),
        call_bytes: data.len(),
        phases: phases.collect(),
        execution_gas: outcome.phases.values().sum(),
        gas,
        gas_with_floor: FLOORS.into_iter().map(with_floor).collect(),
        leaf_root: leaf_root.transpose()?,
        advance: advance.transpose()?.flatten(),
        changes: refused.transpose()?,
    })
}

/// Has a consumer accept the leaf root, and then look up leaves.
fn hold(
    chain: &mut Chain,
    proof: &Proof<KeccakSuite>,
    leaves: &Leaves,
    consumer: &Address,
) -> Result<LeafRootGas, CommandError> {
    let data = leaves.accept_data(&calldata::encode(proof));
    let accept = accepted("the leaf root", &chain.call(consumer, &data, None))?;
    let holds = leaves.openings().map(|opening| {
        let data = opening.call_data(HOLDS, &leaves.root());
        accepted("a leaf", &chain.call(consumer, &data, None))
    });
    Ok(LeafRootGas {
        accept,
        holds: holds.collect::<Result<_, _>>()?,
    })
}

/// Advances the root that a contract keeps, if it is known what the proof says.
fn advance(
    chain: &mut Chain,
    proof: &Proof<KeccakSuite>,
    root: &KeptRoot,
) -> Result<Option<u64>, CommandError> {
    let Some(data) = root.advance_data(&calldata::encode(proof)) else {
        return Ok(None);
    };
    let (address, _) = root.contract();
    accepted("the new root", &chain.call(address, &data, None)).map(Some)
}

/// Verifies changed proofs.
fn refuse(chain: &mut Chain, made: &Made, count: usize) -> Result<Refused, CommandError> {
    let mut refused = Refused::default();
    let changes = Changes::new(&made.proof)?;
    for (name, proof) in changed_proofs(&changes).take(count) {
        let outcome = chain.call(&made.contracts.verifier.0, &call(&proof), None);
        let options = VerifyOptions::min_bits(0);
        let native = made.verifier.verify(&proof.statement, options, &proof);
        if outcome.result.is_ok() || native.is_ok() {
            let message = format!("a proof is accepted whose {name} was changed");
            return Err(CommandError::failed(message));
        }
        let phase = outcome.refused_in().map_or("no phase", Phase::name);
        *refused.phases.entry(phase).or_default() += 1;
        refused.most_gas = refused.most_gas.max(outcome.gas);
    }
    Ok(refused)
}
