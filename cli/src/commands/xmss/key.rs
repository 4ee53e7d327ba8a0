//! `droste xmss keygen` and `droste xmss sign`.

use clap::Args;
use droste_native::files;
use droste_native::hash_signature::{
    KeyFiles, SignedMessage, StoredKey, TweakablePoseidon16, Xmss,
};
use droste_verifier::summary::StoredKeySummary;

use super::message_of;
use crate::error::CommandError;
use crate::output::{Format, Report, list, print, row};
use crate::paths::{Kept, Output};
use crate::progress::Progress;

/// Where a key is.
#[derive(Debug, Args)]
struct Stored {
    /// Folder of the key.
    folder: Kept,
    /// File with a second record of what was signed, for instance on another disk: by default in
    /// the folder of the key. What restores the folder from a backup should not restore it too.
    #[arg(long)]
    witness: Option<Kept>,
}

impl Stored {
    fn files(&self) -> KeyFiles {
        let files = KeyFiles::new(&*self.folder);
        match &self.witness {
            Some(witness) => files.with_witness(&**witness),
            None => files,
        }
    }
}

/// Arguments of `droste xmss keygen`.
#[derive(Debug, Args)]
pub struct Keygen {
    #[command(flatten)]
    stored: Stored,
    /// First slot in which the key can sign.
    #[arg(long, default_value_t = 0)]
    first_slot: u32,
    /// Number of slots.
    #[arg(long, default_value_t = 1 << 10, value_parser = clap::value_parser!(u32).range(1..))]
    slots: u32,
}

/// Arguments of `droste xmss sign`.
#[derive(Debug, Args)]
pub struct Sign {
    #[command(flatten)]
    stored: Stored,
    /// Slot to sign in. It and all slots below it are spent, on disk, before the signature is
    /// written.
    #[arg(long)]
    slot: u32,
    /// The message: eight comma-separated integers below the field's order.
    #[arg(long)]
    message: String,
    /// File to write the signature to, as a JSON list of one.
    #[arg(short, long)]
    output: Output,
}

impl Report for StoredKeySummary {
    fn rows(&self) -> Vec<Vec<String>> {
        let next = self.next_slot.map(|slot| slot.to_string());
        let slots = format!("{} to {}", self.first_slot, self.last_slot);
        vec![
            row("root", list(&self.root)),
            row("public parameter", list(&self.public_param)),
            row("slots", slots),
            row("next slot", next.as_deref().unwrap_or("none")),
        ]
    }
}

impl Keygen {
    /// Makes a key from the system's random numbers, stores it, and prints its public part.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let last = (self.slots - 1).checked_add(self.first_slot);
        let last = last.ok_or_else(|| CommandError::usage("there are no slots above 2^32 - 1"))?;
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| CommandError::failed(error.to_string()))?;
        let progress = Progress::spinner("computing the key's tree");
        let slots = self.first_slot..=last;
        let key = StoredKey::create(self.stored.files(), Xmss::DEFAULT, &seed, slots)?;
        progress.finish();
        Ok(print(&StoredKeySummary::new(&key), format)?)
    }
}

impl Sign {
    /// Signs, writes the signature and prints what is left of the key.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let message = message_of(&self.message)?;
        let files = self.stored.files();
        if files.contain(&self.output) {
            let output = self.output.display();
            let message = format!("{output} is a file of the key, which would be lost");
            return Err(CommandError::usage(message));
        }
        // A signature that cannot be written would spend its slot for nothing.
        let output = files::Output::open(&self.output).map_err(CommandError::file(&self.output))?;
        let mut key = StoredKey::<TweakablePoseidon16>::open(files)?;
        let signature = key.sign(self.slot, &message)?;
        let signed = SignedMessage {
            public_key: key.public_key(),
            slot: self.slot,
            message,
            signature,
        };
        let text = serde_json::to_string(&[signed])?;
        let written = output.write(text.as_bytes());
        written.map_err(CommandError::file(&self.output))?;
        Ok(print(&StoredKeySummary::new(&key), format)?)
    }
}
