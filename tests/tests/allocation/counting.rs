//! Measures what a call takes: memory, counted by the allocator, and the CPU time of the process.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use droste_air::test_utils::{Counting, process_peak};
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Held by the test that measures. The other tests wait, so that they neither allocate nor compute.
static MEASURING: Mutex<()> = Mutex::new(());

/// Runs a test that measures, while no other test runs.
pub fn alone(test: impl FnOnce()) {
    let _guard = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    test();
}

/// What a call takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Bytes by which the call raises the peak of allocated memory.
    pub bytes: usize,
    /// CPU time of all threads.
    pub time: Duration,
}

impl Taken {
    /// Returns the larger of each.
    pub fn max(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            time: self.time.max(other.time),
        }
    }
}

/// Returns what `call` returns, and what it takes.
pub fn taken<T>(call: impl FnOnce() -> T) -> (T, Taken) {
    let start = cpu_time();
    let (value, bytes) = process_peak(call);
    let time = cpu_time().saturating_sub(start);
    (value, Taken { bytes, time })
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
