//! Runs that record their tape: the program is the verifier, and a prover answers its requests for
//! hints.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::{io, thread};

use droste_native::F;
use thiserror::Error;

use crate::prelude::run::{self, Failure, Hint, NativeTape, STATEMENT_LANES, Source};
use crate::verify::binary::called::{self, Caller};
use crate::verify::binary::shape::{Calls, Shape};

/// Supplies the hints for which the program gives no advice.
pub trait Prover {
    /// Why the prover has no answer.
    type Error;

    /// Returns the prover's next message, of `n` elements: 1 for `hint_felt`, `Ext::degree()` for
    /// `hint_ext`, and 8 for each block of `hint_slice`.
    ///
    /// # Errors
    /// If there is no message of this length.
    fn message(&mut self, n: usize) -> Result<Vec<F>, Self::Error>;

    /// Receives values on which the following messages depend.
    fn told(&mut self, values: Vec<F>);
}

/// Why a tape was not recorded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecordError<E> {
    /// The prover had no answer.
    #[error(transparent)]
    Prover(E),
    /// The program failed.
    #[error("{failure}")]
    Program {
        /// Why it failed.
        failure: Failure,
        /// The hints that it had read.
        tape: NativeTape,
    },
}

/// A request of the program to the prover.
pub(crate) enum Request {
    Message(usize),
    Told(Vec<F>),
}

/// The program's end of the channels to and from the prover.
pub(crate) struct Line {
    requests: Sender<Request>,
    answers: Receiver<Vec<F>>,
}

impl Line {
    /// Returns the prover's next message, if it has one.
    pub(crate) fn ask(&self, n: usize) -> Option<Vec<F>> {
        self.requests.send(Request::Message(n)).ok()?;
        self.answers.recv().ok()
    }

    pub(crate) fn tell(&self, values: Vec<F>) {
        // If the prover has stopped, the next call of `ask` reports it.
        let _ = self.requests.send(Request::Told(values));
    }
}

/// Runs `program` natively while `prover` supplies its hints, and returns the tape that the program
/// read, and its statement.
///
/// # Errors
/// If the prover has no answer, or the program fails; then the error has the message of the first
/// assertion that failed, and the tape up to there.
pub fn record<P: Prover>(
    prover: &mut P,
    program: impl FnOnce() + Send,
) -> Result<(NativeTape, [u32; STATEMENT_LANES]), RecordError<P::Error>> {
    record_changed(prover, |_, _| {}, program)
}

/// As [`record`], of a program that reads these public inputs.
///
/// # Errors
/// As [`record`].
pub fn record_public<P: Prover>(
    prover: &mut P,
    public: &[u32],
    program: impl FnOnce() + Send,
) -> Result<(NativeTape, [u32; STATEMENT_LANES]), RecordError<P::Error>> {
    record_all(prover, |_, _| {}, public, program)
}

/// As [`record`], but each hint, advised or not, is what `change` makes of it, given its number
/// from
/// 0. Advice after a changed hint is that of a prover which does not admit that it has lied, so
/// tests see which assertion finds the lie.
///
/// # Errors
/// As [`record`].
pub fn record_changed<P: Prover>(
    prover: &mut P,
    change: impl Fn(usize, &mut Hint) + Send + 'static,
    program: impl FnOnce() + Send,
) -> Result<(NativeTape, [u32; STATEMENT_LANES]), RecordError<P::Error>> {
    record_all(prover, change, &[], program)
}

/// Runs a program that makes calls natively, and verifies its list. Programs for the machine cannot
/// name this module, so the `main` that is generated for them is alone in doing this.
pub fn run_calls<P: Caller>(shape: &Shape, calls: Calls) {
    called::run::<P>(shape, calls);
}

/// A hint has no advice and no answer.
#[derive(Debug, Error)]
#[error("the program does not advise a hint, and no more hints were given")]
struct NoAnswer;

/// Elements that answer hints without advice, in their order.
struct Answers(std::vec::IntoIter<F>);

impl Prover for Answers {
    type Error = NoAnswer;

    fn message(&mut self, n: usize) -> Result<Vec<F>, NoAnswer> {
        let message: Vec<F> = self.0.by_ref().take(n).collect();
        (message.len() == n).then_some(message).ok_or(NoAnswer)
    }

    fn told(&mut self, _: Vec<F>) {}
}

/// The `main` of a program that records a run of another. It reads two lines of integers, the public
/// inputs and the elements of the hints that are not advised, and prints the tape as JSON.
/// `droste run --record` writes such a program.
pub fn record_main(program: fn()) -> ExitCode {
    let printed = recorded_from_input(program).and_then(|tape| {
        writeln!(io::stdout(), "{tape}").map_err(|error| format!("standard output: {error}"))
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If it is closed, nobody reads why.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn recorded_from_input(program: fn()) -> Result<String, String> {
    let mut text = String::new();
    let read = io::stdin().read_to_string(&mut text);
    read.map_err(|error| format!("standard input: {error}"))?;
    let mut lines = text.lines().map(|line| {
        let numbers = line.split_whitespace().map(str::parse::<u32>);
        let numbers: Result<Vec<u32>, _> = numbers.collect();
        numbers.map_err(|error| format!("standard input: {error}"))
    });
    let mut line = || lines.next().unwrap_or(Ok(Vec::new()));
    let (public, elements) = (line()?, line()?);
    let elements: Vec<F> = elements.into_iter().map(F::new).collect();
    let mut answers = Answers(elements.into_iter());
    let recorded = record_public(&mut answers, &public, program);
    let (tape, _) = recorded.map_err(|error| error.to_string())?;
    match answers.0.len() {
        0 => Ok(tape.to_json()),
        left => Err(format!(
            "{left} elements of the given hints are left: give those that the program does not advise"
        )),
    }
}

fn record_all<P: Prover>(
    prover: &mut P,
    change: impl Fn(usize, &mut Hint) + Send + 'static,
    public: &[u32],
    program: impl FnOnce() + Send,
) -> Result<(NativeTape, [u32; STATEMENT_LANES]), RecordError<P::Error>> {
    let (requests, asked) = channel();
    let (reply, answers) = channel();
    let line = Line { requests, answers };
    thread::scope(|scope| {
        let failed = |failure, tape| RecordError::Program { failure, tape };
        let run = run::spawn(
            scope,
            Source::Prover(line),
            Some(Box::new(change)),
            public,
            program,
        )
        .map_err(|failure| failed(failure, NativeTape::default()))?;
        for request in asked {
            match request {
                Request::Message(n) => match prover.message(n) {
                    Ok(message) => {
                        // If the program has ended meanwhile, sending fails, and its result is
                        // collected below.
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
        match run::finish(run) {
            (tape, Ok(statement)) => Ok((tape, statement)),
            (tape, Err(failure)) => Err(failed(failure, tape)),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use p3_field::PrimeCharacteristicRing;

    use super::*;
    use crate::advice::{advise_bits, tell_ext};
    use crate::bits::{hint_bits, integer};
    use crate::prelude::{Ext, hint_ext, hint_felt, hint_slice, reveal};
    use crate::run_native;

    /// A prover that returns prepared messages in order, and keeps what it is asked and told.
    #[derive(Default)]
    struct Messages {
        messages: VecDeque<Vec<F>>,
        asked: Vec<usize>,
        told: Vec<Vec<F>>,
    }

    impl Prover for Messages {
        type Error = &'static str;

        fn message(&mut self, n: usize) -> Result<Vec<F>, &'static str> {
            self.asked.push(n);
            self.messages.pop_front().ok_or("no message is left")
        }

        fn told(&mut self, values: Vec<F>) {
            self.told.push(values);
        }
    }

    fn prover(messages: &[&[u32]]) -> Messages {
        let message = |message: &&[u32]| message.iter().map(|&x| F::from_u32(x)).collect();
        Messages {
            messages: messages.iter().map(message).collect(),
            ..Messages::default()
        }
    }

    fn program() {
        let x = hint_felt().any();
        let challenge = hint_ext().checked();
        tell_ext(challenge);
        advise_bits(x, 31);
        let bits = hint_bits::<31>();
        assert_eq!(integer(bits, 0, 31), x);
        let block = hint_slice(1).any().block(0);
        reveal(x + challenge.coeff(1) + block.lane(7));
    }

    const X: &[u32] = &[11];
    const CHALLENGE: &[u32] = &[1, 2, 3, 4, 5];
    const BLOCK: &[u32] = &[0, 0, 0, 0, 0, 0, 0, 100];

    #[test]
    fn a_recorded_tape_leads_to_the_same_statement() {
        let mut prover = prover(&[X, CHALLENGE, BLOCK]);
        let (tape, statement) = record(&mut prover, program).unwrap();
        assert_eq!(statement[0], 113);
        assert_eq!(tape.hints.len(), 3 + 31);
        assert_eq!(run_native(&tape, &[], program), Ok(statement));
        let json = tape.to_json();
        assert!(json.starts_with(r#"[{"felt":11},{"ext":[1,2,3,4,5]},{"felt":1},"#));
        assert!(
            json.ends_with(r#"{"slice":[[0,0,0,0,0,0,0,100]]}]"#),
            "{json}"
        );
        let told: Vec<F> = CHALLENGE.iter().map(|&x| F::from_u32(x)).collect();
        assert_eq!(prover.told, [told]);
        assert_eq!(prover.asked, [1, 5, 8]);
    }

    #[test]
    fn failures_are_the_provers_or_the_programs() {
        let error = |messages: &[&[u32]], program: fn()| {
            record(&mut prover(messages), program).unwrap_err()
        };
        let missing = error(&[X, CHALLENGE], program);
        assert_eq!(missing, RecordError::Prover("no message is left"));
        let message = |error: RecordError<_>| match error {
            RecordError::Program { failure, .. } => failure.0,
            RecordError::Prover(_) => String::new(),
        };
        let shorter = message(error(&[X, &CHALLENGE[1..], BLOCK], program));
        assert!(
            shorter.contains("length of the prover's message"),
            "{shorter}"
        );
        let unread = message(error(&[X], || {
            advise_bits(hint_felt().any(), 1);
        }));
        assert_eq!(unread, "1 advised hints were not read");
        let wrong = message(error(&[X], || {
            advise_bits(hint_felt().any(), 1);
            assert_eq!(Ext::ZERO, hint_ext().checked());
        }));
        assert!(wrong.contains("expected an extension element"), "{wrong}");
    }

    #[test]
    fn the_tape_of_a_failed_run_leads_to_the_same_failure() {
        let program = || {
            let x = hint_felt().any();
            assert_eq!(x, hint_felt().any());
            reveal(hint_felt().any());
        };
        let error = record(&mut prover(&[&[1], &[2], &[3]]), program).unwrap_err();
        let RecordError::Program { failure, tape } = error else {
            panic!("{error:?}");
        };
        assert_eq!(tape.hints.len(), 2);
        assert_eq!(run_native(&tape, &[], program), Err(failure));
    }
}
