//! The threads that provers share: rayon's global pool.
//!
//! rayon starts them when something runs in parallel for the first time, and panics if the
//! operating system refuses one. [`start`] starts as many as there can be, before that.

use std::num::NonZeroUsize;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::{env, io};

use rayon::{ThreadBuilder, ThreadPoolBuildError, ThreadPoolBuilder};
use thiserror::Error;

/// Most threads for each processor. A thread of rayon that has no work looks for some in the queues
/// of all others, 32 times before it sleeps (`ROUNDS_UNTIL_SLEEPY`). With hundreds for each
/// processor that is all that they do.
pub const MOST_PER_PROCESSOR: usize = 4;

/// Why there are no threads.
#[derive(Debug, Error)]
pub enum ThreadsError {
    /// The operating system refuses the first one.
    #[error("no thread can be started: are processes or memory limited (ulimit, cgroups)?")]
    Refused(#[source] io::Error),
    /// The pool cannot be made, for instance because there is one already.
    #[error(transparent)]
    Pool(#[from] ThreadPoolBuildError),
}

/// The threads of the pool.
#[derive(Debug)]
pub struct Threads {
    /// Number that was asked for.
    pub asked: usize,
    /// Number that there are.
    pub number: usize,
    /// Why no more were started, if the operating system refused one.
    pub refused: Option<io::Error>,
}

impl Threads {
    /// What whoever asked for more should know.
    pub fn warning(&self) -> Option<String> {
        let Self { asked, number, .. } = self;
        match &self.refused {
            Some(error) => Some(format!(
                "using {number} of {asked} threads: no more can be started: {error}"
            )),
            None if number < asked => Some(format!(
                "using {number} of {asked} threads, {MOST_PER_PROCESSOR} for each processor"
            )),
            None => None,
        }
    }
}

fn processors() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The number that is given, that of `RAYON_NUM_THREADS`, or one for each processor.
fn asked(given: Option<NonZeroUsize>) -> usize {
    let from_environment = || env::var("RAYON_NUM_THREADS").ok()?.parse().ok();
    let asked = given.or_else(from_environment);
    asked.unwrap_or_else(processors).get()
}

fn limited(asked: usize, processors: NonZeroUsize) -> usize {
    asked.min(processors.get().saturating_mul(MOST_PER_PROCESSOR))
}

/// Number of threads that [`start`] would start if it were given none.
pub fn default_number() -> usize {
    limited(asked(None), processors())
}

/// A thread that waits for its part of the pool.
type Waiting = (Sender<ThreadBuilder>, JoinHandle<()>);

/// What a thread does.
type Body = Box<dyn FnOnce() + Send>;

/// Starts so many threads, or as many as `spawn` does not refuse.
///
/// After a refusal half of them are ended: compilers, native runs and progress bars need a thread
/// of their own.
fn spawn(
    number: usize,
    mut spawn: impl FnMut(Body) -> io::Result<JoinHandle<()>>,
) -> (Vec<Waiting>, Option<io::Error>) {
    let mut waiting: Vec<Waiting> = vec![];
    for _ in 0..number {
        let (give, given) = channel::<ThreadBuilder>();
        let body = move || {
            if let Ok(thread) = given.recv() {
                thread.run();
            }
        };
        match spawn(Box::new(body)) {
            Ok(handle) => waiting.push((give, handle)),
            Err(error) => {
                for (give, handle) in waiting.split_off(waiting.len().div_ceil(2)) {
                    drop(give);
                    // It has done nothing.
                    let _ = handle.join();
                }
                return (waiting, Some(error));
            }
        }
    }
    (waiting, None)
}

/// Starts the threads: as many as are given, or as `RAYON_NUM_THREADS` says, or one for each
/// processor; at most [`MOST_PER_PROCESSOR`] for each processor, and fewer if the operating system
/// refuses one.
///
/// # Errors
/// If not one can be started, or there is a pool already.
pub fn start(given: Option<NonZeroUsize>) -> Result<Threads, ThreadsError> {
    let asked = asked(given);
    let (waiting, refused) = spawn(limited(asked, processors()), |body| {
        thread::Builder::new().spawn(body)
    });
    let number = waiting.len();
    let refused = match refused {
        Some(error) if number == 0 => return Err(ThreadsError::Refused(error)),
        refused => refused,
    };
    let mut waiting = waiting.into_iter();
    ThreadPoolBuilder::new()
        .num_threads(number)
        .spawn_handler(|thread| {
            let (give, _) = waiting.next().ok_or(io::ErrorKind::NotFound)?;
            let given = give.send(thread);
            given.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
        })
        .build_global()?;
    Ok(Threads {
        asked,
        number,
        refused,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_limited_by_processors() {
        let two = NonZeroUsize::new(2).unwrap();
        for (asked, number) in [(1, 1), (2, 2), (8, 8), (9, 8), (2_000, 8), (usize::MAX, 8)] {
            assert_eq!(limited(asked, two), number);
        }
        assert!(default_number() >= 1);
        assert_eq!(asked(Some(two)), 2);
    }

    /// Where eight threads are wanted and the operating system starts so many.
    #[test]
    fn some_are_used_where_not_all_can_be_started() {
        for (possible, kept) in [(0, 0), (1, 1), (2, 1), (5, 3), (8, 8)] {
            let mut left = possible;
            let (waiting, refused) = spawn(8, |body| {
                if left == 0 {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                left -= 1;
                thread::Builder::new().spawn(body)
            });
            assert_eq!(waiting.len(), kept);
            assert_eq!(refused.is_some(), possible < 8);
        }
    }

    #[test]
    fn warnings_say_why() {
        let threads = |asked, number, refused: Option<io::ErrorKind>| Threads {
            asked,
            number,
            refused: refused.map(io::Error::from),
        };
        assert_eq!(threads(2, 2, None).warning(), None);
        assert_eq!(
            threads(2_000, 8, None).warning().unwrap(),
            "using 8 of 2000 threads, 4 for each processor"
        );
        let refused = threads(8, 3, Some(io::ErrorKind::WouldBlock)).warning();
        assert!(
            refused
                .unwrap()
                .starts_with("using 3 of 8 threads: no more can be started: ")
        );
    }
}
