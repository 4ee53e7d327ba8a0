//! What verifiers refuse: changed proofs, and the proofs of dishonest provers.

mod changed;
mod dishonest;
