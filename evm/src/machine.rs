//! Runs code in an EVM under the rules of Osaka.

use revm::bytecode::Bytecode;
use revm::context::TxEnv;
use revm::context_interface::result::ExecutionResult;
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, Bytes, TxKind};
use revm::state::AccountInfo;
use revm::{Context, ExecuteEvm, MainBuilder, MainContext};

use crate::assembler::{Assembler, Code, Expr, Op, Word};

/// Most bytes that the code of a contract may have (EIP-170).
pub const MAX_CODE: usize = 24_576;

/// Most gas that a transaction may take (EIP-7825).
pub const MAX_GAS: u64 = 1 << 24;

/// Runs a contract on calldata. Returns what it returns, or `None` if it fails.
pub fn run(code: &Code, data: &[u8]) -> Option<Vec<u8>> {
    run_with(code, &[], data)
}

/// The same, with contracts that it calls, at addresses that end in these bytes.
pub fn run_with(code: &Code, others: &[(u8, &Code)], data: &[u8]) -> Option<Vec<u8>> {
    match execute(code, others, data) {
        ExecutionResult::Success { output, .. } => Some(output.into_data().to_vec()),
        _ => None,
    }
}

/// The data with which a contract reverts, if it does.
pub fn reverted(code: &Code, data: &[u8]) -> Option<Vec<u8>> {
    match execute(code, &[], data) {
        ExecutionResult::Revert { output, .. } => Some(output.to_vec()),
        _ => None,
    }
}

fn execute(code: &Code, others: &[(u8, &Code)], data: &[u8]) -> ExecutionResult {
    let (contract, caller) = (Address::repeat_byte(0x11), Address::repeat_byte(0x22));
    let mut database = CacheDB::new(EmptyDB::default());
    let others = others
        .iter()
        .map(|&(byte, code)| (Address::with_last_byte(byte), code));
    for (address, code) in others.chain([(contract, code)]) {
        let bytecode = Bytecode::new_raw(Bytes::from(code.bytes.clone()));
        database.insert_account_info(address, AccountInfo::default().with_code(bytecode));
    }
    let context = Context::mainnet().with_db(database);
    let context =
        context.modify_cfg_chained(|config| config.set_spec_and_mainnet_gas_params(SpecId::OSAKA));
    let transaction = TxEnv::builder()
        .caller(caller)
        .kind(TxKind::Call(contract))
        .data(Bytes::copy_from_slice(data))
        .gas_limit(MAX_GAS)
        .gas_price(0)
        .build()
        .expect("a transaction");
    let result = context.build_mainnet().transact(transaction);
    result.expect("a valid transaction").result
}

/// Runs a contract, and returns the words that it returns.
pub fn words(code: &Code, data: &[u8]) -> Option<Vec<Word>> {
    let output = run(code, data)?;
    let (words, rest) = output.as_chunks::<32>();
    assert!(rest.is_empty());
    Some(words.iter().copied().map(Word::from_be_bytes).collect())
}

/// Ends a contract: it returns these words.
pub fn return_words(assembler: &mut Assembler, words: impl IntoIterator<Item = Expr>) {
    let mut end = 0_u64;
    for word in words {
        assembler.store(end, word);
        end += 32;
    }
    assembler.run(Op::Return, [0.into(), end.into()]);
}

/// The gas that statements take.
pub fn gas(
    setup: impl Fn(&mut Assembler),
    statements: impl FnOnce(&mut Assembler),
    data: &[u8],
) -> u64 {
    let measured = |statements: Box<dyn FnOnce(&mut Assembler) + '_>| {
        let mut assembler = Assembler::new();
        setup(&mut assembler);
        assembler.bind("before", Expr::Op(Op::Gas, vec![]));
        statements(&mut assembler);
        assembler.bind("after", Expr::Op(Op::Gas, vec![]));
        let used = crate::assembler::var("before") - crate::assembler::var("after");
        return_words(&mut assembler, [used]);
        let code = assembler.assemble().expect("code");
        let words = words(&code, data).expect("it returns");
        words[0].lane(64, 0)
    };
    measured(Box::new(statements)) - measured(Box::new(|_| {}))
}
