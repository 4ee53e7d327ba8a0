//! Canonical and intermediate shapes for each preset.

use droste_native::FriSettings;
use droste_native::stark::security::{Preset, UnsupportedBlowup};
use droste_native::whir::WhirSettings;
use droste_vm::stack::Stack;

use super::Aggregator;
use super::shape::{FixedShape, LastIntermediate};
use crate::keys::MAX_CHILDREN;

impl Aggregator {
    /// An aggregator at a preset's security and blowup 4, whose canonical shape is in this stack
    /// and has room for joins of up to `children` proofs. There are no joins of more than
    /// [`MAX_CHILDREN`], so a larger number has the shape of that one.
    ///
    /// # Errors
    /// If the preset has no settings at this blowup.
    pub fn for_preset(
        preset: Preset,
        children: usize,
        stack: Stack,
    ) -> Result<Self, UnsupportedBlowup> {
        let children = children.min(MAX_CHILDREN);
        match stack {
            Stack::Fri => Self::over_fri(preset, children),
            Stack::Whir => Self::over_whir(preset, children),
        }
    }

    fn over_whir(preset: Preset, children: usize) -> Result<Self, UnsupportedBlowup> {
        // What R has no tables for over WHIR is proved over FRI.
        let intermediate = Self::over_fri(preset, children)?;
        let (settings, log_heights) = shape_over_whir(preset, children);
        // Proofs of runs that fit the rows of the stack of joins of one have the blowup of these.
        let (of_one, _) = shape_over_whir(preset, 1);
        let last_intermediate = WhirSettings::of(preset);
        let last_intermediate = WhirSettings {
            log_block: last_intermediate.log_block.max(of_one.log_block),
            ..last_intermediate
        };
        Ok(Self {
            canonical: FixedShape {
                settings: settings.into(),
                log_heights,
            },
            last_intermediate: Some(LastIntermediate::OverWhir(last_intermediate)),
            ..intermediate
        })
    }

    fn over_fri(preset: Preset, children: usize) -> Result<Self, UnsupportedBlowup> {
        let base = preset.settings(2)?;
        if preset == Preset::Toy {
            // The heights listed below fit a join of three proofs.
            let doublings = children.div_ceil(3).next_power_of_two().ilog2() as usize;
            let log_heights = [15, 15, 13, 14, 15, 15].map(|log_height| log_height + doublings);
            return Ok(Self::new(base, log_heights.to_vec()));
        }
        // The least height of which so many children fit. At the next one there are no keys: the
        // program's table exceeds the limit of recipes.
        let least_height = |most: &[(usize, usize)]| {
            let fits = most.iter().find(|(_, most)| children <= *most);
            fits.map_or(22, |(log_height, _)| *log_height)
        };
        let (log_height, num_queries, query_grinding_bits) = match (preset, children) {
            // More grinding than the preset, at little cost to the prover, allows fewer queries, so
            // that the blocks of a join fit this height. (R is also smaller than the batch that
            // presets are computed for.)
            (Preset::Proven100, 0..=1) => (15, 83, 19),
            (Preset::Proven100, 2) => (16, 81, 21),
            (Preset::Proven100, 3..=4) => (17, 79, 23),
            // Twice the height fits fewer than twice the children, since these are taller, too, and
            // have twice as many digests in a cap.
            (Preset::Proven100, _) => {
                let log_height = least_height(&[(18, 6), (19, 11), (20, 17), (21, 22)]);
                // Tall tables cost a bit more than the preset has to spare.
                (log_height, base.num_queries, base.query_grinding_bits + 1)
            }
            (Preset::Proven128, _) => {
                let log_height = least_height(&[(17, 1), (18, 2), (19, 4), (20, 8), (21, 15)]);
                (log_height, base.num_queries, base.query_grinding_bits)
            }
            _ => {
                let log_height =
                    least_height(&[(16, 1), (17, 2), (18, 4), (19, 8), (20, 15), (21, 20)]);
                (log_height, base.num_queries, base.query_grinding_bits)
            }
        };
        let settings = FriSettings {
            // Hashing a large cap costs a join less than the longer paths of a small one.
            cap_height: log_height - 10,
            // All rounds fold by 8. Evaluating the remaining final polynomial costs less per query
            // than one more round.
            log_final_poly_len: 3 + log_height % 3,
            num_queries,
            query_grinding_bits,
            ..base
        };
        // Tables of byte hashes are wider than the batch that presets are computed for, so wherever
        // there is grinding it gets one bit more.
        let more = |bits: usize| bits + usize::from(bits > 0);
        let intermediate = FriSettings {
            num_queries: base.num_queries,
            query_grinding_bits: more(base.query_grinding_bits),
            batch_grinding_bits: more(base.batch_grinding_bits),
            commit_grinding_bits: more(base.commit_grinding_bits),
            ..settings
        };
        // At 24 wide rows per Keccak permutation and 8 per Blake3 compression, committing to the
        // traces costs more than the next step, so the blowup is halved, although the next step
        // then verifies twice the queries.
        let short = preset.settings(1)?;
        let intermediate_of_bytes = FriSettings {
            log_blowup: short.log_blowup,
            num_queries: short.num_queries,
            ..intermediate
        };
        // Poseidon-16, program and words need half the rows of the tallest tables, and at 120 bits
        // for one child so does extension arithmetic. A third height would add more to each query
        // than it saves.
        let (tall, low) = (log_height, log_height - 1);
        let ext = match (preset, children) {
            (Preset::Proven120, 0..=1) => low,
            _ => tall,
        };
        // cpu, ext, poseidon16, program, words, blocks.
        let log_heights = vec![tall, ext, low, low, low, tall];
        // For one child the last intermediate proof has the shape that a join of two fits:
        // verifying it costs little more than verifying the canonical shape.
        let last_intermediate = match (preset, children) {
            (Preset::Proven100, 0..=1) => {
                let of_two = Self::over_fri(preset, 2)?;
                Some(LastIntermediate::Fixed(of_two.canonical))
            }
            _ => None,
        };
        Ok(Self {
            intermediate,
            intermediate_of_bytes,
            last_intermediate,
            ..Self::new(settings, log_heights)
        })
    }
}

/// Places of tables in R over WHIR.
const POSEIDON16: usize = 2;
const POWER_WEIGHTS: usize = 3;
const BLOCKS: usize = 6;

/// Settings of proofs over WHIR, and logarithms of R's heights, with which a join of `children`
/// proofs of that shape fits it.
fn shape_over_whir(preset: Preset, children: usize) -> (WhirSettings, Vec<usize>) {
    // The number of times that the heights of a join of one are doubled.
    let doublings = children.max(1).next_power_of_two().ilog2() as usize;
    let settings = WhirSettings::of(preset);
    // cpu, ext, poseidon16, power_weights, program, words, blocks.
    let of_one = match preset {
        Preset::Toy => [14, 14, 11, 10, 14, 11, 14],
        Preset::Proven100 => [14, 14, 13, 12, 14, 13, 14],
        Preset::Proven120 | Preset::Proven128 => [14, 14, 13, 12, 14, 13, 15],
    };
    let mut log_heights = of_one.map(|log_height| log_height + doublings).to_vec();
    // Twice the height fits fewer than twice the children, since these are taller, too.
    let more: &[usize] = match preset {
        Preset::Toy if children > 1 => &[BLOCKS],
        Preset::Proven100 if children > 8 => &[POSEIDON16, BLOCKS],
        Preset::Proven100 if children > 2 => &[BLOCKS],
        Preset::Proven120 | Preset::Proven128 if children > 4 => &[POSEIDON16, POWER_WEIGHTS],
        Preset::Proven128 if children > 2 => &[POSEIDON16],
        _ => &[],
    };
    for (table, log_height) in log_heights.iter_mut().enumerate() {
        *log_height += usize::from(more.contains(&table));
    }
    // A row of the stack is as long as the tallest column, and there are at most 2^8. Longer rows
    // make shorter leaves, so fewer permutations in a join's verifier, but a longer second
    // codeword. There are no rows longer than 2^20, so from 120 bits on no joins of more than 16.
    let least = match (preset, children) {
        (Preset::Toy, _) => 0,
        (Preset::Proven100, _) | (Preset::Proven120, 0..=2) | (Preset::Proven128, 0..=1) => {
            15 + doublings
        }
        (Preset::Proven120 | Preset::Proven128, _) => 16 + doublings,
    };
    let log_block = log_heights.iter().copied().fold(least, usize::max);
    // The rows of so many proofs have one commitment more, and more terms in the sum.
    let longer = preset == Preset::Proven100 && children > 8;
    // More grinding makes fewer queries, so that the permutations of a join fit half the height.
    let ground = match (preset, children) {
        (Preset::Proven120, 2) => 2,
        (Preset::Proven120, 3..=4) => 3,
        _ => 0,
    };
    let settings = WhirSettings {
        log_block,
        grinding_bits: settings.grinding_bits + ground,
        security_level: settings.security_level + 2 * usize::from(longer),
        ..settings
    };
    (settings, log_heights)
}
