//! One record per sum: what the scan found, what was decided, and how long each stage took.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What was done for a sum. Also emitted as a `tracing` event, at debug level, with target
/// `droste::msm`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The label that the caller gave the call.
    pub label: String,
    /// Number of terms of the sum.
    pub n: usize,
    /// Number of terms whose scalar is not zero and whose base is not the identity.
    pub active: usize,
    /// Length in bits of the longest scalar, before any split.
    pub bits: u32,
    /// Bits of a window; 0 if the path for few terms was taken.
    pub window: u32,
    /// Number of windows summed.
    pub rounds: u32,
    /// Whether scalars were split by the endomorphism.
    pub endomorphism: bool,
    /// Number of clusters of equal scalars.
    pub clusters: usize,
    /// Number of terms in clusters.
    pub members_flattened: usize,
    /// Number of terms that clusters saved.
    pub members_dropped: usize,
    /// Share of repeats in the scan's sample, in 1/1024.
    pub duplicate_density: u32,
    /// Whether the AVX-512 IFMA backend ran.
    pub ifma: bool,
    /// Time of each stage. The times of accumulation and reduction are summed over the workers.
    pub stages: Stages,
}

/// Time of each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// Scan of the scalars, with their conversion to integers.
    pub scan: Duration,
    /// Conversion of the bases.
    pub pack: Duration,
    /// Joining of equal scalars.
    pub duplicates: Duration,
    /// Endomorphism split, with the recoding of the halves.
    pub split: Duration,
    /// Recoding of scalars that are not split into signed windows.
    pub recode: Duration,
    /// Sorting and summing of buckets, and joining of the halves.
    pub accumulate: Duration,
    /// Bucket reduction.
    pub reduce: Duration,
    /// Window combination.
    pub combine: Duration,
}

impl Record {
    pub(super) fn emit(&self) {
        let micros = |time: Duration| time.as_micros() as u64;
        tracing::debug!(
            target: "droste::msm",
            label = self.label,
            n = self.n,
            active = self.active,
            bits = self.bits,
            window = self.window,
            rounds = self.rounds,
            endomorphism = self.endomorphism,
            clusters = self.clusters,
            members_flattened = self.members_flattened,
            members_dropped = self.members_dropped,
            duplicate_density = self.duplicate_density,
            ifma = self.ifma,
            scan_us = micros(self.stages.scan),
            pack_us = micros(self.stages.pack),
            duplicates_us = micros(self.stages.duplicates),
            split_us = micros(self.stages.split),
            recode_us = micros(self.stages.recode),
            accumulate_us = micros(self.stages.accumulate),
            reduce_us = micros(self.stages.reduce),
            combine_us = micros(self.stages.combine),
            "msm"
        );
    }
}

/// A function that receives records.
type Take = dyn Fn(&Record) + Send + Sync;

/// The function that receives records in addition to `tracing`, if there is one.
#[derive(Clone, Default)]
pub(super) struct Sink(pub(super) Option<Arc<Take>>);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Sink(..)" } else { "Sink" })
    }
}

/// Runs `stage` and adds the time that it took to `time`.
pub(super) fn timed<T>(time: &mut Duration, stage: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = stage();
    *time += start.elapsed();
    result
}
