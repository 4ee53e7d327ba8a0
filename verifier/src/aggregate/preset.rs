//! The shapes of R at the levels of security that have names.

use droste_native::FriSettings;
use droste_native::security::{Preset, UnsupportedBlowup};

use super::Aggregator;

impl Aggregator {
    /// R at a preset's security and blowup 4, with room for joins of up to `children` proofs.
    ///
    /// # Errors
    /// If the preset has no settings at this blowup.
    pub fn for_preset(preset: Preset, children: usize) -> Result<Self, UnsupportedBlowup> {
        let base = preset.settings(2)?;
        if preset == Preset::Toy {
            // Heights at which a join of three proofs fits.
            let doublings = children.div_ceil(3).next_power_of_two().ilog2() as usize;
            let log_heights = [15, 15, 13, 14, 15, 15].map(|log_height| log_height + doublings);
            return Ok(Self::new(base, log_heights.to_vec()));
        }
        let doublings = children.max(1).next_power_of_two().ilog2() as usize;
        let (log_height, num_queries, query_grinding_bits) = match (preset, children) {
            // Grinding of which a prover hardly takes notice, for so many queries fewer that the blocks fit.
            // (R is smaller than the batch for which presets count, too.)
            (Preset::Proven100, 0..=1) => (15, 83, 18),
            (Preset::Proven100, 2) => (16, 81, 20),
            // Of taller children a little less than a power of two fit.
            (Preset::Proven100, _) => {
                let log_height = 16 + children.ilog2() as usize;
                (log_height, base.num_queries, base.query_grinding_bits)
            }
            _ => (16 + doublings, base.num_queries, base.query_grinding_bits),
        };
        let settings = FriSettings {
            // A large cap costs a join less than the paths that it shortens. It begins where a folding
            // round does, so that indices need not be cut there once more.
            cap_height: log_height - 10,
            // All rounds fold by 8: a last one would cost a query more than to evaluate what is left.
            log_final_poly_len: 3 + log_height % 3,
            num_queries,
            query_grinding_bits,
            ..base
        };
        // Tables of byte hashes are wider than the batch for which presets count: one bit more where they grind.
        let more = |bits: usize| bits + usize::from(bits > 0);
        let away = FriSettings {
            num_queries: base.num_queries,
            query_grinding_bits: more(base.query_grinding_bits),
            batch_grinding_bits: more(base.batch_grinding_bits),
            commit_grinding_bits: more(base.commit_grinding_bits),
            ..settings
        };
        // Committing to 24 wide rows a permutation costs more than the next step, which verifies twice the
        // queries at half the blowup.
        let short = preset.settings(1)?;
        let away_of_keccak = FriSettings {
            log_blowup: short.log_blowup,
            num_queries: short.num_queries,
            ..away
        };
        // Half the rows of permutations and words are enough, and at 120 bits for one child half the
        // arithmetic. A third height would cost queries more than it saves.
        let (tall, low) = (log_height, log_height - 1);
        let ext = match (preset, children) {
            (Preset::Proven120, 0..=1) => low,
            _ => tall,
        };
        // cpu, ext, poseidon16, program, words, blocks.
        let log_heights = vec![tall, ext, low, low, low, tall];
        // What a join of two fits costs little more to verify than home itself.
        let nearly = match (preset, children) {
            (Preset::Proven100, 0..=1) => {
                let two = Self::for_preset(preset, 2)?;
                Some((two.settings, two.log_heights))
            }
            _ => None,
        };
        Ok(Self {
            settings,
            log_heights,
            away,
            away_of_keccak,
            nearly,
        })
    }
}
