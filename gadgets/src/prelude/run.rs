//! The state of a native run: tape, statement and block memory. Each run has a thread of its own.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::thread::{self, Scope, ScopedJoinHandle};

use droste_native::{EF, F, precompile};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use thiserror::Error;

use super::felt::Felt;
use crate::record::Line;

/// Stack of a native run.
const STACK_BYTES: usize = 64 << 20;

/// Lanes of the statement.
pub const STATEMENT_LANES: usize = 8;

/// One hint. A lane of a slice without a value is left for a precompile to fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Read by [`hint_felt`](super::hint_felt).
    Felt(F),
    /// Read by [`hint_ext`](super::hint_ext).
    Ext(EF),
    /// Read by [`hint_slice`](super::hint_slice).
    Slice(Vec<[Option<F>; 8]>),
}

impl Hint {
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Felt(_) => "an element".into(),
            Self::Ext(_) => "an extension element".into(),
            Self::Slice(blocks) => format!("{} blocks", blocks.len()),
        }
    }
}

/// Hints in the order the program reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    /// The hints.
    pub hints: Vec<Hint>,
}

/// Why a run failed: an assertion, a hint of the wrong kind, an operand outside a relation's domain.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Failure(pub String);

/// Where hints come from.
pub(crate) enum Source {
    /// A tape.
    Tape(VecDeque<Hint>),
    /// Advice and a prover: a tape is recorded.
    Prover(Line),
}

impl Default for Source {
    fn default() -> Self {
        Self::Tape(VecDeque::new())
    }
}

/// What a program asks for.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    Felt,
    Ext,
    Slice(usize),
}

#[derive(Default)]
pub(crate) struct Run {
    source: Source,
    /// Hints that the program says are next.
    advised: VecDeque<Hint>,
    recorded: Vec<Hint>,
    inputs: VecDeque<F>,
    statement: Vec<F>,
    revealed: bool,
    blocks: Vec<[Option<F>; 8]>,
}

thread_local! {
    static RUN: RefCell<Run> = RefCell::new(Run::default());
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `program` natively on a tape of hints and public inputs and returns the statement: inputs,
/// then outputs, then zeros, as canonical integers.
///
/// # Errors
/// The message of the first assertion that fails. Hints and inputs left over are failures too.
pub fn run_native(
    tape: &Tape,
    public: &[u32],
    program: impl FnOnce() + Send,
) -> Result<[u32; STATEMENT_LANES], Failure> {
    let source = Source::Tape(tape.hints.iter().cloned().collect());
    let (_, statement) = thread::scope(|scope| finish(spawn(scope, source, public, program)?))?;
    Ok(statement)
}

/// A run in a thread of its own.
pub(crate) type Handle<'scope> = ScopedJoinHandle<'scope, (thread::Result<()>, Run)>;

/// Starts a run.
pub(crate) fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    source: Source,
    public: &[u32],
    program: impl FnOnce() + Send + 'scope,
) -> Result<Handle<'scope>, Failure> {
    silence_failures();
    let run = Run {
        source,
        inputs: public.iter().map(|&x| F::from_u32(x)).collect(),
        ..Run::default()
    };
    let started = || {
        RUN.set(run);
        RUNNING.set(true);
        let result = catch_unwind(AssertUnwindSafe(program));
        let mut run = RUN.take();
        if let Source::Prover(_) = run.source {
            // The prover hears that nothing more is asked.
            run.source = Source::default();
        }
        (result, run)
    };
    thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn_scoped(scope, started)
        .map_err(|error| Failure(format!("no thread for the run: {error}")))
}

/// The tape that a run recorded, and its statement.
pub(crate) fn finish(run: Handle<'_>) -> Result<(Tape, [u32; STATEMENT_LANES]), Failure> {
    let (result, run) = run
        .join()
        .map_err(|_| Failure("the run's thread ended early".into()))?;
    if let Err(payload) = result {
        let message = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        return Err(Failure(
            message.unwrap_or_else(|| "assertion failed".into()),
        ));
    }
    let left = match &run.source {
        Source::Tape(hints) => hints.len(),
        Source::Prover(_) => 0,
    };
    if left > 0 {
        return Err(Failure(format!("{left} hints are left on the tape")));
    }
    if !run.advised.is_empty() {
        let left = run.advised.len();
        return Err(Failure(format!("{left} advised hints were not read")));
    }
    if !run.inputs.is_empty() {
        return Err(Failure(format!(
            "{} public inputs were not read",
            run.inputs.len()
        )));
    }
    let mut statement = [0; STATEMENT_LANES];
    for (lane, value) in statement.iter_mut().zip(run.statement) {
        *lane = value.as_canonical_u32();
    }
    let hints = run.recorded;
    Ok((Tape { hints }, statement))
}

/// A program fails by panicking; inside [`run_native`] that is a result, not news.
fn silence_failures() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !RUNNING.get() {
                hook(info);
            }
        }));
    });
}

/// The next public input. Inputs come before outputs in the statement.
pub fn public_input() -> Felt {
    RUN.with_borrow_mut(|run| {
        assert!(!run.revealed, "a public input is read after an output");
        let value = run.inputs.pop_front().expect("a public input is missing");
        run.write(value);
        Felt(value)
    })
}

/// Writes the next lane of the statement.
pub fn reveal(value: Felt) {
    RUN.with_borrow_mut(|run| {
        run.revealed = true;
        run.write(value.0);
    });
}

impl Run {
    fn write(&mut self, value: F) {
        assert!(
            self.statement.len() < STATEMENT_LANES,
            "the statement has {STATEMENT_LANES} lanes"
        );
        self.statement.push(value);
    }
}

pub(crate) fn next_hint(wanted: Wanted) -> Hint {
    let next = RUN.with_borrow_mut(|run| match &mut run.source {
        Source::Tape(hints) => Ok(hints.pop_front().expect("the tape has ended")),
        Source::Prover(_) => Err(run.advised.pop_front()),
    });
    let advised = match next {
        Ok(hint) => return hint,
        Err(advised) => advised,
    };
    let hint = advised.unwrap_or_else(|| match wanted {
        Wanted::Felt => Hint::Felt(ask(1)[0]),
        Wanted::Ext => Hint::Ext(EF::from_basis_coefficients_fn({
            let coefficients = ask(5);
            move |i| coefficients[i]
        })),
        Wanted::Slice(blocks) => {
            let lanes = ask(8 * blocks);
            let block = |lanes: &[F]| std::array::from_fn(|i| Some(lanes[i]));
            Hint::Slice(lanes.chunks(8).map(block).collect())
        }
    });
    RUN.with_borrow_mut(|run| run.recorded.push(hint.clone()));
    hint
}

/// The prover's next message, of `n` elements.
pub(crate) fn ask(n: usize) -> Vec<F> {
    let message = RUN.with_borrow(|run| match &run.source {
        Source::Prover(line) => line.ask(n),
        Source::Tape(_) => None,
    });
    let message = message.expect("the prover has no answer");
    assert_eq!(message.len(), n, "elements of the prover's message");
    message
}

fn recording() -> bool {
    RUN.with_borrow(|run| matches!(run.source, Source::Prover(_)))
}

/// Says what one of the next hints is, in their order.
pub(crate) fn advise(hint: impl FnOnce() -> Hint) {
    if recording() {
        let hint = hint();
        RUN.with_borrow_mut(|run| run.advised.push_back(hint));
    }
}

/// Tells the prover something.
pub(crate) fn tell(values: impl FnOnce() -> Vec<F>) {
    if recording() {
        let values = values();
        RUN.with_borrow(|run| {
            if let Source::Prover(line) = &run.source {
                line.tell(values);
            }
        });
    }
}

/// Appends blocks to memory and returns the address of the first.
pub(crate) fn allocate(blocks: &[[Option<F>; 8]]) -> usize {
    RUN.with_borrow_mut(|run| {
        let address = run.blocks.len();
        run.blocks.extend_from_slice(blocks);
        address
    })
}

/// One block, with the lanes that have a value.
pub(crate) fn block(address: usize) -> [Option<F>; 8] {
    RUN.with_borrow(|run| run.blocks.get(address).copied())
        .expect("a slice ends before the block read from it")
}

fn read(address: usize, n: usize, unset: impl Fn(usize, usize) -> F) -> Vec<precompile::Block> {
    RUN.with_borrow(|run| {
        let blocks = run.blocks.get(address..address + n);
        let blocks = blocks.expect("a slice ends before the blocks read from it");
        let lanes = |(i, block): (usize, &[Option<F>; 8])| {
            std::array::from_fn(|lane| block[lane].unwrap_or_else(|| unset(i, lane)))
        };
        blocks.iter().enumerate().map(lanes).collect()
    })
}

fn missing(block: usize, lane: usize) -> F {
    panic!("lane {lane} of block {block} has no value")
}

/// `n` blocks of which every lane has a value.
pub(crate) fn read_blocks(address: usize, n: usize) -> Vec<precompile::Block> {
    read(address, n, missing)
}

/// Blocks of which the first `lanes` lanes have a value.
pub(crate) fn read_lanes(address: usize, lanes: usize) -> Vec<precompile::Block> {
    read(address, lanes.div_ceil(8), |block, lane| {
        if 8 * block + lane < lanes {
            missing(block, lane)
        } else {
            F::ZERO
        }
    })
}

/// `n` blocks, zero where a lane has no value.
pub(crate) fn read_or_zero(address: usize, n: usize) -> Vec<precompile::Block> {
    read(address, n, |_, _| F::ZERO)
}

/// Gives every lane of a block its value, which lanes that have one must agree with.
pub(crate) fn fill(address: usize, values: precompile::Block) {
    RUN.with_borrow_mut(|run| {
        for (lane, value) in run.blocks[address].iter_mut().zip(values) {
            assert!(
                lane.is_none_or(|old| old == value),
                "a cell is written twice"
            );
            *lane = Some(value);
        }
    });
}
