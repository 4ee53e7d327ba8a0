//! `droste hashes` of a command that was built without it.

use std::ffi::OsString;

use clap::Args;

use crate::error::CommandError;
use crate::output::Format;

/// Whatever the command is given.
#[derive(Debug, Args)]
pub struct Hashes {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

impl Hashes {
    /// Says how to build a command that can do it.
    pub fn run(self, _: Format) -> Result<(), CommandError> {
        let message = "this command was built without the feature `hashes`, which proves calls of \
             bit hashes; `cargo build --release -p droste-cli --features hashes` builds one with it";
        Err(CommandError::failed(message))
    }
}
