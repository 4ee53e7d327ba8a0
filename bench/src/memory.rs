//! Peaks of resident memory, as the kernel accounts for this process.

/// Returns the largest size in bytes that this process's resident set has had so far, or `None` if
/// the kernel does not say.
pub fn peak() -> Option<usize> {
    status("VmHWM:")
}

/// Returns by how many bytes a call raised the resident set. `None` if the kernel does not say, or
/// if the call needed no memory beyond what the allocator already had.
pub fn peak_of(call: impl FnOnce()) -> Option<usize> {
    let before = status("VmRSS:")?;
    // Resets the recorded peak to the present size.
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    call();
    peak()?.checked_sub(before).filter(|&bytes| bytes > 0)
}

fn status(field: &str) -> Option<usize> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
