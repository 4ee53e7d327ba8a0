//! Figures of this process that the operating system reports.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this process, of all its threads.
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(time.tv_nsec).unwrap_or(0))
}

/// Largest resident memory of this process in bytes, since its start or since
/// [`crate::cost::measure`] last reset it; `None` if the operating system does not report it.
pub fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Resets the peak to the memory that is resident now. If the operating system does not allow this,
/// the peak stays that of the whole process.
pub(crate) fn reset_peak_memory() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
