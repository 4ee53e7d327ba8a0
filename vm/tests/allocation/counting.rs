//! An allocator that counts, and the process's clock: what a call takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The system's allocator, counting.
struct Counting;

static PRESENT: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let present = PRESENT.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(present, Ordering::Relaxed);
}

fn shrink(bytes: usize) {
    PRESENT.fetch_sub(bytes, Ordering::Relaxed);
}

// SAFETY: every call is handed on unchanged to the system's allocator, whose contract is the same;
// counting touches atomics only and does not allocate.
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

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Held by the test that measures: the others wait, and neither allocate nor compute.
static MEASURING: Mutex<()> = Mutex::new(());

/// Runs a test that measures, alone.
pub fn alone(test: impl FnOnce()) {
    let _guard = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    test();
}

/// What a call takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Bytes by which it raises what is allocated at most.
    pub bytes: usize,
    /// Processor time of all threads.
    pub time: Duration,
}

impl Taken {
    /// The larger of each.
    pub fn max(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.max(other.bytes),
            time: self.time.max(other.time),
        }
    }
}

/// What `call` returns, and what it takes.
pub fn taken<T>(call: impl FnOnce() -> T) -> (T, Taken) {
    let before = PRESENT.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let start = cpu_time();
    let value = call();
    let time = cpu_time().saturating_sub(start);
    let bytes = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    (value, Taken { bytes, time })
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
