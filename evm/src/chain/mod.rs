//! A chain in revm, under the rules of Osaka and with the limit of the size of code.

mod changes;

use std::collections::BTreeMap;

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
use thiserror::Error;

pub use self::changes::{change_number, changed_proofs, is_of_tables};
use crate::assembler::Code;
use crate::contract::deploy::{Address, Contracts, DEPLOYER, deploy_data};
use crate::contract::{ERROR, MAX_CODE, selector};
use crate::phase::Phase;

/// Most gas that a transaction may take (EIP-7825).
pub const MAX_GAS: u64 = 1 << 24;

/// Who calls.
const CALLER: Account = Account::repeat_byte(0x22);

/// Gas of a transaction before anything runs.
pub const TRANSACTION_GAS: u64 = 21_000;

/// Code of [`DEPLOYER`].
const DEPLOYER_CODE: [&[u8]; 3] = [
    &[0x7f],
    &[0xff; 31],
    b"\xe0\x36\x01\x60\x00\x81\x60\x20\x82\x37\x80\x35\x82\x82\x34\xf5\x80\x15\x15\x60\x39\x57\x81\x82\xfd\x5b\
      \x80\x82\x52\x50\x50\x50\x60\x14\x60\x0c\xf3",
];

/// A contract that is not where it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a contract is not deployed where it should be")]
pub struct NotDeployed;

/// Gas of bytes of calldata, where one that is not zero takes so much, and a zero a fourth of it.
pub fn calldata_gas(data: &[u8], each: u64) -> u64 {
    let zeros = data.iter().filter(|&&byte| byte == 0).count() as u64;
    each * (data.len() as u64 - zeros) + each / 4 * zeros
}

/// A chain with the deployer.
#[derive(Debug)]
pub struct Chain {
    database: CacheDB<EmptyDB>,
    nonce: u64,
}

/// What a transaction did.
#[derive(Debug)]
pub struct Outcome {
    /// What it returned, or the data with which it reverted: none if it ran out of gas, or no block
    /// could have it.
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
        let code = data.strip_prefix(&selector(ERROR).to_be_bytes())?;
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

impl Default for Chain {
    fn default() -> Self {
        let mut database = CacheDB::new(EmptyDB::default());
        let code = Bytecode::new_raw(Bytes::from(DEPLOYER_CODE.concat()));
        let info = AccountInfo::default().with_code(code);
        database.insert_account_info(Account::from(DEPLOYER), info);
        let rich = AccountInfo::from_balance(U256::MAX);
        database.insert_account_info(CALLER, rich);
        Self { database, nonce: 0 }
    }
}

impl Chain {
    /// A chain on which nothing else was deployed.
    pub fn new() -> Self {
        Self::default()
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
            .build();
        let mut inspector = Phases {
            place: phases,
            ..Phases::default()
        };
        let mut evm = context.build_mainnet_with_inspector(&mut inspector);
        let result = transaction.map(|transaction| evm.inspect_tx_commit(transaction));
        drop(evm);
        let Ok(Ok(result)) = result else {
            return Outcome {
                result: Err(vec![]),
                gas: 0,
                phases: BTreeMap::new(),
            };
        };
        self.nonce += 1;
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
    ///
    /// # Errors
    /// If one of them is not where it should be then.
    pub fn deploy(&mut self, contracts: &Contracts) -> Result<Vec<u64>, NotDeployed> {
        let all = contracts.evaluators.iter().chain([&contracts.verifier]);
        all.map(|contract| self.deploy_one(contract)).collect()
    }

    /// Deploys a contract. Returns the gas of the transaction.
    ///
    /// # Errors
    /// If it is not where it should be then.
    pub fn deploy_one(&mut self, (address, code): &(Address, Code)) -> Result<u64, NotDeployed> {
        let outcome = self.call(&DEPLOYER, &deploy_data(code), None);
        match outcome.result {
            Ok(deployed) if deployed == address => Ok(outcome.gas),
            _ => Err(NotDeployed),
        }
    }
}
