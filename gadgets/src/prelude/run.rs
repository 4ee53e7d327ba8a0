//! The state of a native run: tape, statement and block memory. Each run has its own thread.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::thread::{self, Scope, ScopedJoinHandle};

use droste_native::field::EXTENSION_DEGREE;
use droste_native::precompile::baby_bear_to_block;
use droste_native::{AnyChallenge, BabyBear4, ChallengeField, EF, F, precompile};
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, PrimeField32};
use thiserror::Error;

use super::felt::Felt;
use crate::record::Line;

/// Bytes of stack of a native run.
const STACK_BYTES: usize = 64 << 20;

/// Number of lanes of the statement.
pub const STATEMENT_LANES: usize = 8;

/// A hint. A lane of a slice may have no value, so that a precompile can give it one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Read by [`hint_felt`](super::hint_felt).
    Felt(F),
    /// Read by [`hint_ext`](super::hint_ext): its five cells, of which the last must be zero if the
    /// degree is four.
    Ext(EF),
    /// Read by [`hint_slice`](super::hint_slice) and, of one block, by
    /// [`hint_ext`](super::hint_ext) in a program over [`baby_bear`].
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

/// Hints in the order in which the program reads them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeTape {
    /// The hints.
    pub hints: Vec<Hint>,
}

impl NativeTape {
    /// The tape as JSON, in the form that the command `droste` reads.
    pub fn to_json(&self) -> String {
        let hints = self.hints.iter().map(|hint| match hint {
            Hint::Felt(value) => format!("{{\"felt\":{value}}}"),
            Hint::Ext(value) => {
                let coefficients: &[F] = value.as_basis_coefficients_slice();
                let coefficients: Vec<_> = coefficients.iter().map(ToString::to_string).collect();
                format!("{{\"ext\":[{}]}}", coefficients.join(","))
            }
            Hint::Slice(blocks) => {
                let lane = |lane: &Option<F>| lane.map_or("null".into(), |lane| lane.to_string());
                let blocks = blocks.iter().map(|block| {
                    let lanes: Vec<String> = block.iter().map(lane).collect();
                    format!("[{}]", lanes.join(","))
                });
                format!("{{\"slice\":[{}]}}", blocks.collect::<Vec<_>>().join(","))
            }
        });
        format!("[{}]", hints.collect::<Vec<_>>().join(","))
    }
}

/// Why a run failed: an assertion, a hint of the wrong kind, or an operand that a precompile does
/// not accept.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct Failure(pub String);

/// The source of a run's hints.
pub(crate) enum Source {
    /// A tape.
    Tape(VecDeque<Hint>),
    /// Advice and a prover's answers, while a tape is recorded.
    Prover(Line),
}

impl Default for Source {
    fn default() -> Self {
        Self::Tape(VecDeque::new())
    }
}

/// The kind of the hint that a program reads.
#[derive(Clone, Copy)]
pub(crate) enum Wanted {
    Felt,
    Ext,
    Slice(usize),
}

/// A change of a hint, given its number.
pub(crate) type Change = dyn Fn(usize, &mut Hint) + Send;

#[derive(Default)]
pub(crate) struct Run {
    source: Source,
    /// Values that the program has advised for its next hints.
    advised: VecDeque<Hint>,
    recorded: Vec<Hint>,
    /// What a prover that lies does to the hints that it gives.
    change: Option<Box<Change>>,
    inputs: VecDeque<F>,
    statement: Vec<F>,
    revealed: bool,
    blocks: Vec<[Option<F>; 8]>,
}

thread_local! {
    static RUN: RefCell<Run> = RefCell::new(Run::default());
    static RUNNING: Cell<bool> = const { Cell::new(false) };
    /// The field of challenges; none until something depends on it.
    static FIELD: Cell<Option<ChallengeField>> = const { Cell::new(None) };
}

/// Runs `program` natively on a tape of hints and on public inputs, and returns the statement:
/// inputs, then outputs, then zeros, as canonical integers.
///
/// # Errors
/// The message of the first assertion that fails. It is also an error if hints or inputs are left.
pub fn run_native(
    tape: &NativeTape,
    public: &[u32],
    program: impl FnOnce() + Send,
) -> Result<[u32; STATEMENT_LANES], Failure> {
    let source = Source::Tape(tape.hints.iter().cloned().collect());
    thread::scope(|scope| finish(spawn(scope, source, None, public, program)?).1)
}

/// A run in its own thread.
pub(crate) type Handle<'scope> = ScopedJoinHandle<'scope, (thread::Result<()>, Run)>;

/// Starts a run.
pub(crate) fn spawn<'scope>(
    scope: &'scope Scope<'scope, '_>,
    source: Source,
    change: Option<Box<Change>>,
    public: &[u32],
    program: impl FnOnce() + Send + 'scope,
) -> Result<Handle<'scope>, Failure> {
    silence_failures();
    let run = Run {
        source,
        change,
        inputs: public.iter().map(|&x| F::from_u32(x)).collect(),
        ..Run::default()
    };
    let started = || {
        RUN.set(run);
        RUNNING.set(true);
        let result = catch_unwind(AssertUnwindSafe(program));
        let mut run = RUN.take();
        if let Source::Prover(_) = run.source {
            // Closing the line tells the prover that no more requests will come.
            run.source = Source::default();
        }
        (result, run)
    };
    thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn_scoped(scope, started)
        .map_err(|error| Failure(format!("the run's thread could not be started: {error}")))
}

/// Waits for a run, and returns the tape that it recorded and its statement. Of a run that fails
/// the tape has what it has read.
pub(crate) fn finish(run: Handle<'_>) -> (NativeTape, Result<[u32; STATEMENT_LANES], Failure>) {
    let Ok((result, mut run)) = run.join() else {
        let failure = Failure("the run's thread ended early".into());
        return (NativeTape::default(), Err(failure));
    };
    let hints = std::mem::take(&mut run.recorded);
    (NativeTape { hints }, statement(result, run))
}

fn statement(result: thread::Result<()>, run: Run) -> Result<[u32; STATEMENT_LANES], Failure> {
    if let Err(payload) = result {
        let message = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        let message = message.unwrap_or_else(|| "assertion failed".into());
        return Err(Failure(message));
    }
    let hints = match &run.source {
        Source::Tape(hints) => hints.len(),
        Source::Prover(_) => 0,
    };
    let counts = [
        (hints, "hints are left on the tape"),
        (run.advised.len(), "advised hints were not read"),
        (run.inputs.len(), "public inputs were not read"),
    ];
    if let Some((left, what)) = counts.iter().find(|(left, _)| *left > 0) {
        return Err(Failure(format!("{left} {what}")));
    }
    let mut statement = [0; STATEMENT_LANES];
    for (lane, value) in statement.iter_mut().zip(run.statement) {
        *lane = value.as_canonical_u32();
    }
    Ok(statement)
}

/// Suppresses the messages of panics inside runs: a program fails by panicking, which
/// [`run_native`] returns as an error.
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

/// Takes challenges in `F[X] / (X^4 - 3)`, as most other users of Plonky3 do: [`Ext`](super::Ext) is
/// this field. It is called once, before anything is read and before anything that depends on the
/// degree, as the first statement of `main` is.
pub fn quartic() {
    choose(ChallengeField::Quartic);
}

/// Takes challenges in `BabyBear[X] / (X^4 - 11)`, as other users' proofs over BabyBear do:
/// [`Ext`](super::Ext) is this field. It is called as [`quartic`] is, and instead of it.
pub fn baby_bear() {
    choose(ChallengeField::BabyBear);
}

fn choose(field: ChallengeField) {
    assert!(RUNNING.get(), "a degree is chosen outside of a run");
    let before = FIELD.replace(Some(field));
    assert_eq!(before, None, "the degree is chosen after it was used");
}

/// Returns the field of challenges. It cannot be chosen any more.
pub(crate) fn field() -> ChallengeField {
    let field = FIELD.get().unwrap_or_default();
    FIELD.set(Some(field));
    field
}

/// Reads the next public input. All inputs must be read before the first output is written, since
/// they come first in the statement.
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
            "the statement has {STATEMENT_LANES} lanes, and all are used"
        );
        self.statement.push(value);
    }
}

pub(crate) fn next_hint(wanted: Wanted) -> Hint {
    let field = field();
    let next = RUN.with_borrow_mut(|run| match &mut run.source {
        Source::Tape(hints) => Ok(hints.pop_front().expect("the tape has ended")),
        Source::Prover(_) => Err(run.advised.pop_front()),
    });
    let advised = match next {
        Ok(hint) => return hint,
        Err(advised) => advised,
    };
    let mut hint = advised.unwrap_or_else(|| match wanted {
        Wanted::Felt => Hint::Felt(ask(1)[0]),
        Wanted::Ext => {
            let mut cells = [F::ZERO; EXTENSION_DEGREE];
            let coefficients = ask(field.degree());
            cells[..coefficients.len()].copy_from_slice(&coefficients);
            match field {
                ChallengeField::BabyBear => {
                    let element = BabyBear4::of_cells(&cells);
                    let element = element.expect("the prover's message is no element of BabyBear");
                    Hint::Slice(vec![baby_bear_to_block(element).map(Some)])
                }
                _ => Hint::Ext(EF::from_basis_coefficients_fn(|i| cells[i])),
            }
        }
        Wanted::Slice(blocks) => {
            let lanes = ask(8 * blocks);
            let block = |lanes: &[F]| std::array::from_fn(|i| Some(lanes[i]));
            Hint::Slice(lanes.chunks(8).map(block).collect())
        }
    });
    RUN.with_borrow_mut(|run| {
        if let Some(change) = &run.change {
            change(run.recorded.len(), &mut hint);
        }
        run.recorded.push(hint.clone());
    });
    hint
}

/// Asks the prover for its next message, of `n` elements.
pub(crate) fn ask(n: usize) -> Vec<F> {
    let message = RUN.with_borrow(|run| match &run.source {
        Source::Prover(line) => line.ask(n),
        Source::Tape(_) => None,
    });
    let message = message.expect("the prover has no answer to a hint");
    assert_eq!(message.len(), n, "length of the prover's message");
    message
}

fn recording() -> bool {
    RUN.with_borrow(|run| matches!(run.source, Source::Prover(_)))
}

/// Advises the value of a hint. Hints take advised values in the order in which they were advised.
pub(crate) fn advise(hint: impl FnOnce() -> Hint) {
    if recording() {
        let hint = hint();
        RUN.with_borrow_mut(|run| run.advised.push_back(hint));
    }
}

/// Sends values to the prover.
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

/// Appends blocks to memory and returns the address of the first one.
pub(crate) fn allocate(blocks: &[[Option<F>; 8]]) -> usize {
    RUN.with_borrow_mut(|run| {
        let address = run.blocks.len();
        run.blocks.extend_from_slice(blocks);
        address
    })
}

/// Returns a block; lanes without a value are `None`.
pub(crate) fn block(address: usize) -> [Option<F>; 8] {
    RUN.with_borrow(|run| run.blocks.get(address).copied())
        .expect("a block is read beyond the end of its slice")
}

fn read(address: usize, n: usize, unset: impl Fn(usize, usize) -> F) -> Vec<precompile::Block> {
    RUN.with_borrow(|run| {
        let blocks = run.blocks.get(address..address + n);
        let blocks = blocks.expect("blocks are read beyond the end of their slice");
        let lanes = |(i, block): (usize, &[Option<F>; 8])| {
            std::array::from_fn(|lane| block[lane].unwrap_or_else(|| unset(i, lane)))
        };
        blocks.iter().enumerate().map(lanes).collect()
    })
}

fn missing(block: usize, lane: usize) -> F {
    panic!("lane {lane} of block {block} is used, but has no value")
}

/// Returns `n` blocks, all of whose lanes must have values.
pub(crate) fn read_blocks(address: usize, n: usize) -> Vec<precompile::Block> {
    read(address, n, missing)
}

/// Returns blocks of which the first `lanes` lanes must have values; other lanes are read as zero
/// if they have none.
pub(crate) fn read_lanes(address: usize, lanes: usize) -> Vec<precompile::Block> {
    read(address, lanes.div_ceil(8), |block, lane| {
        if 8 * block + lane < lanes {
            missing(block, lane)
        } else {
            F::ZERO
        }
    })
}

/// Returns `n` blocks, with zero for lanes without a value.
pub(crate) fn read_or_zero(address: usize, n: usize) -> Vec<precompile::Block> {
    read(address, n, |_, _| F::ZERO)
}

/// Gives every lane of a block its value. Fails if a lane already has a different one.
pub(crate) fn fill(address: usize, values: precompile::Block) {
    RUN.with_borrow_mut(|run| {
        for (lane, value) in run.blocks[address].iter_mut().zip(values) {
            assert!(
                lane.is_none_or(|old| old == value),
                "a cell is written twice, with different values"
            );
            *lane = Some(value);
        }
    });
}
