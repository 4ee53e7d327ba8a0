//! Circuits of folds' rules. Their programs verify proofs as others do, but have another `main`,
//! which calls the developer's function ([`crate::program::fold`]).

use std::sync::Arc;
use std::time::Instant;

use super::{ChildShape, Children, RecursionCircuit, Result, Verifies, WhirVerifier};

impl RecursionCircuit {
    /// The circuit of a rule whose program has this text and verifies `count` proofs of this shape,
    /// if any, as `verifier` says. `libraries` are all files from which the text imports, the
    /// gadgets included.
    ///
    /// # Errors
    /// If the program does not compile.
    pub(crate) fn of_rule(
        verifier: Arc<WhirVerifier>,
        shape: ChildShape,
        count: usize,
        text: String,
        libraries: &[(&str, &str)],
    ) -> Result<Self> {
        let (children, start) = (Children::Programs { shape, count }, Instant::now());
        let entry = ("rule.rs", text);
        Self::compile(children, Verifies::Whir(verifier), entry, libraries, start)
    }
}
