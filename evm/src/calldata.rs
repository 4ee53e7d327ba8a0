//! The bytes of a proof in the calldata of a verifier.
//!
//! Everything is as the transcript observes it: an element of the challenge field is 20 bytes, a
//! digest 32, a nonce 4, an element of a leaf 4. What the code knows is not there: lengths,
//! heights, the key, the statement. The digests of Merkle paths, whose number depends on the
//! queries, are behind all the rest.
//!
//! A proof is encoded as it is, right or wrong; one with other lengths than it should have becomes
//! bytes of another length.

use droste_native::stark::suite::SuiteCap;
use droste_native::visit::Visitor;
use droste_native::whir::Queries;
use droste_native::{Commitment, EF, F, KeccakSuite};
use droste_vm::whir::Proof;
use p3_field::RawDataSerializable;

/// The bytes of a proof under construction.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    fixed: Vec<u8>,
    digests: Vec<u8>,
}

impl Bytes {
    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        let Self { mut fixed, digests } = self;
        fixed.extend(digests);
        fixed
    }
}

impl Visitor<'_> for Bytes {
    type Suite = KeccakSuite;

    fn commitment(&mut self, commitment: &Commitment<KeccakSuite>) {
        self.fixed.extend(commitment.digests().as_flattened());
    }

    fn elements(&mut self, elements: &[EF]) {
        self.fixed
            .extend(EF::into_byte_stream(elements.iter().copied()));
    }

    fn nonces(&mut self, nonces: &[F]) {
        self.fixed
            .extend(F::into_byte_stream(nonces.iter().copied()));
    }

    fn answers(&mut self, queries: &Queries<KeccakSuite>) {
        for tree in &queries.trees {
            let leaves = tree.leaves.peek().iter().flatten().copied();
            self.fixed.extend(F::into_byte_stream(leaves));
            self.digests
                .extend(tree.paths.sibling_hashes.as_flattened());
        }
    }
}

/// The bytes of a proof.
pub fn encode(proof: &Proof<KeccakSuite>) -> Vec<u8> {
    let mut bytes = Bytes::default();
    proof.stark.visit(&mut bytes);
    bytes.finish()
}
