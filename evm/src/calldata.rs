//! The bytes of a proof in the calldata of a verifier.
//!
//! Everything is as the transcript observes it: an element of the challenge field is 20 bytes, a
//! digest 32, a nonce 4, an element of a leaf 4. What the code knows is not there: lengths,
//! heights, the key, the statement. The digests of Merkle paths, whose number depends on the
//! queries, are behind all the rest.
//!
//! A proof is encoded as it is, right or wrong; one with other lengths than it should have becomes
//! bytes of another length.

use droste_native::gkr::{Fraction, GkrProof};
use droste_native::stark::challenger::Sent;
use droste_native::stark::suite::SuiteCap;
use droste_native::whir::{Opening, Queries, Sumcheck};
use droste_native::{Commitment, EF, F, KeccakSuite};
use droste_vm::whir::zerocheck::Opened;
use droste_vm::whir::{Proof, StarkProof};
use p3_field::RawDataSerializable;

/// The bytes of a proof under construction.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    fixed: Vec<u8>,
    digests: Vec<u8>,
}

impl Bytes {
    /// Appends elements of the base field.
    pub fn values(&mut self, values: &[F]) {
        self.fixed
            .extend(F::into_byte_stream(values.iter().copied()));
    }

    /// Appends an element.
    pub fn element(&mut self, element: EF) {
        self.fixed.extend(EF::into_byte_stream([element]));
    }

    /// Appends elements.
    pub fn elements<'a>(&mut self, elements: impl IntoIterator<Item = &'a EF>) {
        elements
            .into_iter()
            .for_each(|&element| self.element(element));
    }

    /// Appends a digest.
    pub fn digest(&mut self, digest: &[u8; 32]) {
        self.fixed.extend(digest);
    }

    fn commitment(&mut self, commitment: &Commitment<KeccakSuite>) {
        commitment
            .digests()
            .iter()
            .for_each(|digest| self.digest(digest));
    }

    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        let Self { mut fixed, digests } = self;
        fixed.extend(digests);
        fixed
    }
}

/// The bytes of a proof.
pub fn encode(proof: &Proof<KeccakSuite>) -> Vec<u8> {
    let mut bytes = Bytes::default();
    let StarkProof {
        commitment,
        outside,
        lookup_nonces,
        fractions,
        zerocheck,
        opened,
        opening,
    } = &proof.stark;
    bytes.commitment(commitment.peek());
    bytes.elements(outside.iter().map(Sent::peek));
    bytes.values(lookup_nonces);
    encode_fractions(&mut bytes, fractions);
    bytes.elements(zerocheck.rounds.iter().flat_map(Sent::peek));
    opened
        .peek()
        .iter()
        .flat_map(Opened::values)
        .for_each(|value| bytes.element(value));
    encode_opening(&mut bytes, opening);
    bytes.finish()
}

/// Appends a proof of a sum of fractions.
pub fn encode_fractions(bytes: &mut Bytes, proof: &GkrProof) {
    fn halves(bytes: &mut Bytes, halves: &[Fraction<EF>; 2]) {
        for half in halves {
            bytes.elements([&half.numerator, &half.denominator]);
        }
    }
    halves(bytes, proof.root.peek());
    for layer in &proof.layers {
        bytes.element(*layer.quadratic.peek());
        for round in layer.rounds.iter().map(Sent::peek) {
            bytes.elements([&round.linear, &round.quadratic]);
        }
        halves(bytes, layer.halves.peek());
    }
}

/// Appends an opening.
pub fn encode_opening(bytes: &mut Bytes, opening: &Opening<KeccakSuite>) {
    encode_sumcheck(bytes, &opening.sumcheck);
    for round in &opening.rounds {
        bytes.commitment(round.commitment.peek());
        bytes.elements(round.outside.iter().map(Sent::peek));
        encode_queries(bytes, &round.queries);
        encode_sumcheck(bytes, &round.sumcheck);
    }
    bytes.elements(opening.final_polynomial.peek());
    encode_queries(bytes, &opening.final_queries);
    encode_sumcheck(bytes, &opening.final_sumcheck);
}

fn encode_sumcheck(bytes: &mut Bytes, sumcheck: &Sumcheck) {
    let mut nonces = sumcheck.nonces.chunks(1);
    for message in &sumcheck.messages {
        bytes.elements(message.peek());
        bytes.values(nonces.next().unwrap_or_default());
    }
    nonces.for_each(|nonce| bytes.values(nonce));
}

fn encode_queries(bytes: &mut Bytes, queries: &Queries<KeccakSuite>) {
    bytes.values(&queries.nonces);
    for tree in &queries.trees {
        let leaves = tree.leaves.peek().iter();
        leaves.for_each(|leaf| bytes.values(leaf));
        bytes
            .digests
            .extend(tree.paths.sibling_hashes.as_flattened());
    }
}
