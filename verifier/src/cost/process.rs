//! What the system knows of this process.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Time that all threads of the process have spent on a processor.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Largest resident memory of this process, or since [`super::measure`]'s last reset of it, in bytes; `None`
/// where the system does not tell.
pub fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Starts counting the peak anew, from the memory that is resident now. Where the system does not
/// allow that, the peak is that of the whole process.
pub(super) fn reset_peak_memory() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
