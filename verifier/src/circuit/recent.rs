//! Keeps values that take long to make.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most recently used values, by what they are made from.
pub(crate) struct Recent<K, V> {
    most: usize,
    made: AtomicUsize,
    /// In order of last use, the most recent one last.
    entries: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: Clone + PartialEq, V> Recent<K, V> {
    /// Keeps up to `most` values.
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            most,
            made: AtomicUsize::new(0),
            entries: Mutex::new(Vec::new()),
        }
    }

    /// Number of values made so far, including those that are no longer kept.
    pub(super) fn made(&self) -> usize {
        self.made.load(Ordering::Relaxed)
    }

    /// Returns the value of `key`; makes it if it is not kept.
    ///
    /// The list is not locked while a value is made: making one may run other tasks on this thread
    /// (rayon), which may ask for values too. If two threads ask for a new value at once, both make
    /// it, and both get the one that was stored first.
    pub(crate) fn get_or_make<E>(
        &self,
        key: &K,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        self.made.fetch_add(1, Ordering::Relaxed);
        if let Some(other) = self.get(key) {
            return Ok(other);
        }
        let mut entries = self.entries();
        entries.push((key.clone(), Arc::clone(&value)));
        let excess = entries.len().saturating_sub(self.most);
        entries.drain(..excess);
        Ok(value)
    }

    /// The value of `key`, if it is kept.
    fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.entries();
        let index = entries.iter().position(|(other, _)| other == key)?;
        let entry = entries.remove(index);
        let value = Arc::clone(&entry.1);
        entries.push(entry);
        Some(value)
    }

    /// Locks the list, even if a thread panicked while it held the lock: the list is valid after
    /// each change.
    fn entries(&self) -> MutexGuard<'_, Vec<(K, Arc<V>)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn get(recent: &Recent<u32, u32>, key: u32) -> Arc<u32> {
        let made: Result<_, Infallible> = recent.get_or_make(&key, || Ok(10 * key));
        made.unwrap()
    }

    #[test]
    fn a_value_is_made_once() {
        let recent = Recent::new(2);
        let first = get(&recent, 1);
        assert!(Arc::ptr_eq(&first, &get(&recent, 1)));
        assert_eq!((*first, recent.made()), (10, 1));
    }

    #[test]
    fn the_least_recently_used_value_goes_first() {
        let recent = Recent::new(2);
        get(&recent, 1);
        get(&recent, 2);
        // 1 is used again, so 2 is the least recently used now.
        get(&recent, 1);
        get(&recent, 3);
        assert_eq!(recent.made(), 3);
        get(&recent, 1);
        assert_eq!(recent.made(), 3);
        get(&recent, 2);
        assert_eq!(recent.made(), 4);
    }

    #[test]
    fn failures_are_not_kept() {
        let recent = Recent::new(2);
        assert_eq!(recent.get_or_make(&1, || Err::<u32, _>("no")), Err("no"));
        assert_eq!(*get(&recent, 1), 10);
    }

    /// Making a value may ask for other values in the same list.
    #[test]
    fn values_may_be_made_of_others() {
        let recent = Recent::new(2);
        let made: Result<_, Infallible> = recent.get_or_make(&2, || Ok(*get(&recent, 1) + 1));
        assert_eq!(*made.unwrap(), 11);
    }

    /// If two threads both begin to make a value before either has finished, they get the same one.
    #[test]
    fn threads_get_the_same_value() {
        let (recent, both) = (&Recent::new(2), &std::sync::Barrier::new(2));
        let make = move || {
            let made: Result<_, Infallible> = recent.get_or_make(&1, || {
                both.wait();
                Ok(10)
            });
            made.unwrap()
        };
        let (first, second) = std::thread::scope(|scope| {
            let threads = [scope.spawn(make), scope.spawn(make)];
            let [first, second] = threads.map(|thread| thread.join().unwrap());
            (first, second)
        });
        assert!(Arc::ptr_eq(&first, &second));
    }
}
