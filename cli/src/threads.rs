//! The option `--threads`.

use std::num::NonZeroUsize;

use clap::Args;
use droste_native::threads::start;

use crate::error::CommandError;

/// How many threads a command uses.
#[derive(Debug, Args)]
pub struct Threads {
    /// Number of threads, at most four for each processor. The default is the variable
    /// RAYON_NUM_THREADS, or one for each processor. Results are the same at any number.
    #[arg(long, global = true, value_name = "N")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// Starts the threads. Returns a warning if there are fewer than were asked for.
    ///
    /// # Errors
    /// If not one can be started.
    pub fn start(&self) -> Result<Option<String>, CommandError> {
        let threads = start(self.threads).map_err(CommandError::failed)?;
        Ok(threads.warning())
    }
}
