//! The canonical shape for each preset.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;

use super::Aggregator;
use super::shape::FixedShape;
use crate::keys::MAX_CHILDREN;

impl Aggregator {
    /// An aggregator at a preset's security, whose canonical shape has room for joins of up to
    /// `children` proofs. There are no joins of more than [`MAX_CHILDREN`], so a larger number has
    /// the shape of that one.
    pub fn for_preset(preset: Preset, children: usize) -> Self {
        let (settings, log_heights) = shape(preset, children.min(MAX_CHILDREN));
        // Proofs of runs that fit the rows of the stack of joins of one have the blowup of these.
        let (of_one, _) = shape(preset, 1);
        let intermediate = WhirSettings::of(preset);
        Self {
            intermediate: WhirSettings {
                log_block: intermediate.log_block.max(of_one.log_block),
                ..intermediate
            },
            ..Self::new(settings, log_heights)
        }
    }

    /// The same aggregator with another canonical shape, that of a fold whose functions need more
    /// room than joins leave.
    pub(crate) fn of_heights(self, settings: WhirSettings, log_heights: Vec<usize>) -> Self {
        Self {
            canonical: FixedShape {
                settings,
                log_heights,
            },
            ..self
        }
    }
}

impl FixedShape {
    /// The canonical shape of [`Aggregator::for_preset`].
    pub(super) fn for_preset(preset: Preset, children: usize) -> Self {
        let (settings, log_heights) = shape(preset, children.min(MAX_CHILDREN));
        Self {
            settings,
            log_heights,
        }
    }
}

/// Places of tables in R.
const POSEIDON16: usize = 2;
const POWER_WEIGHTS: usize = 3;
const BLOCKS: usize = 6;

/// Settings, and logarithms of R's heights, with which a join of `children` proofs of that shape
/// fits it.
fn shape(preset: Preset, children: usize) -> (WhirSettings, Vec<usize>) {
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
