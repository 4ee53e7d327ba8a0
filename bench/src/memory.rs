//! Peak memory of a call, from the kernel's accounts of this process.

/// Bytes by which a call raised the resident set above what it was before, where the kernel tells.
pub fn peak_of(call: impl FnOnce()) -> Option<usize> {
    let before = status("VmRSS:")?;
    // Resets the peak to the present size.
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    call();
    Some(status("VmHWM:")?.saturating_sub(before))
}

fn status(field: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Largest resident set of this process so far, in bytes, where the kernel tells.
pub fn peak() -> Option<usize> {
    status("VmHWM:")
}

/// CPU time of this process so far, all threads, user and system, in seconds; 0 where the kernel does
/// not tell.
pub fn cpu_seconds() -> f64 {
    // Clock ticks of /proc are a hundredth of a second on every Linux that has it.
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may hold spaces; user and system time are fields 14 and 15.
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks = ticks.filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}
