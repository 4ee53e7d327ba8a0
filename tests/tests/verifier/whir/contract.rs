//! The lies of [`super::dishonest`] in a contract: it refuses them in the phase of the check that the
//! native verifier names.

use std::cell::RefCell;

use droste_evm::calldata;
use droste_evm::chain::Chain;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{DEPLOYER, call_data, statement_bytes};
use droste_evm::phase::Phase;
use droste_native::KeccakSuite;
use droste_native::whir::WhirSettings;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::Proof;

use super::check::Check;
use super::dishonest;
use super::prover::{Case, DishonestSuite};

/// The phase in which a contract makes a check.
const fn phase(check: Check) -> Phase {
    match check {
        Check::Work(before) => match before.as_bytes() {
            b"lookups" => Phase::Commitment,
            b"queries" => Phase::Queries,
            _ => Phase::Sumchecks,
        },
        Check::Sum | Check::Denominators | Check::Layer(_) => Phase::Fractions,
        Check::Constraints => Phase::Constraints,
        Check::Path(..) => Phase::Queries,
        Check::FinalPolynomial => Phase::FinalPolynomial,
        Check::FinalEquation => Phase::FinalEquation,
    }
}

#[test]
fn a_contract_refuses_each_lie_where_it_should() {
    // Contracts know trees with one root.
    let case = Case::<KeccakSuite>::new(WhirSettings {
        cap_height: 0,
        ..KeccakSuite::SETTINGS
    });
    let contract = Contract::new(&case.verifier, &case.honest.log_heights).unwrap();
    let contracts = contract.deployed_by(&DEPLOYER).unwrap();
    let mut chain = Chain::new();
    chain.deploy(&contracts).unwrap();
    let chain = RefCell::new(chain);
    let call = |proof: &Proof<KeccakSuite>| {
        let data = call_data(&statement_bytes(&proof.statement), &calldata::encode(proof));
        let mut chain = chain.borrow_mut();
        chain.call(&contracts.verifier.0, &data, None)
    };
    let refuse = |case: &Case<_>, name: &str, proof: &Proof<_>, check| {
        let native = case.verifier.verify(&[], VerifyOptions::min_bits(0), proof);
        let outcome = call(proof);
        let found = match (native, &outcome.result) {
            (Ok(_), Ok(_)) => "every verifier accepts".to_owned(),
            (Err(error), Err(_)) if Check::of(&error) == Some(check) => {
                match outcome.refused_in() {
                    Some(found) if found == phase(check) => return vec![],
                    found => format!("the contract refuses in {found:?}"),
                }
            }
            (native, contract) => format!("natively {native:?}, in the contract {contract:?}"),
        };
        vec![format!("{name}: expected {check:?}, {found}")]
    };
    assert!(call(&case.honest).result.is_ok());
    dishonest::messages_are_bound(&case, &refuse);
    dishonest::something_else(&case, &refuse);
    dishonest::changed_leaves_and_paths(&case, &refuse);
}
