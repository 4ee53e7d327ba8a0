//! `droste exit`: the last proof of a chain.

use std::time::{Duration, Instant};

use clap::Args;
use droste_evm::calldata;
use droste_evm::contract::deploy::call_bytes;
use droste_evm::registry::SAYS_BYTES;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{KeccakSuite, codec, files};
use droste_verifier::file::fold::is_fold;
use droste_verifier::summary::{Evidence, LeafRootSummary, ProofSummary, milliseconds};
use droste_vm::verifier::Report as Verification;
use droste_vm::whir::{self, Proof};
use serde::Serialize;

use crate::commands::evm::warn_of_large;
use crate::commands::verify::Verified;
use crate::error::CommandError;
use crate::folds::FoldKeys;
use crate::output::{Format, Report, print, row};
use crate::parameters::{CanonicalShape, default_preset, preset_of, warn_of_weak};
use crate::paths::{Input, Output};
use crate::progress::Progress;
use crate::registry::RegistryKeys;
use crate::trust::{Trust, text_of};

/// Arguments of `droste exit`.
#[derive(Debug, Args)]
pub struct MakeExit {
    /// The aggregate of proofs, which `droste wrap`, `join` or `aggregate` wrote with this preset
    /// and arity; or a fold of this preset, whose largest rule takes as many proofs.
    aggregate: Input,
    #[command(flatten)]
    shape: CanonicalShape,
    /// Security level of the last proof: proven-100, proven-120, proven-128 or toy (insecure).
    #[arg(long, default_value = default_preset(), value_parser = preset_of)]
    exit_preset: Preset,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    folds: FoldKeys,
    /// Also prove the Keccak-256 root of the aggregate's leaves, and write to this file, as JSON,
    /// the root, the leaves, and what the statement of the last proof is computed from. The last
    /// proof is then that of the join of the aggregate and the leaf root.
    #[arg(long, value_name = "FILE")]
    leaf_root: Option<Output>,
    /// Prove the leaf root for the registry of this file: what `droste keys --exit PRESET
    /// --leaf-root LEAVES --format json` printed, or what this command wrote for another aggregate.
    /// The registry takes aggregates of all recursion keys that the file lists. By default those
    /// are the keys of this aggregate.
    #[arg(long, value_name = "FILE", requires = "leaf_root")]
    registry: Option<Input>,
    /// File to write the proof to. `droste verify` verifies it against the exit key and the
    /// statement that are printed.
    #[arg(short, long)]
    output: Output,
}

/// What the last proof says.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    proof: Verified,
    /// Why the aggregate's recursion keys are trusted.
    keys_are: Evidence,
    /// The same in words.
    #[serde(skip)]
    keys_text: &'static str,
    /// Proven bits that every proof of the tree has at least, with this one.
    least_bits: usize,
    /// Proven bits of all of them together.
    tree_bits: usize,
    /// Bytes of the call of a contract that verifies it.
    call_bytes: usize,
    /// What the leaf root says, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaf_root: Option<Says>,
}

/// What a leaf root says, without the list of leaves.
#[derive(Debug, Serialize)]
struct Says {
    root: String,
    leaf_count: u32,
    prove_ms: f64,
}

impl Report for Shown {
    fn rows(&self) -> Vec<Vec<String>> {
        let mut rows = self.proof.rows();
        rows.extend([
            row("recursion keys", self.keys_text),
            row("bits of each proof", self.least_bits),
            row("bits of the tree", self.tree_bits),
            row("call of a contract", format!("{} bytes", self.call_bytes)),
        ]);
        if let Some(says) = &self.leaf_root {
            rows.extend([
                row("leaves", says.leaf_count),
                row("leaf root", &says.root),
                row("prove leaf root", format!("{:.1} ms", says.prove_ms)),
            ]);
        }
        rows
    }
}

impl MakeExit {
    /// Makes the proof, writes it and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let progress = Progress::spinner("reading the file");
        let path = &self.aggregate;
        let bytes = codec::read_file(path).map_err(CommandError::file(path))?;
        if is_fold(&bytes) {
            return self.of_fold(&bytes, progress, format);
        }
        let deriver = self.trust.deriver()?;
        let (aggregate, keys_are) = self.trust.read_bytes(path, &bytes, &deriver)?;
        let settings = WhirSettings::of_exit(self.exit_preset);
        let aggregator = self.shape.aggregator();
        let is_canonical = aggregator.check_canonical(aggregate.proof());
        is_canonical.map_err(CommandError::about(self.aggregate.display()))?;
        let bits = aggregate.accepted().bits;
        progress.suspend(|| warn_of_weak(self.exit_preset, self.aggregate.display(), bits));
        let registry = self.registry.as_deref().map(RegistryKeys::read);
        let registry = registry.transpose()?;
        if let Some(registry) = &registry {
            registry.check_join(&aggregator, &deriver)?;
        }
        let start = Instant::now();
        let (aggregate, rooted) = match &self.leaf_root {
            None => (aggregate, None),
            Some(path) => {
                progress.stage("proving the leaf root");
                let rooted = match &registry {
                    Some(RegistryKeys {
                        listed, program, ..
                    }) => aggregator.leaf_root_with(aggregate, listed.clone(), *program)?,
                    None => aggregator.leaf_root(aggregate)?,
                };
                (rooted.aggregate, Some((path, rooted.leaves)))
            }
        };
        let prove = start.elapsed();
        progress.stage("proving once more, in Keccak");
        let exit = aggregator.exit(&aggregate, settings)?;
        if let (Some(registry), Some((_, leaves))) = (&registry, &rooted) {
            registry.check(&leaves.pinned, exit.proof.key.digest())?;
        }
        let says_bytes = if rooted.is_some() { SAYS_BYTES } else { 0 };
        let call_bytes = call_bytes(says_bytes + calldata::encode(&exit.proof).len());
        let mut leaf_root = None;
        if let Some((path, leaves)) = rooted {
            let summary = LeafRootSummary::new(&leaves, &exit);
            let text = serde_json::to_vec_pretty(&summary)?;
            files::write(path, &text).map_err(CommandError::file(path))?;
            leaf_root = Some(Says {
                root: summary.root,
                leaf_count: summary.leaf_count,
                prove_ms: milliseconds(prove),
            });
        }
        let shown = Shown {
            proof: self.write(&exit.proof, &exit.accepted.root, [exit.prove, exit.verify])?,
            keys_are,
            keys_text: text_of(keys_are),
            least_bits: exit.accepted.bits,
            tree_bits: exit.accepted.tree_bits,
            call_bytes,
            leaf_root,
        };
        progress.finish();
        warn_of_large(call_bytes);
        Ok(print(&shown, format)?)
    }

    /// Makes the last proof of a fold, writes it and prints what it says.
    fn of_fold(
        &self,
        bytes: &[u8],
        progress: Progress,
        format: Format,
    ) -> Result<(), CommandError> {
        let path = self.aggregate.display();
        if self.leaf_root.is_some() {
            let message = "--leaf-root is for aggregates: a fold has no leaves to list";
            return Err(CommandError::usage(message));
        }
        let folded = self.folds.accept(bytes);
        let folded = folded.map_err(CommandError::about(&path))?;
        let aggregator = self.shape.aggregator();
        let is_canonical = aggregator.check_canonical(folded.proof());
        is_canonical.map_err(CommandError::about(&path))?;
        let bits = folded.accepted().bits;
        progress.suspend(|| warn_of_weak(self.exit_preset, &path, bits));
        progress.stage("proving once more, in Keccak");
        let exit = aggregator.exit_fold(&folded, WhirSettings::of_exit(self.exit_preset))?;
        let call_bytes = call_bytes(calldata::encode(&exit.proof).len());
        let shown = Shown {
            proof: self.write(&exit.proof, &exit.accepted.root, [exit.prove, exit.verify])?,
            keys_are: Evidence::Pinned,
            keys_text: "those of the rules, pinned by --fold-key",
            least_bits: exit.accepted.bits,
            tree_bits: exit.accepted.tree_bits,
            call_bytes,
            leaf_root: None,
        };
        progress.finish();
        warn_of_large(call_bytes);
        Ok(print(&shown, format)?)
    }

    /// Writes the last proof, which took these times to make and to verify.
    fn write(
        &self,
        proof: &Proof<KeccakSuite>,
        root: &Verification,
        [prove, verify]: [Duration; 2],
    ) -> Result<Verified, CommandError> {
        let bytes = whir::encode(proof)?;
        files::write(&self.output, &bytes).map_err(CommandError::file(&self.output))?;
        let says = ProofSummary::new(proof, root, bytes.len(), milliseconds(verify));
        Ok(Verified {
            prove_ms: Some(milliseconds(prove)),
            ..Verified::new(says)
        })
    }
}
