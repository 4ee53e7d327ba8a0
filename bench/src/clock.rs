//! The clock that all benches read.

use std::sync::OnceLock;
use std::time::Duration;

use clap::ValueEnum;
use rustix::time::{ClockId, clock_gettime};

/// What counts as time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// Time that passes.
    #[default]
    Wall,
    /// Time that the processors spend on all threads of this process: on a machine that does other
    /// things, too, ratios hardly change.
    Cpu,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

/// Sets the clock, once, before anything is measured.
pub fn set(clock: Clock) {
    CLOCK.get_or_init(|| clock);
}

/// The clock that was set.
pub fn get() -> Clock {
    *CLOCK.get_or_init(Clock::default)
}

/// The present time, from an arbitrary start.
pub fn now() -> Duration {
    let time = clock_gettime(match get() {
        Clock::Wall => ClockId::Monotonic,
        Clock::Cpu => ClockId::ProcessCPUTime,
    });
    Duration::try_from(time).unwrap_or_default()
}

/// Milliseconds since `start`.
pub fn milliseconds_since(start: Duration) -> f64 {
    now().saturating_sub(start).as_secs_f64() * 1e3
}
