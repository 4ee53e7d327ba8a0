//! What deploys contracts.

use droste_native::F;
use droste_native::hash::keccak::Keccak256;
use p3_field::PrimeField32;

use super::{Contract, ContractError, SIGNATURE, selector};
use crate::assembler::{Code, Word};

/// Address of a contract, or of who deploys one.
pub type Address = [u8; 20];

/// The deployer that most chains have at the same address: it creates a contract from a salt of 32
/// bytes and the code behind it, by CREATE2.
pub const DEPLOYER: Address = [
    0x4e, 0x59, 0xb4, 0x48, 0x47, 0xb3, 0x79, 0x57, 0x85, 0x88, 0x92, 0x0c, 0xa7, 0x8f, 0xbf, 0x26,
    0xc0, 0xb4, 0x95, 0x6c,
];

/// The salt of all contracts.
const SALT: [u8; 32] = [0; 32];

/// The code that creates a contract: it returns what is behind it.
pub fn init_code(code: &Code) -> Vec<u8> {
    const LENGTH: u8 = 11;
    let [high, low] = (code.bytes.len() as u16).to_be_bytes();
    // push2 length, dup1, push1 start, push0, codecopy, push0, return
    let create = [
        0x61, high, low, 0x80, 0x60, LENGTH, 0x5f, 0x39, 0x5f, 0xf3, 0x00,
    ];
    [&create, &code.bytes[..]].concat()
}

/// The address of a contract that a deployer creates by CREATE2 (EIP-1014).
pub fn create2(deployer: &Address, salt: &[u8; 32], init_code: &[u8]) -> Address {
    let digest = Keccak256.hash(init_code);
    let message = [&[0xff], &deployer[..], &salt[..], &digest[..]].concat();
    let digest = Keccak256.hash(&message);
    let mut address = [0; 20];
    address
        .iter_mut()
        .zip(digest.iter().skip(12))
        .for_each(|(to, &byte)| *to = byte);
    address
}

/// The word of an address.
pub fn word(address: &Address) -> Word {
    let mut bytes = [0; 32];
    bytes
        .iter_mut()
        .skip(12)
        .zip(address)
        .for_each(|(to, &byte)| *to = byte);
    Word::from_be_bytes(bytes)
}

/// A contract, where a deployer puts it by CREATE2 with a salt of zeros.
pub fn located(deployer: &Address, code: Code) -> (Address, Code) {
    (create2(deployer, &SALT, &init_code(&code)), code)
}

/// The contracts of a key, and where they are.
#[derive(Clone, Debug)]
pub struct Contracts {
    /// The contracts that evaluate constraints.
    pub evaluators: Vec<(Address, Code)>,
    /// The verifier.
    pub verifier: (Address, Code),
}

impl Contract {
    /// All contracts, where a deployer puts them by CREATE2 with a salt of zeros. So the address of
    /// the verifier stands for all code.
    ///
    /// # Errors
    /// If a table is not as it is expected to be, or code is too long.
    pub fn deployed_by(&self, deployer: &Address) -> Result<Contracts, ContractError> {
        let located = |code| located(deployer, code);
        let evaluators: Vec<_> = self.evaluators()?.into_iter().map(located).collect();
        let addresses: Vec<Address> = evaluators.iter().map(|&(address, _)| address).collect();
        let verifier = located(self.verifier(&addresses)?);
        Ok(Contracts {
            evaluators,
            verifier,
        })
    }
}

/// The interface of the verifier, as compilers of Solidity write it.
pub const ABI: &str = r#"[
  {"type": "function", "name": "verify", "stateMutability": "view",
   "inputs": [{"name": "statement", "type": "bytes32"}, {"name": "proof", "type": "bytes"}],
   "outputs": [{"name": "", "type": "bool"}]},
  {"type": "error", "name": "Refused", "inputs": [{"name": "phase", "type": "uint256"}]}
]
"#;

/// The data of the transaction to [`DEPLOYER`] that deploys a contract.
pub fn deploy_data(code: &Code) -> Vec<u8> {
    [&SALT, &init_code(code)[..]].concat()
}

/// Largest transaction that the pools of nodes take (`txMaxSize` of go-ethereum).
pub const MAX_TRANSACTION: usize = 128 << 10;

/// More than a transaction has beside its calldata: fees, addresses and a signature.
const ENVELOPE: usize = 256;

/// Whether the pools of nodes refuse a call of so many bytes.
pub const fn is_too_large(call_bytes: usize) -> bool {
    call_bytes + ENVELOPE > MAX_TRANSACTION
}

/// Number of bytes of a call with a proof of so many bytes: [`call_data`], or that of a registry or
/// consumer, whose proof begins with [`crate::registry::SAYS_BYTES`] more.
pub const fn call_bytes(proof_bytes: usize) -> usize {
    const HEAD: usize = 4 + 3 * 32;
    HEAD + proof_bytes.next_multiple_of(32)
}

/// The calldata of a call: the statement's eight elements, and the bytes of a proof.
pub fn call_data(statement: &[u8; 32], proof: &[u8]) -> Vec<u8> {
    let number = |number: usize| Word::from(number as u64).to_be_bytes();
    let mut data = selector(SIGNATURE).to_be_bytes().to_vec();
    data.extend(statement);
    data.extend(number(64));
    data.extend(number(proof.len()));
    data.extend(proof);
    data.extend(std::iter::repeat_n(
        0,
        proof.len().next_multiple_of(32) - proof.len(),
    ));
    data
}

/// The bytes of a statement.
pub fn statement_bytes(statement: &[F; 8]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let elements = statement
        .iter()
        .map(|element| element.as_canonical_u32().to_le_bytes());
    bytes
        .iter_mut()
        .zip(elements.flatten())
        .for_each(|(to, byte)| *to = byte);
    bytes
}
