//! What all provers here have in common: a small machine and its program, true and false runs of
//! it, and the order in which its transcript observes and samples.

use std::sync::OnceLock;

use droste_native::whir::{CommitmentStep, Scheme, WhirSettings};
use droste_native::{EF, F};
use droste_verifier::circuit::RecursionCircuit;
use droste_vm::compiler::{Compiled, compile, compile_file};
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::whir::system::Shape;
use droste_vm::whir::{ProvingKey, Verifier};
use p3_air::BaseAir;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::dense::RowMajorMatrix;

/// Something that the transcript observes or samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Key,
    Statement,
    Heights,
    /// The commitment of this number.
    Commitment(usize),
    /// The point outside the domain of a commitment, and the value there.
    Outside(usize),
    /// The challenges of the lookups.
    Alpha,
    Beta,
    /// The fractions of a layer at two points.
    Halves(usize),
    /// What combines the numerators and denominators of a layer.
    Combination(usize),
    /// The first round of a layer.
    First(usize),
    /// Another round of a layer.
    Round(usize, usize),
    /// The line through the values of the leaves.
    Line,
    /// What combines the numerator and the denominator of the leaves.
    Theta,
    /// What combines the constraints.
    Constraints,
    Zerocheck(usize),
    Opened,
    /// What combines the columns of a table.
    Columns,
    /// What combines the claims.
    Claims,
    /// What combines claim, value outside the domain and answers of queries.
    Answers(usize),
    /// A round of sumcheck after a commitment; after all of them, the last sumcheck.
    Sumcheck(usize, usize),
    FinalPolynomial,
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// So many elements of the base field are observed.
    Observe(Step, usize),
    /// A challenge is sampled.
    Sample(Step),
}

pub struct Machine {
    program: Compiled,
    pub key: ProvingKey<StandardTables>,
    pub verifier: Verifier<StandardTables>,
    pub scheme: Scheme,
    pub shape: Shape,
    pub events: Vec<Event>,
    /// The verifier of these proofs, and what it is compiled to: with all challenges, and with few.
    pub recursion: RecursionCircuit,
    pub compiled: [Compiled; 2],
}

/// Three commitments, as few queries as there can be, no proof of work.
const fn settings() -> WhirSettings {
    WhirSettings {
        security_level: 2,
        grinding_bits: 0,
        lookup_grinding_bits: 0,
        log_block: 9,
        log_blowup: 1,
        second_log_blowup: 2,
        later_fold: 2,
        blowup_step: 0,
        cap_height: 0,
    }
}

impl Machine {
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Machine> = OnceLock::new();
        SHARED.get_or_init(Self::new)
    }

    fn new() -> Self {
        let source = "use droste_gadgets::prelude::*;
            pub fn main() { let x = public_input(); reveal(x * x); }";
        let program = compile(source, &[]).unwrap();
        let key = ProvingKey::new(&program.program, settings(), Heights::Minimal).unwrap();
        let verifier = Verifier::new(key.key().clone()).unwrap();
        let execution = execute(&program, &[F::TWO], &Tape::default(), 1 << 16).unwrap();
        let log_heights = key.log_heights(&execution).unwrap();
        let (scheme, shape) = verifier.shape(&log_heights).unwrap();
        // Provers here know no polynomial identities, whose tables are too wide for thousands of
        // proofs.
        let mut tables = verifier.system().tables().iter();
        assert!(tables.all(|table| table.expressions.identities().is_empty()));
        let recursion = RecursionCircuit::over_whir(&verifier, &log_heights, 1).unwrap();
        Self {
            events: events(&verifier, &scheme, &shape),
            compiled: [false, true].map(|few| compile_verifier(&recursion, few)),
            recursion,
            program,
            key,
            verifier,
            scheme,
            shape,
        }
    }

    /// The statement and the traces of a run with this input.
    pub fn run(&self, input: usize) -> ([F; 8], Vec<RowMajorMatrix<F>>) {
        let input = [F::from_usize(input)];
        let execution = execute(&self.program, &input, &Tape::default(), 1 << 16).unwrap();
        let traces = self.key.traces(&execution).unwrap();
        (execution.statement, traces)
    }

    /// The index of a table.
    pub fn table(&self, name: &str) -> usize {
        let mut tables = self.verifier.system().tables().iter();
        tables.position(|table| table.name == name).unwrap()
    }

    pub fn commitments(&self) -> Vec<CommitmentStep> {
        self.scheme.schedule().commitments().copied().collect()
    }

    /// The main cells that are committed to, as many rows as are present.
    pub fn main_cells(&self, traces: &[RowMajorMatrix<F>]) -> Vec<F> {
        let layout = self.scheme.layout();
        let mut cells = vec![F::ZERO; layout.main_cells()];
        for (index, trace) in traces.iter().enumerate() {
            let slots = &self.verifier.system().tables()[index].main;
            let start = layout.main_column(index, 0).unwrap().start;
            slots.transpose(trace, &mut cells[start..start + trace.values.len()]);
        }
        cells
    }

    /// All cells of the stack.
    pub fn stack(&self, traces: &[RowMajorMatrix<F>]) -> Vec<EF> {
        let layout = self.scheme.layout();
        let mut preprocessed = vec![F::ZERO; layout.preprocessed_cells()];
        for (index, table) in self.key.machine().tables().iter().enumerate() {
            let Some(trace) = table.preprocessed_trace() else {
                continue;
            };
            let slots = &self.verifier.system().tables()[index].preprocessed;
            let start = layout.preprocessed_column(index, 0).unwrap().start;
            let cells = &mut preprocessed[start..start + trace.values.len()];
            slots.transpose(&trace, cells);
        }
        let mut stack = vec![EF::ZERO; 1 << layout.variables()];
        for (rows, cells) in [
            (layout.main_rows(), self.main_cells(traces)),
            (layout.preprocessed_rows(), preprocessed),
        ] {
            let length = 1 << layout.log_block();
            for (&row, cells) in rows.iter().zip(cells.chunks(length)) {
                let row = &mut stack[row * length..][..length];
                row.iter_mut()
                    .zip(cells)
                    .for_each(|(to, &from)| *to = from.into());
            }
        }
        stack
    }
}

/// The verifier's program, with all challenges or with few.
fn compile_verifier(recursion: &RecursionCircuit, few: bool) -> Compiled {
    let mut text = recursion.text().to_owned();
    if few {
        let transcript = include_str!("circuit.rs");
        let transcript = transcript.replace("use droste_gadgets::prelude::*;\n", "");
        let transcript = transcript.replace(
            "use droste_gadgets::suites::poseidon16::Poseidon16Challenger;\n",
            "",
        );
        text = text.replace("Poseidon16Challenger as C", "Poseidon16Challenger");
        text = text.replace(
            "over_whir::<H, C, Tables>",
            "over_whir::<H, FewChallenges, Tables>",
        );
        let at = text.find("/// The tables of a proof.").unwrap();
        // Documentation of the file would be in the middle of the program.
        let transcript = transcript.replace("//!", "//");
        text.insert_str(at, &transcript);
    }
    match compile_file("trials.rs", &text, droste_gadgets::SOURCES) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{error:?}"),
    }
}

/// What the transcript observes and samples, in order (docs/notes/whir-protocol.md). Indices of
/// queries are not listed.
fn events(verifier: &Verifier<StandardTables>, scheme: &Scheme, shape: &Shape) -> Vec<Event> {
    use Event::{Observe, Sample};
    let system = verifier.system();
    let heights = 1 + shape.log_heights().len();
    let mut events = vec![
        Observe(Step::Key, 8),
        Observe(Step::Statement, 8),
        Observe(Step::Heights, heights.next_multiple_of(8)),
    ];
    let commit = |events: &mut Vec<Event>, number, step: &CommitmentStep| {
        events.push(Observe(Step::Commitment(number), 8 * scheme.cap_size(step)));
        for _ in 0..step.outside {
            events.extend([
                Sample(Step::Outside(number)),
                Observe(Step::Outside(number), 8),
            ]);
        }
    };
    let schedule = scheme.schedule();
    commit(&mut events, 0, &schedule.stack);
    events.extend([
        Sample(Step::Alpha),
        Sample(Step::Beta),
        Observe(Step::Halves(1), 32),
    ]);
    for layer in 1..shape.log_leaves() {
        events.extend([
            Sample(Step::Combination(layer)),
            Observe(Step::First(layer), 8),
            Sample(Step::First(layer)),
        ]);
        for round in 1..layer {
            let step = Step::Round(layer, round - 1);
            events.extend([Observe(step, 16), Sample(step)]);
        }
        events.push(Observe(Step::Halves(layer + 1), 32));
    }
    events.extend([
        Sample(Step::Line),
        Sample(Step::Theta),
        Sample(Step::Constraints),
    ]);
    for round in 0..shape.max_log_height() {
        let step = Step::Zerocheck(round);
        events.extend([Observe(step, 8 * system.degree()), Sample(step)]);
    }
    let kinds = system
        .tables()
        .iter()
        .flat_map(|table| [&table.main, &table.preprocessed]);
    let opened: usize = kinds.map(|slots| slots.width() + slots.num_next()).sum();
    events.extend([
        Observe(Step::Opened, 8 * opened),
        Sample(Step::Columns),
        Sample(Step::Claims),
    ]);
    let sumcheck = |events: &mut Vec<Event>, number, rounds| {
        for round in 0..rounds {
            let step = Step::Sumcheck(number, round);
            events.extend([Observe(step, 16), Sample(step)]);
        }
    };
    sumcheck(&mut events, 0, schedule.stack.fold);
    for (number, step) in (1..).zip(&schedule.folded) {
        commit(&mut events, number, step);
        events.push(Sample(Step::Answers(number)));
        sumcheck(&mut events, number, step.fold);
    }
    events.push(Observe(
        Step::FinalPolynomial,
        8 << schedule.final_variables,
    ));
    sumcheck(
        &mut events,
        schedule.folded.len() + 1,
        schedule.final_variables,
    );
    events
}
