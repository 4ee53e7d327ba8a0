//! `droste xmss verify`.

use clap::Args;
use droste_native::hash_signature::{Claim, SignedMessage, Xmss};
use droste_verifier::summary::{InvalidSignature, SignaturesSummary};

use super::read_json;
use crate::error::CommandError;
use crate::output::{Format, Report, print, row};
use crate::paths::Input;

/// Arguments of `droste xmss verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// JSON file with a list of signatures, each with the fields `slot`, `message`, `root`,
    /// `public_param`, `randomness`, `chain_tips` and `path`; `encoding` may be there.
    #[arg(long)]
    json: Input,
}

impl Report for SignaturesSummary {
    fn rows(&self) -> Vec<Vec<String>> {
        let valid = self.signatures - self.invalid.len();
        let text = format!("{valid} of {} signatures", self.signatures);
        let mut rows = vec![row("valid", text)];
        rows.extend(self.invalid.iter().map(|one| {
            let InvalidSignature { index, reason } = one;
            row("not valid", format!("signature {index}: {reason}"))
        }));
        rows
    }
}

impl Verify {
    /// Verifies every signature, prints the result, and fails if one is not valid.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let signed: Vec<SignedMessage> = read_json(&self.json)?;
        if signed.is_empty() {
            let empty = CommandError::failed("the list has no signatures");
            return Err(CommandError::about(self.json.display())(empty));
        }
        let claims: Vec<Claim<'_>> = signed.iter().map(SignedMessage::claim).collect();
        let results = Xmss::DEFAULT.verify_batch(&claims);
        let verified = SignaturesSummary::new(&results);
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
