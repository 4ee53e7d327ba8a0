//! Memory, counted by the allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is allocated, and the most that was at once.
static PROCESS: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

thread_local! {
    static PRESENT: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting what is allocated, by thread and in all. A binary that makes it its
/// global allocator can ask for [`peak`] and [`process_peak`].
#[derive(Clone, Copy, Debug)]
pub struct Counting;

fn grow(bytes: usize) {
    let [present, peak] = &PROCESS;
    let in_all = present.fetch_add(bytes, Ordering::Relaxed) + bytes;
    peak.fetch_max(in_all, Ordering::Relaxed);
    // A thread that ends has no counters any more.
    let _ = PRESENT.try_with(|present| {
        present.set(present.get().wrapping_add(bytes));
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(present.get())));
    });
}

fn shrink(bytes: usize) {
    PROCESS[0].fetch_sub(bytes, Ordering::Relaxed);
    // What another thread allocated would count as less than nothing.
    let _ = PRESENT.try_with(|present| present.set(present.get().saturating_sub(bytes)));
}

// SAFETY: every call is handed on unchanged to the system's allocator, whose contract is the same;
// counting touches atomics and cells of this thread only and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's obligations are the system allocator's.
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
        // Both may be there while one is copied to the other.
        grow(size);
        shrink(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What `call` returns, and by how many bytes it raised what this thread has allocated at most; zero
/// where [`Counting`] is not the allocator.
pub fn peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let before = PRESENT.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let value = call();
    (value, PEAK.with(Cell::get).saturating_sub(before))
}

/// As [`peak`], of all threads: for a call beside which nothing else runs.
pub fn process_peak<T>(call: impl FnOnce() -> T) -> (T, usize) {
    let [present, peak] = &PROCESS;
    let before = present.load(Ordering::Relaxed);
    peak.store(before, Ordering::Relaxed);
    let value = call();
    (value, peak.load(Ordering::Relaxed).saturating_sub(before))
}
