//! The store of a run: a folder of finished tasks that no other run uses at the same time.

use std::fs;
use std::ops::Deref;
use std::path::Path;

use droste_verifier::plan::{Store, StoreLock};

use crate::error::CommandError;

/// The store of a run.
#[derive(Debug)]
pub struct RunStore {
    store: Store,
    lock: Option<StoreLock>,
    /// Whether it stays when all tasks are finished.
    pub stays: bool,
}

impl RunStore {
    /// Opens the store in a folder, or else in the folder that is named after the output and does
    /// not stay.
    ///
    /// # Errors
    /// If the folder cannot be made, or another run uses the store.
    pub fn open(folder: Option<&Path>, output: &Path) -> Result<Self, CommandError> {
        let stays = folder.is_some();
        let folder = folder.map_or_else(|| output.with_added_extension("store"), Path::to_owned);
        let store = Store::open(folder)?;
        let lock = Some(store.lock()?);
        Ok(Self { store, lock, stays })
    }
}

impl Deref for RunStore {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl Drop for RunStore {
    fn drop(&mut self) {
        drop(self.lock.take());
        if !self.stays {
            // If anything is in it, finished tasks or files of others, it stays.
            let _ = fs::remove_dir(self.folder());
        }
    }
}
