//! Programs that verify multilinear proofs.

use std::fmt::Write as _;

use droste_gadgets::prelude::Felt;
use droste_gadgets::verify::multilinear::shape::Shape;
use droste_gadgets::verify::recursion::{self as entries, Key};
use droste_gadgets::verify::whir::shape::{Queries, Shape as Opening};
use droste_gadgets::{NativeTape, SOURCES};
use droste_native::field::EXTENSION_DEGREE;
use droste_native::stark::security::{SCHWARTZ_ZIPPEL, Security, SecurityTerm};
use droste_native::whir::{Scheme, field_bits};
use droste_native::{F, Poseidon16Suite};
use droste_vm::compiler::{CompileError, Compiled, compile_file};
use droste_vm::executor::{RunError, execute};
use droste_vm::record::Execution;
use droste_vm::verifier::VerifyError;
use droste_vm::whir::{self, KEY_TAG, Proof, Provable, Verifier};
use p3_field::PrimeField32;
use thiserror::Error;

use super::shape::{MultilinearShapeError, proof_shape};
use crate::codegen::{CodegenError, MultilinearEvaluators};
use crate::shape::integers;
use crate::tags::CLAIM_TAG;
use crate::tape::{Answers, TapeError, TapeSuite, machine_tape};

/// Largest number of cycles of a run.
const MAX_CYCLES: u64 = 1 << 24;

/// Why there is no program that verifies proofs.
#[derive(Debug, Error)]
pub enum RecursionProgramError {
    /// No proofs of the key have these heights.
    #[error("no proofs under the children's key have the given heights")]
    Heights(#[source] VerifyError),
    /// Constraint evaluators cannot be generated.
    #[error(transparent)]
    Codegen(#[from] CodegenError),
    /// There is no verifier of proofs of this shape.
    #[error(transparent)]
    Shape(#[from] MultilinearShapeError),
}

/// Why there is no run of a program on its children.
#[derive(Debug, Error)]
pub enum RecursionRunError {
    /// The hints for the children cannot be written.
    #[error(transparent)]
    Tape(#[from] TapeError),
    /// The program rejects the children.
    #[error("the program rejects its children")]
    Run(#[source] Box<RunError>),
}

/// A program that verifies multilinear proofs of one shape (one machine, settings and list of
/// heights), which may be of any programs, and reveals their claim.
#[derive(Debug)]
pub struct RecursionProgram {
    scheme: Scheme,
    shape: Shape,
    evaluators: MultilinearEvaluators,
    /// A key digest's preimage without the commitment to the program, which is its last part.
    header: Vec<F>,
    security: Security,
    children: usize,
}

impl RecursionProgram {
    /// The program that verifies `children` proofs with these heights under the key of `verifier`.
    ///
    /// # Errors
    /// If no proof of the verifier's key has these heights, or no program can be generated.
    pub fn new<T: Provable>(
        verifier: &Verifier<T>,
        log_heights: &[usize],
        children: usize,
    ) -> Result<Self, RecursionProgramError> {
        let key = verifier.key();
        let (scheme, heights) = verifier
            .shape(log_heights)
            .map_err(RecursionProgramError::Heights)?;
        let system = verifier.system();
        let settings = &key.settings;
        let shape = proof_shape(
            system,
            &heights,
            &scheme,
            settings.cap_height,
            settings.security_level,
        )?;
        let mut header = key.preimage();
        header.truncate(16);
        let mut security = verifier
            .security(log_heights)
            .map_err(RecursionProgramError::Heights)?;
        security.add(comparison_of_leaves(&shape.opening));
        Ok(Self {
            security,
            shape,
            scheme,
            evaluators: MultilinearEvaluators::new(system)?,
            header,
            children,
        })
    }

    /// Proven security of every proof that the program accepts: that of the proof, and of what the
    /// program checks in another way than the native verifier.
    pub const fn security(&self) -> &Security {
        &self.security
    }

    /// Whether proofs under this key are of the machine that the program verifies proofs of.
    pub(crate) fn verifies_key(&self, key: &whir::Key) -> bool {
        key.preimage().starts_with(&self.header)
    }

    /// The shape of the proofs.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The evaluators of their tables' constraints and messages.
    pub const fn evaluators(&self) -> &MultilinearEvaluators {
        &self.evaluators
    }

    /// The text of the program.
    pub fn text(&self) -> String {
        let mut text = self.evaluators.text();
        text.push_str(
            "\nuse droste_gadgets::poseidon16::{Poseidon16 as H, Poseidon16Challenger as C};\n\
             use droste_gadgets::verify::multilinear::Constraints;\n\
             use droste_gadgets::verify::multilinear::shape::{Columns, Shape, Table};\n\
             use droste_gadgets::verify::recursion::{Key, multilinear, reveal_claim};\n\
             use droste_gadgets::verify::whir::shape::{Queries, Round, Shape as Opening, Sumcheck};\n\n\
             /// The tables of a proof.\npub struct Tables;\n\nimpl Constraints for Tables {\n",
        );
        for (function, parameter) in [("folded", "Challenges"), ("messages", "Messages")] {
            let evaluator = match function {
                "folded" => "eval",
                _ => "messages",
            };
            let _ = writeln!(
                text,
                "    fn {function}(&self, table: usize, v: &Opened, c: &{parameter}) -> Ext {{\n        match table {{"
            );
            for (index, table) in self.evaluators.tables.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "            {index} => {evaluator}_{}(v, c),",
                    table.name
                );
            }
            text.push_str(
                "            _ => panic!(\"there is no such table\"),\n        }\n    }\n",
            );
        }
        text.push_str("}\n\n");
        text.push_str(&shape_text(&self.shape));
        let header: Vec<Vec<u32>> = self.header.chunks(8).map(integers).collect();
        let _ = write!(
            text,
            "
/// Verifies every child and reveals the claim.
pub fn main() {{
    let shape = shape();
    let key = Key {{
        tag: Felt::new({}),
        header: vec!{header:?},
    }};
    let mut children = Vec::new();
    for _i in 0..{} {{
        children.push(multilinear::<H, C, Tables>(&shape, &Tables, &key));
    }}
    reveal_claim(Felt::new({}), &children);
}}
",
            KEY_TAG.as_canonical_u32(),
            self.children,
            CLAIM_TAG.as_canonical_u32(),
        );
        text
    }

    /// Compiles the program.
    ///
    /// # Errors
    /// None for the programs that are generated here.
    pub fn compile(&self) -> Result<Compiled, Box<CompileError>> {
        compile_file("multilinear.rs", &self.text(), SOURCES)
    }

    /// Runs the compiled program on these children.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    pub fn execute(
        &self,
        compiled: &Compiled,
        children: &[&Proof],
    ) -> Result<Execution, RecursionRunError> {
        let tape = self.record(children)?;
        execute(compiled, &[], &machine_tape(&tape), MAX_CYCLES)
            .map_err(|error| RecursionRunError::Run(Box::new(error)))
    }

    /// Records, in a native run, the hints with which the program accepts these children.
    ///
    /// # Errors
    /// If a child is of another shape, or the program rejects it.
    pub fn record(&self, children: &[&Proof]) -> Result<NativeTape, TapeError> {
        let mut answers = Answers::<Poseidon16Suite>::default();
        for proof in children {
            answers.message(proof.key.program.concat());
            answers.message(proof.statement.to_vec());
            answers.multilinear(&self.shape, &self.scheme, &proof.stark)?;
        }
        let block = |block: &[F; 8]| block.map(|lane| lane.as_canonical_u32());
        let key = Key {
            tag: Felt::from(whir::KEY_TAG),
            header: self.header.as_chunks().0.iter().map(block).collect(),
        };
        answers.record(|| {
            let child = || {
                entries::multilinear::<
                    <Poseidon16Suite as TapeSuite>::Gadget,
                    <Poseidon16Suite as TapeSuite>::Transcript,
                    _,
                >(&self.shape, &self.evaluators, &key)
            };
            let children: Vec<_> = (0..self.children).map(|_| child()).collect();
            entries::reveal_claim(CLAIM_TAG.into(), &children);
        })
    }
}

/// The program compares the leaves of each commitment with their combination at a random point, instead of
/// folding each. For leaves of `n` elements of the base field in each tree the error is at most the sum of
/// `(n + 8) / |EF|` (`droste_gadgets::verify::whir::rows`). The last answers are compared with the values of
/// the final polynomial in one sum, by powers of a challenge.
fn comparison_of_leaves(shape: &Opening) -> SecurityTerm {
    let rounds = shape.rounds.iter().map(|round| &round.queries);
    let of = |queries: &Queries| {
        let degree = if queries.base { 1 } else { EXTENSION_DEGREE };
        let trees = queries.trees.iter().map(|rows| degree * rows.len() + 8);
        trees.sum::<usize>()
    };
    let last = &shape.final_queries;
    let count = rounds.map(of).sum::<usize>() + of(last) + last.count;
    SecurityTerm {
        commitment: None,
        name: "comparisons of leaves",
        theorem: SCHWARTZ_ZIPPEL,
        bits: field_bits() - (count as f64).log2(),
    }
}

/// The shape as zk-DSL text: a function `shape` that returns it.
fn shape_text(shape: &Shape) -> String {
    // A shape consists of integers, bools and lists only, so `Debug` prints Rust but for the lists.
    // The shape of the opening has the name of the outer one.
    let literal = format!("{shape:#?}")
        .replace('[', "vec![")
        .replace("opening: Shape {", "opening: Opening {");
    format!("/// The shape of the proofs.\npub fn shape() -> Shape {{\n{literal}\n}}\n")
}
