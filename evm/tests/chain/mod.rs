//! A chain under the rules of Osaka, with the limit of the size of code.

#![allow(dead_code, reason = "not all that include it use all of it")]

pub mod changes;

use std::collections::BTreeMap;

use droste_evm::assembler::Code;
use droste_evm::contract::MAX_CODE;
use droste_evm::contract::deploy::{Address, Contracts, DEPLOYER, deploy_data};
use droste_evm::phase::Phase;
use revm::bytecode::Bytecode;
use revm::context::TxEnv;
use revm::context_interface::result::ExecutionResult;
use revm::database::{CacheDB, EmptyDB};
use revm::interpreter::Interpreter;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::Jumps;
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address as Account, Bytes, TxKind, U256};
use revm::state::AccountInfo;
use revm::{Context, InspectCommitEvm, Inspector, MainBuilder, MainContext};

/// Most gas that a transaction may take (EIP-7825).
pub const MAX_GAS: u64 = 1 << 24;

/// Who calls.
const CALLER: Account = Account::repeat_byte(0x22);

/// Code of the deployer that most chains have.
const DEPLOYER_CODE: &str = "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0\
    3601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

/// A chain with the deployer.
pub struct Chain {
    database: CacheDB<EmptyDB>,
    nonce: u64,
}

/// What a transaction did.
#[derive(Debug)]
pub struct Outcome {
    /// What it returned, or the data with which it reverted.
    pub result: Result<Vec<u8>, Vec<u8>>,
    /// Gas of the transaction.
    pub gas: u64,
    /// Gas from the beginning of each phase to the next one, in all.
    pub phases: BTreeMap<u64, u64>,
}

impl Outcome {
    /// The phase in which a verifier refused.
    pub fn refused_in(&self) -> Option<Phase> {
        Phase::of(self.refused()?)
    }

    /// The argument of the error with which a contract refused.
    pub fn refused(&self) -> Option<u64> {
        let data = self.result.as_ref().err()?;
        let selector = droste_evm::contract::selector(droste_evm::contract::ERROR);
        let code = data.strip_prefix(&selector.to_be_bytes())?;
        Some(code.last().copied().filter(|_| code.len() == 32)?.into())
    }
}

/// Notes the gas at each write of the number of a phase.
#[derive(Default)]
struct Phases {
    place: Option<u64>,
    current: Option<(u64, u64)>,
    used: BTreeMap<u64, u64>,
}

impl Phases {
    fn begin(&mut self, phase: Option<u64>, gas: u64) {
        let next = phase.map(|phase| (phase, gas));
        if let Some((before, start)) = std::mem::replace(&mut self.current, next) {
            *self.used.entry(before).or_default() += start.saturating_sub(gas);
        }
    }
}

const MSTORE: u8 = 0x52;
const RETURN: u8 = 0xf3;

impl<C> Inspector<C, EthInterpreter> for Phases {
    fn step(&mut self, interpreter: &mut Interpreter<EthInterpreter>, _: &mut C) {
        let peek = |index| interpreter.stack.peek(index).unwrap_or_default();
        let place = U256::from(self.place.unwrap_or(u64::MAX));
        match interpreter.bytecode.opcode() {
            MSTORE if peek(0) == place => {
                self.begin(Some(peek(1).saturating_to()), interpreter.gas.remaining());
            }
            // That of the verifier; evaluators return more.
            RETURN if peek(1) == U256::from(32) => self.begin(None, interpreter.gas.remaining()),
            _ => {}
        }
    }
}

impl Chain {
    pub fn new() -> Self {
        let mut database = CacheDB::new(EmptyDB::default());
        let bytes = DEPLOYER_CODE.as_bytes().chunks(2).map(|digits| {
            let digits = std::str::from_utf8(digits).unwrap();
            u8::from_str_radix(digits, 16).unwrap()
        });
        let code = Bytecode::new_raw(Bytes::from(bytes.collect::<Vec<_>>()));
        let info = AccountInfo::default().with_code(code);
        database.insert_account_info(Account::from(DEPLOYER), info);
        let rich = AccountInfo::from_balance(U256::MAX);
        database.insert_account_info(CALLER, rich);
        Self { database, nonce: 0 }
    }

    /// Calls a contract in a transaction, and notes the phases that it writes at this place of its
    /// memory.
    pub fn call(&mut self, to: &Address, data: &[u8], phases: Option<u64>) -> Outcome {
        self.call_with(to, data, phases, 0, MAX_GAS)
    }

    /// The same, with a value, and with so much gas.
    pub fn call_with(
        &mut self,
        to: &Address,
        data: &[u8],
        phases: Option<u64>,
        value: u64,
        gas: u64,
    ) -> Outcome {
        let context = Context::mainnet().with_db(&mut self.database);
        let context = context.modify_cfg_chained(|config| {
            config.set_spec_and_mainnet_gas_params(SpecId::OSAKA);
            config.limit_contract_code_size = Some(MAX_CODE);
        });
        let transaction = TxEnv::builder()
            .caller(CALLER)
            .kind(TxKind::Call(Account::from(*to)))
            .data(Bytes::copy_from_slice(data))
            .nonce(self.nonce)
            .gas_limit(gas)
            .value(U256::from(value))
            .gas_price(0)
            .build()
            .expect("a transaction");
        self.nonce += 1;
        let mut inspector = Phases {
            place: phases,
            ..Phases::default()
        };
        let mut evm = context.build_mainnet_with_inspector(&mut inspector);
        let result = evm
            .inspect_tx_commit(transaction)
            .expect("a valid transaction");
        drop(evm);
        let gas = result.tx_gas_used();
        let result = match result {
            ExecutionResult::Success { output, .. } => Ok(output.into_data().to_vec()),
            ExecutionResult::Revert { output, .. } => Err(output.to_vec()),
            ExecutionResult::Halt { .. } => Err(vec![]),
        };
        Outcome {
            result,
            gas,
            phases: inspector.used,
        }
    }

    /// Deploys contracts. Returns the gas of each transaction.
    pub fn deploy(&mut self, contracts: &Contracts) -> Vec<u64> {
        let all = contracts.evaluators.iter().chain([&contracts.verifier]);
        all.map(|contract| self.deploy_one(contract)).collect()
    }

    /// Deploys a contract. Returns the gas of the transaction.
    pub fn deploy_one(&mut self, (address, code): &(Address, Code)) -> u64 {
        let outcome = self.call(&DEPLOYER, &deploy_data(code), None);
        let deployed = Ok(address.to_vec());
        assert_eq!(
            outcome.result, deployed,
            "it is deployed where it should be"
        );
        outcome.gas
    }
}
