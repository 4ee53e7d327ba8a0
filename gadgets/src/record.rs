//! Runs that record their tape: the program is the verifier, and a prover answers its hints.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use droste_native::F;
use thiserror::Error;

use crate::prelude::run::{self, Failure, STATEMENT_LANES, Source, Tape};

/// Who answers the hints that no advice was given for.
pub trait Prover {
    /// Why it has no answer.
    type Error;

    /// The next message, of `n` elements.
    ///
    /// # Errors
    /// If there is none of this length.
    fn message(&mut self, n: usize) -> Result<Vec<F>, Self::Error>;

    /// What the program tells it for the messages that follow.
    fn told(&mut self, values: Vec<F>);
}

/// Why a tape was not recorded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecordError<E> {
    /// The prover had no answer.
    #[error(transparent)]
    Prover(E),
    /// The program failed.
    #[error(transparent)]
    Program(Failure),
}

/// What the program sends to the prover.
pub(crate) enum Request {
    Message(usize),
    Told(Vec<F>),
}

/// The program's end of its line to the prover.
pub(crate) struct Line {
    requests: Sender<Request>,
    answers: Receiver<Vec<F>>,
}

impl Line {
    /// The prover's next message, if it has one.
    pub(crate) fn ask(&self, n: usize) -> Option<Vec<F>> {
        self.requests.send(Request::Message(n)).ok()?;
        self.answers.recv().ok()
    }

    pub(crate) fn tell(&self, values: Vec<F>) {
        // A prover that has gone is noticed when it is asked.
        let _ = self.requests.send(Request::Told(values));
    }
}

/// Runs `program` natively while `prover` answers its hints, and returns the tape that it read,
/// with the statement.
///
/// # Errors
/// If the prover has no answer, or the program fails: its first assertion that does.
pub fn record<P: Prover>(
    prover: &mut P,
    program: impl FnOnce() + Send,
) -> Result<(Tape, [u32; STATEMENT_LANES]), RecordError<P::Error>> {
    let (requests, asked) = channel();
    let (reply, answers) = channel();
    let line = Line { requests, answers };
    thread::scope(|scope| {
        let run =
            run::spawn(scope, Source::Prover(line), &[], program).map_err(RecordError::Program)?;
        for request in asked {
            match request {
                Request::Message(n) => match prover.message(n) {
                    Ok(message) => {
                        // A program that has ended is joined below.
                        let _ = reply.send(message);
                    }
                    Err(error) => {
                        drop(reply);
                        let _ = run.join();
                        return Err(RecordError::Prover(error));
                    }
                },
                Request::Told(values) => prover.told(values),
            }
        }
        run::finish(run).map_err(RecordError::Program)
    })
}
