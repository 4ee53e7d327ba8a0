//! Memory use, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of bytes that are allocated, and the largest number so far.
static PROCESS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

thread_local! {
    /// The same of this thread.
    static THREAD: Cell<[usize; 2]> = const { Cell::new([0, 0]) };
}

/// The system's allocator, which also counts what is allocated by each thread and by the process. A
/// binary that makes it its global allocator can call [`peak`] and [`process_peak`].
#[derive(Clone, Copy, Debug)]
pub struct Counting;

fn grow(bytes: usize) {
    let [present, peak] = &PROCESS;
    let in_all = present.fetch_add(bytes, Ordering::Relaxed) + bytes;
    if in_all > peak.load(Ordering::Relaxed) {
        peak.fetch_max(in_all, Ordering::Relaxed);
    }
    // A thread that is ending has no counters any more.
    let _ = THREAD.try_with(|thread| {
        let [present, peak] = thread.get();
        let present = present.wrapping_add(bytes);
        thread.set([present, peak.max(present)]);
    });
}

fn shrink(bytes: usize) {
    PROCESS[0].fetch_sub(bytes, Ordering::Relaxed);
    // Saturating, because memory that another thread allocated would make the count negative.
    let _ = THREAD.try_with(|thread| {
        let [present, peak] = thread.get();
        thread.set([present.saturating_sub(bytes), peak]);
    });
}

// SAFETY: every call is passed on unchanged to the system's allocator, whose contract is the same;
// counting touches only atomics and cells of this thread, and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both the old and the new memory may exist while the content is copied.
        grow(size);
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns the result of `call`, and by how many bytes it raised the largest amount of memory that
/// this thread has allocated; zero if [`Counting`] is not the allocator.
pub fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let [before, _] = THREAD.get();
    THREAD.set([before, before]);
    let value = call();
    let [_, peak] = THREAD.get();
    (value, peak.saturating_sub(before))
}

/// Like [`peak`], but counts all threads. Nothing else may run during the call.
pub fn process_peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let [present, peak] = &PROCESS;
    let before = present.load(Ordering::Relaxed);
    peak.store(before, Ordering::Relaxed);
    let value = call();
    (value, peak.load(Ordering::Relaxed).saturating_sub(before))
}
