//! The final equation: weights of all claims at the point to which the variables are bound.

use droste_native::EF;
use droste_native::whir::{Claim, CommitmentStep, Rows};
use p3_field::PrimeCharacteristicRing;

use super::functions::{
    NUMBER_BITS, domain_point, equality_at_powers, horner, one, write_equalities,
};
use super::{Opening, UnsupportedOpening};
use crate::assembler::{Assembler, Expr, load, var};
use crate::constraints::word;
use crate::field::{ELEMENT_BYTES, Element};
use crate::selection;

/// A factor of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factor {
    /// The variable is zero.
    Zero,
    /// The variable is one.
    One,
    /// It is bit `t` of a slot: `y^(2^t)` if it is one, and one else.
    Slot(usize),
}

/// What is known of a claim about columns of a table when code is generated: all but the challenge
/// `y` that combines slots, and the point at which the table is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimShape {
    /// The factors of the first variables.
    factors: Vec<Factor>,
    /// Whether it is about the next rows.
    is_next: bool,
    /// Logarithm of the number of rows.
    log_height: usize,
}

impl ClaimShape {
    /// The shapes of claims, which were made with this `y`.
    ///
    /// # Errors
    /// If one of them is not about columns of a table.
    pub fn of(claims: &[Claim], y: EF) -> Result<Vec<Self>, UnsupportedOpening> {
        let shape = |claim: &Claim| {
            let factors = claim.factors.iter().map(|factor| match *factor {
                [EF::ONE, EF::ZERO] => Some(Factor::Zero),
                [EF::ZERO, EF::ONE] => Some(Factor::One),
                [EF::ONE, power] => {
                    let mut powers = (0..claim.factors.len()).map(|bit| y.exp_power_of_2(bit));
                    powers.position(|other| other == power).map(Factor::Slot)
                }
                _ => None,
            });
            Some(Self {
                factors: factors.collect::<Option<_>>()?,
                is_next: matches!(claim.rows, Rows::Next(_)),
                log_height: claim.rows.point().len(),
            })
        };
        let numbered = claims.iter().enumerate();
        let shapes =
            numbered.map(|(number, claim)| shape(claim).ok_or(UnsupportedOpening::Claim(number)));
        shapes.collect()
    }
}

/// Number of bits of a slot that a claim has at most.
pub(super) fn max_log_slots(claims: &[ClaimShape]) -> usize {
    let factors = claims.iter().flat_map(|claim| &claim.factors);
    let bits = factors.filter_map(|factor| match factor {
        Factor::Slot(bit) => Some(bit + 1),
        _ => None,
    });
    bits.max().unwrap_or(0)
}

/// The name of the function of a commitment's queried points.
fn weight_of(number: usize) -> String {
    format!("weight{number}")
}

impl Opening<'_> {
    /// Later commitments, from number one on, and the one before each.
    fn later(&self) -> impl Iterator<Item = (usize, &CommitmentStep, &CommitmentStep)> {
        let schedule = self.scheme.schedule();
        let later = schedule.commitments().enumerate().skip(1);
        let pairs = later.zip(schedule.commitments());
        pairs.map(|((number, step), previous)| (number, step, previous))
    }

    /// Defines the functions of queried points.
    pub(super) fn define_weights(&self, a: &mut Assembler) {
        for (number, step, _) in self.later() {
            let prepared = self.places.coordinates;
            selection::define_weight(a, weight_of(number), step.variables, prepared);
        }
    }

    /// Checks that the claim is the value of the final polynomial times that of all weights.
    pub(super) fn check_final_equation(&self, a: &mut Assembler) {
        self.write_complements(a);
        self.write_slots(a);
        a.block(|a| self.write_rows(a));
        let claims = self.write_claims(a);
        a.block(|a| {
            let combination = load(self.places.combination);
            let weight = horner(self.places.claims, claims, combination);
            a.bind_element("weight", weight);
            for (number, step, previous) in self.later() {
                a.block(|a| self.add_queries(a, number, step, previous));
            }
            let value = self.final_value(a);
            let difference = Element::load(self.places.sum) - value * Element::var("weight");
            a.revert_if(difference.is_nonzero());
        });
    }

    /// The end of the point.
    fn point_end(&self) -> u64 {
        word(self.places.point, self.scheme.layout().variables())
    }

    fn write_complements(&self, a: &mut Assembler) {
        let (from, to) = (self.places.point, self.places.complements);
        a.block(|a| {
            a.bind("from", from);
            a.repeat_while(|a| {
                let complement = one() - Element::load(var("from"));
                // Modulo 2^256, the distance may be negative.
                a.store(var("from") + (to - from), complement.value());
                a.advance("from", ELEMENT_BYTES);
                var("from").lt(self.point_end())
            });
        });
    }

    /// Writes `y^(2^t) - 1` for each bit of a slot.
    fn write_slots(&self, a: &mut Assembler) {
        a.block(|a| {
            a.bind("y", load(self.memory.slots));
            for bit in 0..max_log_slots(self.claims) {
                let y = || Element::var("y");
                a.store(word(self.places.powers, bit), (y() - one()).value());
                a.set("y", (y() * y()).expr);
            }
        });
    }

    /// Writes the weights of rows for each number of coordinates. From the last coordinate on:
    /// `carry` is the weight of rows whose bits so far are all zero while the point's are all one,
    /// `done` that of rows that are already the next of the point's, `ones` that of both bits being
    /// one throughout. The last row is its own next one.
    fn write_rows(&self, a: &mut Assembler) {
        let (places, memory) = (&self.places, &self.memory);
        for list in [places.same, places.next] {
            a.store(list, one().expr);
        }
        let coordinates = memory.opened_coordinates;
        if coordinates == 0 {
            return;
        }
        for name in ["same", "carry", "ones"] {
            a.bind(name, one().expr);
        }
        a.bind("done", 0);
        a.bind("z", word(memory.opened_point, coordinates));
        a.bind("x", self.point_end());
        a.bind("to", places.same);
        let element = |name: &'static str| Element::var(name);
        a.repeat_while(|a| {
            for name in ["z", "x"] {
                a.set(name, var(name) - ELEMENT_BYTES);
            }
            a.advance("to", ELEMENT_BYTES);
            let (z, x) = (|| Element::load(var("z")), || Element::load(var("x")));
            let both = a.bind_element("both", z() * x());
            let equal = both.clone().times(2) + one() - z() - x();
            let equal = a.bind_element("equal", equal);
            let next = element("done") * equal.clone() + element("carry") * (x() - both.clone());
            a.set("done", next.value());
            a.set("carry", (element("carry") * (z() - both.clone())).expr);
            a.set("ones", (element("ones") * both).expr);
            a.set("same", (element("same") * equal).expr);
            a.store(var("to"), var("same"));
            let next = element("done") + element("ones");
            a.store(var("to") + (places.next - places.same), next.value());
            Expr::from(memory.opened_point).lt(var("z"))
        });
    }

    /// Writes the weights of all claims. Returns where they end.
    fn write_claims(&self, a: &mut Assembler) -> u64 {
        let places = &self.places;
        let mut to = places.claims;
        for index in 0..self.num_outside() {
            let y = word(self.memory.outside, index);
            let weight = equality_at_powers(y, places.point, self.point_end());
            a.store(to, weight.expr);
            to += ELEMENT_BYTES;
        }
        for claim in self.claims {
            let rows = if claim.is_next {
                places.next
            } else {
                places.same
            };
            a.block(|a| {
                a.bind("weight", load(word(rows, claim.log_height)));
                for (variable, factor) in claim.factors.iter().enumerate() {
                    let coordinate = Element::load(word(places.point, variable));
                    let factor = match *factor {
                        Factor::Zero => Element::load(word(places.complements, variable)),
                        Factor::One => coordinate,
                        Factor::Slot(bit) => {
                            coordinate * Element::load(word(places.powers, bit)) + one()
                        }
                    };
                    a.set("weight", (factor * Element::var("weight")).expr);
                }
                a.store(to, var("weight"));
            });
            to += ELEMENT_BYTES;
        }
        to
    }

    /// Adds the weights of the values that were added to the claim with a later commitment: values
    /// outside the domain, and queries to the commitment before it.
    fn add_queries(
        &self,
        a: &mut Assembler,
        number: usize,
        step: &CommitmentStep,
        previous: &CommitmentStep,
    ) {
        let places = &self.places;
        let gamma = || Element::load(word(places.gammas, number));
        let bound = self.scheme.layout().variables() - step.variables;
        let rest = word(places.point, bound);
        selection::prepare(a, rest, step.variables, places.coordinates);
        let queries = places.queries(number - 1);
        a.bind("added", 0);
        a.bind("query", word(queries, previous.queries));
        a.repeat_while(|a| {
            a.set("query", var("query") - ELEMENT_BYTES);
            let index = load(var("query")) >> NUMBER_BITS;
            let x = domain_point(index, previous.log_leaves, self.log_domain());
            let weight = selection::weight(weight_of(number), x);
            a.set("added", ((weight + Element::var("added")) * gamma()).expr);
            Expr::from(queries).lt(var("query"))
        });
        for index in (0..step.outside).rev() {
            let y = places.later_outside(number, index);
            let weight = equality_at_powers(y, rest, self.point_end());
            a.set("added", ((weight + Element::var("added")) * gamma()).expr);
        }
        a.set(
            "weight",
            (Element::var("weight") + Element::var("added")).value(),
        );
    }

    /// The value of the final polynomial at the last coordinates.
    fn final_value(&self, a: &mut Assembler) -> Element {
        let places = &self.places;
        let variables = self.scheme.schedule().final_variables;
        if variables == 0 {
            return Element::load(places.final_polynomial);
        }
        let end = self.point_end();
        let start = end - ELEMENT_BYTES * variables as u64;
        write_equalities(a, start, end, places.table);
        a.bind("value", 0);
        a.bind("from", places.final_polynomial);
        a.repeat_while(|a| {
            let value = Element::load(var("from"));
            let distance = Expr::from(places.table) - places.final_polynomial;
            let weight = Element::load(var("from") + distance);
            a.set("value", (value * weight + Element::var("value")).value());
            a.advance("from", ELEMENT_BYTES);
            var("from").lt(word(places.final_polynomial, 1 << variables))
        });
        Element::var("value")
    }
}
