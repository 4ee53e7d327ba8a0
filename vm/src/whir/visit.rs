//! The order of a proof's parts.

use droste_native::HashSuite;
use droste_native::visit::Visitor;

use super::proof::StarkProof;
use super::zerocheck::Opened;

impl<H: HashSuite> StarkProof<H> {
    /// Visits all parts, in the order in which the transcript observes them.
    pub fn visit<'a>(&'a self, visitor: &mut impl Visitor<'a, Suite = H>) {
        visitor.commitment(self.commitment.peek());
        visitor.one_by_one(&self.outside);
        visitor.nonces(&self.lookup_nonces);
        self.fractions.visit(visitor);
        for round in &self.zerocheck.rounds {
            visitor.elements(round.peek());
        }
        for values in self.opened.peek().iter().flat_map(Opened::kinds) {
            visitor.elements(values);
        }
        self.opening.visit(visitor);
    }
}
