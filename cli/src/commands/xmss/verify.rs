//! `droste xmss verify`.

use std::path::PathBuf;

use clap::Args;
use droste_native::hash_signature::{Claim, SignedMessage, Xmss};
use serde::Serialize;

use super::read_signatures;
use crate::error::CommandError;
use crate::output::{Format, Report, print};

/// Arguments of `droste xmss verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// JSON file with a list of signatures, each with the fields `slot`, `message`, `root`,
    /// `public_param`, `randomness`, `chain_tips` and `path`; `encoding` may be there.
    #[arg(long)]
    json: PathBuf,
}

/// What was found.
#[derive(Serialize)]
struct Verified {
    signatures: usize,
    invalid: Vec<Invalid>,
}

#[derive(Serialize)]
struct Invalid {
    /// Index of the signature in the list, from 0.
    index: usize,
    reason: String,
}

impl Report for Verified {
    fn rows(&self) -> Vec<Vec<String>> {
        let valid = self.signatures - self.invalid.len();
        let text = format!("{valid} of {} signatures", self.signatures);
        let invalid = self.invalid.iter().map(|Invalid { index, reason }| {
            vec!["not valid".into(), format!("signature {index}: {reason}")]
        });
        let mut rows = vec![vec!["valid".into(), text]];
        rows.extend(invalid);
        rows
    }
}

impl Verify {
    /// Verifies every signature, prints the result, and fails if one is not valid.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let signed = read_signatures(&self.json)?;
        let claims: Vec<Claim<'_>> = signed.iter().map(SignedMessage::claim).collect();
        let results = Xmss::DEFAULT.verify_batch(&claims);
        let invalid = results
            .into_iter()
            .enumerate()
            .filter_map(|(index, result)| {
                let reason = result.err()?.to_string();
                Some(Invalid { index, reason })
            });
        let verified = Verified {
            signatures: signed.len(),
            invalid: invalid.collect(),
        };
        print(&verified, format)?;
        match verified.invalid.len() {
            0 => Ok(()),
            1 => Err(CommandError::failed("1 signature is not valid")),
            invalid => Err(CommandError::failed(format!(
                "{invalid} signatures are not valid"
            ))),
        }
    }
}
