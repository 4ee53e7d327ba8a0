//! The clock that all benches read.

use std::sync::OnceLock;
use std::time::Duration;

use clap::ValueEnum;
use rustix::time::{ClockId, clock_gettime};

/// Which time is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Clock {
    /// Elapsed time.
    #[default]
    Wall,
    /// CPU time of all threads of this process. Its ratios hardly change on a machine that does
    /// other work, too.
    Cpu,
}

static CLOCK: OnceLock<Clock> = OnceLock::new();

/// Sets the clock. It must be called at most once, before anything is measured.
pub fn set(clock: Clock) {
    CLOCK.get_or_init(|| clock);
}

/// Returns the clock that was set.
pub fn get() -> Clock {
    *CLOCK.get_or_init(Clock::default)
}

/// Returns the present time, counted from an arbitrary start.
pub fn now() -> Duration {
    let time = clock_gettime(match get() {
        Clock::Wall => ClockId::Monotonic,
        Clock::Cpu => ClockId::ProcessCPUTime,
    });
    Duration::try_from(time).unwrap_or_default()
}

/// Returns the milliseconds since `start`.
pub fn milliseconds_since(start: Duration) -> f64 {
    now().saturating_sub(start).as_secs_f64() * 1e3
}
