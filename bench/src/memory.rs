//! Peaks of memory, from the kernel's accounts of this process.

/// Bytes of the largest resident set that this process had so far; none where the kernel does not tell.
pub fn peak() -> Option<usize> {
    status("VmHWM:")
}

/// Bytes by which a call raised the resident set above what it was before; none where the kernel does not
/// tell, or the allocator had all the memory already.
pub fn peak_of(call: impl FnOnce()) -> Option<usize> {
    let before = status("VmRSS:")?;
    // Resets the peak to the present size.
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
