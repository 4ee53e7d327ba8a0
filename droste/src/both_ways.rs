//! Runs a zk-DSL program, or a rule of a fold, natively and in the machine on the same inputs, and
//! acts as a prover who gives false hints.

#[cfg(feature = "prover")]
mod rule;

use droste_gadgets::{Failure, run_native};
use droste_lang::compiler::{Compiled, compile_with};
use droste_lang::executor::{RunError, Tape, TapeItem, execute, execute_mutated};
use droste_lang::precompile::Precompile;
use droste_lang::record::Execution;
use droste_native::F;
#[cfg(feature = "prover")]
use droste_vm::{
    heights::Heights,
    stack::{Prove, Proves, Verify},
    verifier::VerifyOptions,
};
use miette::{Diagnostic, NarratableReportHandler};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};

#[cfg(feature = "prover")]
pub use droste_gadgets::paper;
pub use droste_gadgets::{Hint, NativeTape};
#[cfg(feature = "prover")]
pub use rule::Rule;

/// A compiler's error in plain text, with the lines that it is about.
fn narrated(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    match NarratableReportHandler::new().render_report(&mut text, error) {
        Ok(()) => text,
        Err(_) => error.to_string(),
    }
}

/// Number of instructions after which a run counts as failed.
pub const LIMIT: u64 = 1 << 22;

/// A program, compiled by Droste and by rustc.
#[derive(Clone, Debug)]
pub struct Program {
    /// Name, for messages.
    pub name: String,
    /// The program compiled for the machine.
    pub compiled: Compiled,
    /// The program's `main`, compiled by rustc.
    pub main: fn(),
}

/// Outcome of a run: its statement, or why it failed.
pub type Outcome = Result<[u32; 8], String>;

impl Program {
    /// Compiles `source` with the gadget library. `main` must be the same source's `main`, compiled
    /// by rustc.
    ///
    /// # Panics
    ///
    /// If it does not compile; the message is the compiler's.
    pub fn new(name: &str, source: &str, main: fn()) -> Self {
        Self::with_precompiles(name, source, &[], main)
    }

    /// Like [`Self::new`], for a program that calls precompiles of your own:
    /// `custom_precompiles` returns those of a machine's tables. In a native run, a call is one of
    /// the function that the program imports.
    ///
    /// # Panics
    ///
    /// If it does not compile; the message is the compiler's.
    pub fn with_precompiles(
        name: &str,
        source: &str,
        precompiles: &[Precompile],
        main: fn(),
    ) -> Self {
        match compile_with(name, source, droste_gadgets::SOURCES, precompiles) {
            Ok(compiled) => Self {
                name: name.to_owned(),
                compiled,
                main,
            },
            Err(error) => panic!("{}", narrated(&*error)),
        }
    }

    /// Runs the program natively.
    pub fn native(&self, tape: &NativeTape, public: &[u32]) -> Outcome {
        run_native(tape, public, self.main).map_err(|Failure(message)| message)
    }

    /// Runs the program in the machine.
    pub fn machine(&self, tape: &NativeTape, public: &[u32]) -> Outcome {
        let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
        outcome(execute(&self.compiled, &public, &machine_tape(tape), LIMIT))
    }

    /// Runs the program both ways. Both runs must have the same statement, or both must fail.
    ///
    /// # Panics
    ///
    /// If the runs differ.
    pub fn both(&self, tape: &NativeTape, public: &[u32]) -> Outcome {
        let (native, machine) = (self.native(tape, public), self.machine(tape, public));
        match (&native, &machine) {
            (Ok(native), Ok(machine)) => assert_eq!(native, machine, "{}", self.name),
            (Err(_), Err(_)) => {}
            (native, machine) => panic!(
                "{}: natively {native:?}, in the machine {machine:?}",
                self.name
            ),
        }
        native
    }

    /// Runs the program both ways, proves the run on a machine with the tables `T` in the proof
    /// system `S`, at the least heights, and verifies that the proof is one of the native run's
    /// statement. Returns the proof.
    ///
    /// # Panics
    ///
    /// If the runs differ or fail, or the run cannot be proved.
    #[cfg(feature = "prover")]
    pub fn prove<S: Proves<T>, T>(
        &self,
        tape: &NativeTape,
        public: &[u32],
        settings: S::Settings,
    ) -> S::Proof {
        let name = &self.name;
        let statement = self.both(tape, public);
        let statement = statement.unwrap_or_else(|error| panic!("{name}: {error}"));
        let public: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
        let run = execute(&self.compiled, &public, &machine_tape(tape), LIMIT);
        let run = run.unwrap_or_else(|error| panic!("{name}: {error}"));
        let key = S::proving_key(&self.compiled.program, settings, Heights::Minimal);
        let key = key.unwrap_or_else(|error| panic!("{name} has no key: {error}"));
        let proof = key.prove_run(&run);
        let proof = proof.unwrap_or_else(|error| panic!("{name} has no proof: {error}"));
        let verifier = S::verifier(S::verification_key(&key).clone());
        let expected = statement.map(F::from_u32);
        let insecure = VerifyOptions::min_bits(0);
        verifier
            .and_then(|verifier| verifier.report(&expected, insecure, &proof))
            .unwrap_or_else(|error| panic!("the proof of {name} is refused: {error}"));
        proof
    }

    /// Changes every hint in turn. A changed hint of the tape must have the same effect on both
    /// runs; a changed hint that the executor computes must not lead to another statement.
    ///
    /// Returns the number of changed hints that were accepted with the same statement, which are
    /// values that nothing constrains.
    ///
    /// # Panics
    ///
    /// If a false hint leads to another statement in the machine, or the runs differ.
    pub fn mutate_hints(&self, tape: &NativeTape, public: &[u32]) -> usize {
        let honest = self.both(tape, public).expect("the honest run succeeds");
        let mut free = 0;
        for index in 0..tape.hints.len() {
            for changed in mutations(&tape.hints[index]) {
                let mut false_tape = tape.clone();
                false_tape.hints[index] = changed;
                if self.both(&false_tape, public) == Ok(honest) {
                    free += 1;
                }
            }
        }
        let field: Vec<_> = public.iter().map(|value| F::from_u32(*value)).collect();
        let machine_tape = machine_tape(tape);
        let computed = self.compiled.hints.len() as u64;
        for number in 0..computed.min(2_000) {
            for delta in [F::ONE, F::NEG_ONE, F::from_u32(0x1234_5678)] {
                let mutation = Some((number, delta));
                // A false hint may make a loop endless; it then runs into the limit.
                let limit = 1 << 18;
                let run = execute_mutated(&self.compiled, &field, &machine_tape, limit, mutation);
                if let Ok(statement) = outcome(run) {
                    assert_eq!(
                        statement, honest,
                        "{}: false hint {number} is accepted",
                        self.name
                    );
                }
            }
        }
        free
    }
}

fn outcome(run: Result<Execution, RunError>) -> Outcome {
    match run {
        Ok(execution) => Ok(execution.statement.map(|value| value.as_canonical_u32())),
        Err(error) => Err(error.to_string()),
    }
}

/// Converts the tape of a native run into one for the machine. Its JSON, by serde, is what
/// `droste prove --hints` reads.
pub fn machine_tape(tape: &NativeTape) -> Tape {
    let items = tape.hints.iter().map(|hint| match hint {
        Hint::Felt(value) => TapeItem::Felt(*value),
        Hint::Ext(value) => {
            let coefficients = value.as_basis_coefficients_slice();
            TapeItem::Ext(std::array::from_fn(|i| coefficients[i]))
        }
        Hint::Slice(blocks) => TapeItem::Slice(blocks.clone()),
    });
    Tape {
        items: items.collect(),
    }
}

/// Versions of a hint, each with one element changed.
fn mutations(hint: &Hint) -> Vec<Hint> {
    match hint {
        Hint::Felt(value) => vec![
            Hint::Felt(*value + F::ONE),
            Hint::Felt(*value - F::ONE),
            Hint::Felt(*value + F::from_u32(1 << 30)),
        ],
        Hint::Ext(value) => (0..5)
            .map(|i| {
                let mut coefficients: Vec<F> = value.as_basis_coefficients_slice().to_vec();
                coefficients[i] += F::ONE;
                Hint::Ext(droste_native::EF::from_basis_coefficients_fn(|i| {
                    coefficients[i]
                }))
            })
            .collect(),
        Hint::Slice(blocks) => {
            let mut changed = Vec::new();
            // In long slices only some blocks are changed, including the first and the last.
            let step = (blocks.len() / 8).max(1);
            for index in (0..blocks.len())
                .step_by(step)
                .chain(blocks.len().checked_sub(1))
            {
                for lane in 0..8 {
                    if let Some(value) = blocks[index][lane] {
                        let mut blocks = blocks.clone();
                        blocks[index][lane] = Some(value + F::ONE);
                        changed.push(Hint::Slice(blocks));
                    }
                }
            }
            changed
        }
    }
}
