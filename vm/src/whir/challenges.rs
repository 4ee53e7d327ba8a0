//! The challenges of the lookup argument.

use droste_native::{EF, F};
use p3_field::PrimeCharacteristicRing;

use super::system::System;

/// The challenges of the lookup argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookupChallenges {
    /// What messages are subtracted from.
    pub alpha: EF,
    /// Its powers combine the elements of a message.
    pub beta: EF,
}

impl LookupChallenges {
    /// The denominators of messages on a bus are this, less the combined elements.
    pub fn prefix(&self, system: &System, bus: usize) -> EF {
        let above = self.beta.exp_u64(system.message_width() as u64);
        self.alpha + above * F::from_usize(bus + 1)
    }

    /// The factors by which the elements of a message of this length are combined.
    pub fn factors(&self, length: usize) -> Vec<EF> {
        let mut powers = self.beta.powers().collect_n(length);
        powers.reverse();
        powers
    }
}
