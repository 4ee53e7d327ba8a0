//! Parts of proofs, whose values no verifier has before it has done with them what it must.
//!
//! A protocol whose challenges miss a message, or a part of the statement, accepts all honest
//! proofs and may be unsound (weak Fiat-Shamir: ePrint 2016/771, 2023/691). So a message is
//! [`Sent`]: a prover makes it by [`Sent::send`], a verifier gets its value by [`Sent::read`], and
//! both observe it by the same [`Observe`]. Values that a commitment binds are [`Decommitted`],
//! which no transcript observes and a verifier gets by a check; a nonce is observed by
//! [`check_work`](super::ExtensionTranscript::check_work), and a path has no value.

use p3_challenger::CanObserve;
use p3_symmetric::MerkleCap;
use serde::{Deserialize, Serialize};

use super::ExtensionTranscript;
use crate::field::{EF, F};

/// A value that transcripts of type `T` observe. A list is observed without its length, which the
/// verifier must know.
///
/// Each crate with messages of its own implements it, so it is not sealed: an implementation must
/// observe all that the value says.
pub trait Observe<T: ?Sized> {
    /// Observes the value.
    fn observe(&self, transcript: &mut T);
}

/// A message of a proof, which is encoded as its value.
///
/// A verifier that forgets to observe a message has no value, and this does not compile:
///
/// ```compile_fail,E0308
/// # use droste_native::EF;
/// # use droste_native::stark::challenger::{ExtensionTranscript, Sent};
/// fn value(message: &Sent<EF>, transcript: &mut dyn ExtensionTranscript) -> EF {
///     *message
/// }
/// ```
///
/// This does:
///
/// ```
/// # use droste_native::EF;
/// # use droste_native::stark::challenger::{ExtensionTranscript, Sent};
/// fn value(message: &Sent<EF>, transcript: &mut dyn ExtensionTranscript) -> EF {
///     *message.read(transcript)
/// }
/// ```
///
/// A prover that forgets to observe it has no message, and this does not compile:
///
/// ```compile_fail,E0423
/// # use droste_native::EF;
/// # use droste_native::stark::challenger::Sent;
/// fn message(value: EF) -> Sent<EF> {
///     Sent(value)
/// }
/// ```
#[must_use]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sent<V>(V);

impl<V> Sent<V> {
    /// Observes a value, as the prover that sends it.
    pub fn send<T: ?Sized>(value: V, transcript: &mut T) -> Self
    where
        V: Observe<T>,
    {
        value.observe(transcript);
        Self(value)
    }

    /// Observes the value and returns it, as a verifier.
    pub fn read<T: ?Sized>(&self, transcript: &mut T) -> &V
    where
        V: Observe<T>,
    {
        self.0.observe(transcript);
        &self.0
    }

    /// As [`read`](Self::read), for a value whose size a verifier must know: `check` compares the
    /// size first, so that no work is done for a value that is larger than it may be.
    ///
    /// # Errors
    /// That of `check`, and nothing is observed.
    pub fn read_sized<T: ?Sized, E>(
        &self,
        transcript: &mut T,
        check: impl FnOnce(&V) -> Result<(), E>,
    ) -> Result<&V, E>
    where
        V: Observe<T>,
    {
        check(&self.0)?;
        Ok(self.read(transcript))
    }

    /// The value, which is not observed: for the prover that sent it, and for what copies a proof
    /// without verifying it. A verifier must [`read`](Self::read).
    pub const fn peek(&self) -> &V {
        &self.0
    }

    /// A message that no transcript has observed: for tests of dishonest provers. A verifier
    /// observes it like any other.
    #[doc(hidden)]
    pub const fn forged(value: V) -> Self {
        Self(value)
    }

    /// The value, to be changed: for tests of dishonest provers.
    #[doc(hidden)]
    pub const fn forge(&mut self) -> &mut V {
        &mut self.0
    }
}

impl<V> Sent<Vec<V>> {
    /// Number of elements, which a verifier may know before it reads them.
    pub const fn count(&self) -> usize {
        self.0.len()
    }
}

/// Values of a proof that a commitment binds, such as the rows of a matrix below a Merkle root. They
/// are encoded as they are.
///
/// A verifier that forgets to check has no value, and this does not compile:
///
/// ```compile_fail,E0308
/// # use droste_native::F;
/// # use droste_native::stark::challenger::Decommitted;
/// fn rows(opened: &Decommitted<Vec<F>>) -> &Vec<F> {
///     opened
/// }
/// ```
#[must_use]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decommitted<V>(V);

impl<V> Decommitted<V> {
    /// Opens a commitment, as a prover.
    pub const fn new(value: V) -> Self {
        Self(value)
    }

    /// The value, as a verifier gets it: if `check` finds it in the commitment.
    ///
    /// # Errors
    /// That of `check`.
    pub fn check<E>(&self, check: impl FnOnce(&V) -> Result<(), E>) -> Result<&V, E> {
        check(&self.0)?;
        Ok(&self.0)
    }

    /// The value, which is not checked: for what copies a proof without verifying it. A verifier
    /// must [`check`](Self::check).
    pub const fn peek(&self) -> &V {
        &self.0
    }

    /// The value, to be changed: for tests of dishonest provers.
    #[doc(hidden)]
    pub const fn forge(&mut self) -> &mut V {
        &mut self.0
    }
}

impl<V> Decommitted<Vec<V>> {
    /// Number of elements.
    pub const fn count(&self) -> usize {
        self.0.len()
    }
}

impl<T: ExtensionTranscript + ?Sized> Observe<T> for EF {
    fn observe(&self, transcript: &mut T) {
        transcript.observe_extension(*self);
    }
}

impl<D, T> Observe<T> for MerkleCap<F, D>
where
    D: Clone,
    T: CanObserve<Self> + ?Sized,
{
    fn observe(&self, transcript: &mut T) {
        transcript.observe(self.clone());
    }
}

impl<V: Observe<T>, T: ?Sized> Observe<T> for Vec<V> {
    fn observe(&self, transcript: &mut T) {
        for value in self {
            value.observe(transcript);
        }
    }
}

impl<V: Observe<T>, T: ?Sized, const N: usize> Observe<T> for [V; N] {
    fn observe(&self, transcript: &mut T) {
        for value in self {
            value.observe(transcript);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts what it observes.
    struct Counter(usize);

    impl Observe<Counter> for u8 {
        fn observe(&self, transcript: &mut Counter) {
            transcript.0 += 1;
        }
    }

    #[test]
    fn a_list_of_another_length_is_refused_before_it_is_observed() {
        let mut counter = Counter(0);
        let sent = Sent::send(vec![1_u8, 2, 3], &mut counter);
        let mut transcript = Counter(0);
        let mut read = |expected: usize| {
            let check = |list: &Vec<u8>| (list.len() == expected).then_some(()).ok_or(list.len());
            let read = sent.read_sized(&mut transcript, check).cloned();
            (read, transcript.0)
        };
        assert_eq!(read(2), (Err(3), 0));
        assert_eq!(read(3), (Ok(vec![1, 2, 3]), counter.0));
    }
}
