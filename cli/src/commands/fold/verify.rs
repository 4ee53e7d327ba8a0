//! `droste fold verify`.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

use clap::Args;
use droste_native::F;
use droste_verifier::fold::Options;
use droste_verifier::summary::{FoldSummary, milliseconds};
use droste_vm::key::KeyDigest;

use super::{Summary, read, read_state};
use crate::error::CommandError;
use crate::fields::field_list;
use crate::output::{Format, counted, print};
use crate::paths::Input;
use crate::progress::Progress;

/// Arguments of `droste fold verify`.
#[derive(Debug, Args)]
pub struct Verify {
    /// The fold.
    fold: Input,
    /// Fold key that it must have, as `droste fold key` prints it: the digest of the keys of the
    /// rules, with their bits.
    #[arg(long, value_name = "DIGEST")]
    key: KeyDigest,
    /// JSON file of the state that it must have: a list of blocks, each a list of eight integers.
    /// Or `any`: then look at the state that is printed.
    #[arg(
        long,
        value_name = "FILE|any",
        conflicts_with = "state_lanes",
        required_unless_present_any = ["state_lanes", "blocks"]
    )]
    state: Option<Input>,
    /// The same as comma-separated integers, eight for each block.
    #[arg(long, value_name = "ELEMENTS")]
    state_lanes: Option<String>,
    /// A block that its state must have: its number, from 0, and eight comma-separated integers. May
    /// be given several times. Instead of --state: then the other blocks are not compared.
    #[arg(long = "block", value_name = "N=ELEMENTS")]
    blocks: Vec<Block>,
    /// Proven bits of security that each of its proofs must have at least.
    #[arg(long, default_value_t = 100)]
    min_bits: usize,
    /// Proven bits of security that all its proofs must have together at least, by the union bound
    /// over the number of proofs that it shows: 100, unless --min-bits asks for less of each.
    #[arg(long)]
    min_tree_bits: Option<usize>,
    /// Largest number of proofs that it may stand for, its own included.
    #[arg(long, value_name = "N")]
    max_proofs: Option<u64>,
    /// Largest number of levels of rules below the root. Between two levels there may be the wraps
    /// of a leaf besides.
    #[arg(long, value_name = "N")]
    max_depth: Option<u32>,
}

/// A block of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    number: usize,
    lanes: [F; 8],
}

impl FromStr for Block {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let number = parts.and_then(|(number, _)| number.trim().parse().ok());
        let (Some((_, lanes)), Some(number)) = (parts, number) else {
            return Err("expected the number of a block, `=` and eight integers".to_owned());
        };
        let lanes = field_list(lanes).map_err(|error| error.to_string())?;
        let eight = lanes.try_into();
        let lanes = eight.map_err(|lanes: Vec<F>| {
            let found = lanes.len();
            format!("the block has {found} integers, expected eight, comma-separated")
        })?;
        Ok(Self { number, lanes })
    }
}

/// What was compared of a state.
#[derive(Debug)]
enum Compared {
    /// All of it.
    Whole,
    /// Blocks of these numbers.
    Blocks(BTreeSet<usize>),
    /// Nothing.
    Nothing,
}

impl Verify {
    /// Verifies the fold and prints what it says.
    pub fn run(self, format: Format) -> Result<(), CommandError> {
        let state = self.expected_state()?;
        let blocks = self.expected_blocks()?;
        let progress = Progress::spinner("verifying");
        let fold = read(&self.fold)?;
        let start = Instant::now();
        let compared = match &state {
            Some(_) => Compared::Whole,
            None if blocks.is_empty() => Compared::Nothing,
            None if blocks.len() == fold.state.len() => Compared::Whole,
            None => Compared::Blocks(blocks),
        };
        let options = Options::min_bits(self.min_bits)
            .with_min_tree_bits(self.min_tree_bits)
            .with_max_proofs(self.max_proofs)
            .with_max_depth(self.max_depth)
            .with_state(state);
        let blocks = self.blocks.iter();
        let options = blocks.fold(options, |options, block| {
            options.with_block(block.number, block.lanes)
        });
        let folded = fold.verify(self.key, &options)?;
        let verify_ms = milliseconds(start.elapsed());
        let says = FoldSummary::new(&folded, verify_ms)?;
        let proofs = usize::try_from(says.proofs).unwrap_or(usize::MAX);
        let summary = Summary {
            verdict: Some(verdict(proofs, says.proven_bits, &compared)),
            ..Summary::new(says)
        };
        progress.finish();
        Ok(print(&summary, format)?)
    }

    fn expected_state(&self) -> Result<Option<Vec<[F; 8]>>, CommandError> {
        if let Some(path) = &self.state {
            let is_any = **path == *Path::new("any");
            return (!is_any).then(|| read_state(path)).transpose();
        }
        let Some(lanes) = &self.state_lanes else {
            return Ok(None);
        };
        let lanes = field_list(lanes)?;
        let (blocks, rest) = lanes.as_chunks();
        if rest.is_empty() && !blocks.is_empty() {
            Ok(Some(blocks.to_vec()))
        } else {
            let message = format!(
                "--state-lanes has {} integers, expected eight for each block",
                lanes.len()
            );
            Err(CommandError::usage(message))
        }
    }

    /// The numbers of the single blocks.
    fn expected_blocks(&self) -> Result<BTreeSet<usize>, CommandError> {
        let mut numbers = BTreeSet::new();
        for Block { number, .. } in &self.blocks {
            if !numbers.insert(*number) {
                let message = format!("--block names block {number} twice");
                return Err(CommandError::usage(message));
            }
        }
        Ok(numbers)
    }
}

/// What is accepted with a fold of so many proofs, each of which has `bits` at least.
fn verdict(proofs: usize, bits: usize, compared: &Compared) -> String {
    let proofs = counted(proofs, "proof", "proofs");
    let state = match compared {
        Compared::Whole => "the state is the one that you gave".to_owned(),
        Compared::Nothing => "the state was not compared".to_owned(),
        Compared::Blocks(numbers) => {
            let texts: Vec<String> = numbers.iter().map(usize::to_string).collect();
            let (blocks, are) = match texts.len() {
                1 => ("block", "is the one"),
                _ => ("blocks", "are those"),
            };
            let numbers = texts.join(", ");
            format!(
                "{blocks} {numbers} of the state {are} that you gave, the others were not compared"
            )
        }
    };
    format!("accepted: {proofs} by the rules whose fold key you gave, {bits} bits; {state}")
}

#[cfg(test)]
mod tests {
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    #[test]
    fn the_verdict_says_what_was_compared() {
        assert_eq!(
            verdict(1, 120, &Compared::Nothing),
            "accepted: 1 proof by the rules whose fold key you gave, 120 bits; the state was not \
             compared"
        );
        let ends = |compared: Compared, words: &str| {
            let text = verdict(7, 3, &compared);
            assert!(text.ends_with(words), "{text}");
        };
        ends(
            Compared::Whole,
            "3 bits; the state is the one that you gave",
        );
        ends(
            Compared::Blocks([0].into()),
            "; block 0 of the state is the one that you gave, the others were not compared",
        );
        ends(
            Compared::Blocks([10, 2].into()),
            "; blocks 2, 10 of the state are those that you gave, the others were not compared",
        );
    }

    #[test]
    fn a_block_is_a_number_and_eight_elements() {
        let block: Block = "12=1,2,3,4,5,6,7,8".parse().unwrap();
        assert_eq!(block.number, 12);
        assert_eq!(block.lanes, [1, 2, 3, 4, 5, 6, 7, 8].map(F::from_u32));
        for (wrong, words) in [
            ("", "expected the number"),
            ("1,2,3,4,5,6,7,8", "expected the number"),
            ("x=1,2,3,4,5,6,7,8", "expected the number"),
            ("-1=1,2,3,4,5,6,7,8", "expected the number"),
            ("0=", "has 0 integers"),
            ("0=1,2,3,4,5,6,7", "has 7 integers"),
            ("0=1,2,3,4,5,6,7,8,9", "has 9 integers"),
            ("0=1,2,3,4,5,6,7,2130706433", "is not a field element"),
        ] {
            let error = wrong.parse::<Block>().unwrap_err();
            assert!(error.contains(words), "{wrong}: {error}");
        }
    }
}
