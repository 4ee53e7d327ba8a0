//! `droste evm`: contracts that verify the last proof of a chain.

mod build;
mod fold;
#[cfg(feature = "revm")]
mod gas;
mod registry;
mod verify;

use clap::{Args, Subcommand};
use droste_evm::assembler::Code;
use droste_evm::contract::Contract;
use droste_evm::contract::deploy::{self, Address, Contracts, DEPLOYER, statement_bytes};
use droste_native::{KeccakSuite, files};
use droste_verifier::summary::Evidence;
use droste_vm::key::KeyDigest;
use droste_vm::machine::StandardTables;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir::{self, Proof, Verifier};
use serde::Serialize;

use self::fold::{KeptRoot, RootOptions};
use self::registry::{Leaves, TreeBits};
use crate::error::CommandError;
use crate::kind::FileKind;
use crate::output::{Format, row};
use crate::paths::Input;
use crate::progress::warn;

/// What to do with contracts.
#[derive(Debug, Subcommand)]
pub enum Evm {
    /// Write contracts that verify the last proof of an aggregate, and the call for one.
    Build(build::Build),
    /// Verify a last proof in its contracts, and print what that takes.
    Verify(verify::Verify),
}

impl Evm {
    /// Runs the command.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        run! { self, format: Build Verify }
    }
}

/// What contracts are made for.
#[derive(Debug, Args)]
struct Source {
    /// The proof, which `droste exit` wrote. The contracts verify all proofs of its key.
    proof: Input,
    /// Exit key that the proof must have, as `droste exit` prints it.
    #[arg(long, visible_alias = "key", value_name = "DIGEST")]
    exit_key: Option<KeyDigest>,
    /// Proven bits of security that the proof must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// The leaves, which `droste exit --leaf-root` wrote with the proof. Also makes a registry,
    /// which verifies leaf roots that were made with the same keys, and a contract that uses it.
    #[arg(long, value_name = "FILE", requires = "leaf")]
    leaf_root: Option<Input>,
    /// Program key that leaves of a leaf root may have; may be repeated.
    #[arg(long, value_name = "KEY", requires = "leaf_root")]
    leaf: Vec<KeyDigest>,
    #[command(flatten)]
    root: RootOptions,
}

/// A proof that the native verifier accepts, and its contracts.
struct Made {
    proof: Proof<KeccakSuite>,
    #[cfg_attr(not(feature = "revm"), allow(dead_code, reason = "nothing is run"))]
    verifier: Verifier<StandardTables, KeccakSuite>,
    proven_bits: usize,
    /// Who says that the key is good.
    evidence: Evidence,
    contracts: Contracts,
    /// The leaf root, with the registry and the consumer.
    leaves: Option<(Leaves, [(Address, Code); 2])>,
    /// The contract that keeps a root.
    root: Option<KeptRoot>,
}

impl Source {
    /// The files that are read.
    fn reads(&self) -> impl Iterator<Item = &Input> {
        let read = [Some(&self.proof), self.leaf_root.as_ref()];
        read.into_iter().flatten().chain(self.root.reads())
    }

    fn make(&self) -> Result<Made, CommandError> {
        let limit = whir::MAX_BYTES as u64;
        let bytes = files::read(&self.proof, limit).map_err(CommandError::file(&self.proof))?;
        let decoded = whir::decode(&bytes).map_err(|error| match FileKind::of(&bytes) {
            Some(kind @ (FileKind::Aggregate | FileKind::Fold)) => CommandError::failed(format!(
                "not a last proof, but {kind}; `droste exit` makes a last proof of it"
            )),
            _ => CommandError::failed(error),
        });
        let proof: Proof<KeccakSuite> =
            decoded.map_err(CommandError::about(self.proof.display()))?;
        let digest = proof.key.digest();
        if let Some(expected) = self.exit_key.filter(|&key| key != digest) {
            let is = match expected {
                leaf if self.leaf.contains(&leaf) => ", which --leaf names as a program key",
                KeyDigest(statement) if statement == proof.statement => ", which is its statement",
                _ => "",
            };
            let message = format!("the proof was made with key {digest}, expected {expected}{is}");
            return Err(CommandError::failed(message));
        }
        let verifier = Verifier::new(proof.key.clone())?;
        let options = VerifyOptions::min_bits(self.min_bits);
        let report = verifier.verify(&proof.statement, options, &proof)?;
        let leaves = self.leaf_root.as_ref();
        let leaves = leaves.map(|path| Leaves::read(path, &proof.statement, &self.leaf));
        let leaves = leaves.transpose()?;
        let contract = Contract::new(&verifier, &proof.log_heights);
        let contract = contract.map_err(CommandError::failed)?;
        let contracts = contract.deployed_by(&DEPLOYER);
        let contracts = contracts.map_err(CommandError::failed)?;
        let with_contracts = |leaves: Leaves| {
            let of_leaves = leaves.contracts(contracts.verifier.0)?;
            Ok::<_, CommandError>((leaves, of_leaves))
        };
        let (verifier_at, bits) = (contracts.verifier.0, report.bits());
        let root = &self.root;
        let root = root.make(verifier_at, &proof.statement, bits, self.min_bits)?;
        Ok(Made {
            leaves: leaves.map(with_contracts).transpose()?,
            root,
            proven_bits: bits,
            evidence: match self.exit_key {
                Some(_) => Evidence::Pinned,
                None => Evidence::Claimed,
            },
            proof,
            verifier,
            contracts,
        })
    }
}

impl Made {
    /// All contracts, by their names.
    fn all(&self) -> impl Iterator<Item = (String, &(Address, Code))> {
        let numbered = self.contracts.evaluators.iter().enumerate();
        let evaluators = numbered.map(|(index, made)| (format!("evaluator{index}"), made));
        let of_leaves = self.leaves.iter().flat_map(|(_, contracts)| contracts);
        let names = ["verifier", "registry", "consumer"].map(str::to_owned);
        let others = [&self.contracts.verifier].into_iter().chain(of_leaves);
        let root = self.root.iter();
        let root = root.map(|root| ("state_root".to_owned(), root.contract()));
        evaluators.chain(names.into_iter().zip(others)).chain(root)
    }

    /// The proof's key and bits, and who vouches for them.
    fn proof(&self) -> ProofRows {
        ProofRows {
            key: self.proof.key.digest().to_string(),
            exit_key_is: self.evidence,
            statement: hex(&statement_bytes(&self.proof.statement)),
            proven_bits: self.proven_bits,
            tree: self.leaves.as_ref().map(|(leaves, _)| leaves.bits()),
            registry_keys_are: self.leaves.as_ref().map(|_| Evidence::Claimed),
        }
    }
}

/// What is printed of a last proof.
#[derive(Debug, Serialize)]
struct ProofRows {
    key: String,
    exit_key_is: Evidence,
    statement: String,
    proven_bits: usize,
    #[serde(flatten)]
    tree: Option<TreeBits>,
    /// Who says that the keys are good that a registry has beside the exit key.
    #[serde(skip_serializing_if = "Option::is_none")]
    registry_keys_are: Option<Evidence>,
}

impl ProofRows {
    fn rows(&self) -> Vec<Vec<String>> {
        let trust = match self.exit_key_is {
            Evidence::Claimed => {
                "nobody vouches for the exit key: it is the one that the proof has (--exit-key)"
            }
            Evidence::Pinned | Evidence::Derived => "the exit key is pinned by --exit-key",
        };
        let tree = match self.tree {
            Some(TreeBits {
                least_bits,
                tree_bits,
            }) => format!("{tree_bits}, {least_bits} of each proof, as the file of leaves claims"),
            None => "not in the proof: `droste exit` printed them".to_owned(),
        };
        let bits = format!("{} of the last proof", self.proven_bits);
        let mut rows = vec![row("exit key", &self.key), row("trust", trust)];
        rows.extend(self.registry_keys_are.map(|_| {
            let text = "the list of recursion keys is the file's, and so are the keys of join, \
                        wraps and program: compare them with `droste keys`. The registry takes any \
                        aggregate of the listed keys, with the least bits of the list";
            row("registry", text)
        }));
        rows.extend([
            row("statement", &self.statement),
            row("proven bits", bits),
            row("bits of the tree", tree),
        ]);
        rows
    }
}

/// Warns if the pools of nodes refuse a call of so many bytes.
pub fn warn_of_large(call_bytes: usize) {
    if deploy::is_too_large(call_bytes) {
        warn(format!(
            "the call has {call_bytes} bytes, but nodes take no transaction of more than \
             128 KiB into their pools: a weaker --exit-preset makes a shorter proof"
        ));
    }
}

/// Bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}
