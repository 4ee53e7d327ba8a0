//! Proves batches of signatures. All proofs of a program have one shape, so that one key of a wrap
//! accepts them, whatever number of signatures there is.

use std::sync::Arc;

use droste_native::F;
use droste_native::hash_signature::{PublicKey, SecretKey, SignedMessage};
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_vm::compiler::Compiled;
use droste_vm::executor::execute;
use droste_vm::heights::Heights;
use droste_vm::key::KeyError;
use droste_vm::machine::{StandardTables, precompiles_of};
use droste_vm::record::Execution;
use droste_vm::stack::Prove;
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::{self, Key, Proof, ProvingKey};
use p3_field::PrimeCharacteristicRing;

use super::{Registry, SignatureBatch, SignatureBatchProgram, SignatureFoldError, SignersClaim};
use crate::aggregate::{least_heights, longer_rows};
use crate::circuit::rows_of_tables;
use crate::plan::{Name, Store};
use crate::proofs::{self, Known};
use crate::resources::estimated_bytes_over_whir;

/// Bound on the instructions of a signature, of a key's place in the tree, and of the rest.
const INSTRUCTIONS: u64 = 1 << 10;

/// A program, compiled once, with the key that proves its runs.
#[derive(Debug)]
pub struct SignatureBatchProver {
    program: SignatureBatchProgram,
    compiled: Compiled,
    key: ProvingKey<StandardTables>,
    log_heights: Vec<usize>,
}

impl SignatureBatchProgram {
    /// Logarithms of the heights at which batches of as many signatures as the program takes are
    /// proved, in the machine's order.
    ///
    /// Runs on one signature and on two tell the rows of each further one. The first signer has the
    /// last key, since memory ends where the last signer's blocks are. The second one is in another
    /// word of the set of signers, so no signature takes more.
    fn log_heights(&self, compiled: &Compiled) -> Result<Vec<usize>, SignatureFoldError> {
        let mut signed = vec![];
        for seed in [1, 2] {
            let key = SecretKey::generate(self.scheme, &[seed; 32], 0..=0)?;
            signed.push(SignedMessage::new(&key, 0, [F::ZERO; 8])?);
        }
        // The last and the first key sign. Those between need not be keys.
        let others = (2..1_usize << self.registry.log_keys()).map(|number| PublicKey {
            root: [F::from_usize(number); 4],
            parameter: [F::ZERO; 4],
        });
        let mut ends = signed.iter().map(|signed| signed.public_key);
        let last = ends.next();
        let keys = ends.chain(others).chain(last);
        let sample = Self {
            registry: Arc::new(Registry::new(keys.collect())?),
            scheme: self.scheme,
            signatures: 2,
        };
        let (precompiles, program) = (precompiles_of(&compiled.program), &compiled.program);
        let rows = |signers: usize| {
            let some = signed.iter().take(signers).cloned();
            let mut rows = vec![];
            for batch in sample.batches(some)? {
                let run = sample.execute(compiled, &batch)?;
                rows.extend(rows_of_tables(program, &run, &precompiles).map_err(KeyError::from)?);
            }
            Ok::<_, SignatureFoldError>(rows)
        };
        let (one, two) = (rows(1)?, rows(2)?);
        let more = self.signatures - 1;
        let rows = one.into_iter().zip(two).map(|((table, one), (_, two))| {
            let of_each = two.saturating_sub(one);
            (table, one + more * of_each)
        });
        Ok(least_heights(&rows.collect::<Vec<_>>()))
    }

    /// Verifies the signatures and runs the program.
    fn execute(
        &self,
        compiled: &Compiled,
        batch: &SignatureBatch,
    ) -> Result<Execution, SignatureFoldError> {
        let tape = self.tape(batch)?;
        let limit = INSTRUCTIONS << (self.registry.log_keys() + 2);
        let execution = execute(compiled, &[], &tape, limit);
        execution.map_err(|error| SignatureFoldError::Run(Box::new(error)))
    }
}

impl SignatureBatchProver {
    /// Compiles a program and commits to it.
    ///
    /// # Errors
    /// If the settings are out of range, or nobody signs with the scheme.
    pub fn new(program: SignatureBatchProgram, preset: Preset) -> Result<Self, SignatureFoldError> {
        let compiled = program.compile().map_err(SignatureFoldError::Compile)?;
        let log_heights = program.log_heights(&compiled)?;
        // A row of the stack has as many cells as the tallest table has rows.
        let settings = WhirSettings::of(preset);
        let tallest = log_heights.iter().copied();
        let settings = longer_rows(settings, tallest.fold(settings.log_block, usize::max));
        let key = ProvingKey::new(&compiled, settings, Heights::Exact(log_heights.clone()))?;
        Ok(Self {
            program,
            compiled,
            key,
            log_heights,
        })
    }

    /// The program.
    pub const fn program(&self) -> &SignatureBatchProgram {
        &self.program
    }

    /// The compiled program.
    pub const fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The key of the proofs: it is the same for all batches.
    pub fn key(&self) -> &Key {
        self.key.key()
    }

    /// Logarithms of the heights of all proofs' tables, in the machine's order.
    pub fn log_heights(&self) -> &[usize] {
        &self.log_heights
    }

    /// Proves that all signatures of a batch are valid.
    ///
    /// # Errors
    /// Names the first signature that is not; also if there are too many.
    pub fn prove(&self, batch: &SignatureBatch) -> Result<Proof, SignatureFoldError> {
        let execution = self.program.execute(&self.compiled, batch)?;
        Ok(self.key.prove_run(&execution)?)
    }

    /// Estimates the bytes of memory that [`Self::prove`] needs.
    ///
    /// # Errors
    /// If the tables are out of range.
    pub fn memory(&self) -> Result<usize, VerifyError> {
        let (scheme, shape) = self.key.verifier().shape(&self.log_heights)?;
        Ok(estimated_bytes_over_whir(&scheme, &shape))
    }

    /// Name under which a store keeps the proof of a claim.
    pub fn name(&self, claim: &SignersClaim) -> Name {
        Name::of_leaves([&(self.key().digest(), claim.statement())])
    }

    /// The bytes of the proof of a claim that a run before kept in a store, if it is valid.
    pub fn kept(&self, claim: &SignersClaim, store: &Store) -> Option<Vec<u8>> {
        let bytes = store.get(self.name(claim))?;
        let (known, options) = (Known::Key(self.key().digest()), VerifyOptions::min_bits(0));
        let verified = proofs::verify(&bytes, known, &claim.statement(), options);
        verified.is_ok().then_some(bytes)
    }

    /// The bytes of a proof of a batch: the one that a run before kept in a store, or a new one,
    /// which is kept there.
    ///
    /// # Errors
    /// As for [`Self::prove`], and if it cannot be stored.
    pub fn prove_kept(
        &self,
        batch: &SignatureBatch,
        store: &Store,
    ) -> Result<Vec<u8>, SignatureFoldError> {
        self.program.check(batch)?;
        let claim = batch.claim();
        if let Some(bytes) = self.kept(&claim, store) {
            return Ok(bytes);
        }
        let bytes = whir::encode(&self.prove(batch)?)?;
        store.put(self.name(&claim), &bytes)?;
        Ok(bytes)
    }
}
