//! The calldata of calls, and the interfaces of the contracts.

use droste_native::F;
use droste_vm::key::KeyDigest;

use crate::assembler::Word;
use crate::contract::deploy::statement_bytes;
use crate::contract::selector;

/// What a leaf root says that a contract does not know, but for the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Says {
    /// Key of the aggregate's root.
    pub key: KeyDigest,
    /// Claim of the aggregate.
    pub claim: [F; 8],
    /// Number of leaves.
    pub leaves: u32,
}

/// A leaf, and the path from it to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The leaf's key.
    pub key: KeyDigest,
    /// The leaf's statement.
    pub statement: [F; 8],
    /// Bit `i` is set if the node at level `i` is the second child.
    pub sides: u64,
    /// The digests beside the path, from the leaf up.
    pub path: Vec<[u8; 32]>,
}

/// A number as a word.
pub(super) fn number(number: u64) -> [u8; 32] {
    Word::from(number).to_be_bytes()
}

impl Says {
    /// The calldata of [`super::VERIFY`] or [`super::ACCEPT`], with the bytes of a last proof as
    /// [`crate::calldata::encode`] makes them.
    pub fn call_data(&self, signature: &str, proof: &[u8], root: &[u8; 32]) -> Vec<u8> {
        let length = super::SAYS_BYTES + proof.len();
        let mut data = selector(signature).to_be_bytes().to_vec();
        data.extend(number(64));
        data.extend(root);
        data.extend(number(length as u64));
        data.extend(statement_bytes(&self.key.0));
        data.extend(statement_bytes(&self.claim));
        data.extend(self.leaves.to_le_bytes());
        data.extend(proof);
        let padding = length.next_multiple_of(32) - length;
        data.extend(std::iter::repeat_n(0, padding));
        data
    }
}

impl Opening {
    /// The calldata of [`super::OPENS`] or [`super::HOLDS`].
    pub fn call_data(&self, signature: &str, root: &[u8; 32]) -> Vec<u8> {
        let mut data = selector(signature).to_be_bytes().to_vec();
        data.extend(root);
        data.extend(statement_bytes(&self.key.0));
        data.extend(statement_bytes(&self.statement));
        let numbers = [self.sides, super::opening::HEAD, self.path.len() as u64];
        data.extend(numbers.map(number).as_flattened());
        data.extend(self.path.as_flattened());
        data
    }
}

/// The interface of a registry, as compilers of Solidity write it.
pub const REGISTRY_ABI: &str = r#"[
  {"type": "function", "name": "verify", "stateMutability": "view",
   "inputs": [{"name": "proof", "type": "bytes"}, {"name": "root", "type": "bytes32"}],
   "outputs": [{"name": "", "type": "bool"}]},
  {"type": "function", "name": "opens", "stateMutability": "view",
   "inputs": [{"name": "root", "type": "bytes32"}, {"name": "key", "type": "bytes32"},
              {"name": "statement", "type": "bytes32"}, {"name": "sides", "type": "uint256"},
              {"name": "path", "type": "bytes32[]"}],
   "outputs": [{"name": "", "type": "bool"}]},
  {"type": "error", "name": "Refused", "inputs": [{"name": "reason", "type": "uint256"}]}
]
"#;

/// The interface of a consumer.
pub const CONSUMER_ABI: &str = r#"[
  {"type": "function", "name": "accept", "stateMutability": "nonpayable",
   "inputs": [{"name": "proof", "type": "bytes"}, {"name": "root", "type": "bytes32"}],
   "outputs": [{"name": "", "type": "bool"}]},
  {"type": "function", "name": "holds", "stateMutability": "view",
   "inputs": [{"name": "root", "type": "bytes32"}, {"name": "key", "type": "bytes32"},
              {"name": "statement", "type": "bytes32"}, {"name": "sides", "type": "uint256"},
              {"name": "path", "type": "bytes32[]"}],
   "outputs": [{"name": "", "type": "bool"}]},
  {"type": "error", "name": "Refused", "inputs": [{"name": "reason", "type": "uint256"}]}
]
"#;
