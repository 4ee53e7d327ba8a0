//! Functions that all commitments share.

use droste_native::{EF, F};
use p3_field::{PrimeCharacteristicRing, PrimeField32, TwoAdicField};

use super::places::Places;
use crate::assembler::{Assembler, Expr, Op, Word, call, load, var};
use crate::field::{ELEMENT_BYTES, Element, LEFT_MAX, P, PRODUCT_MAX, VALUE_MAX};
use crate::merkle::{self, NODE_BYTES};
use crate::{rows, selection};

/// Bits of a query below its index: its number.
pub(super) const NUMBER_BITS: u32 = 16;

/// Bits of an exponent that are looked up at once.
const WINDOW: usize = 3;

pub(super) fn one() -> Element {
    Element::constant(EF::ONE)
}

/// Defines the functions, for domains of at most `2^log_domain` points.
pub(super) fn define(a: &mut Assembler, places: &Places, log_domain: usize) {
    rows::define(a);
    selection::define(a, places.subsets);
    merkle::define(a, places.nodes);
    define_horner(a);
    define_equalities(a);
    define_sort(a);
    define_leaves(a, places);
    define_domain_point(a, log_domain);
    define_equality_at_powers(a);
}

/// The value at `x` of the polynomial whose coefficients, constant term first, are the words from
/// one place of the memory to another.
pub fn horner(start: u64, end: u64, x: impl Into<Expr>) -> Element {
    Element::new(
        call("horner", [start.into(), end.into(), x.into()]),
        LEFT_MAX,
    )
}

fn define_horner(a: &mut Assembler) {
    a.function("horner", ["start", "place", "x"], |a| {
        a.bind("value", 0);
        a.repeat_while(|a| {
            a.set("place", var("place") - ELEMENT_BYTES);
            // The value is a first factor and nothing else, so it may be as large as one.
            let value = Element::new(var("value"), LEFT_MAX) * Element::var("x");
            let value = value + Element::load(var("place"));
            a.set("value", value.folded(LEFT_MAX).expr);
            var("start").lt(var("place"))
        });
        Some(var("value"))
    });
}

/// Writes the values of `eq(z, .)` on the hypercube to `to`, for the point `z` from one place of
/// the memory to another, of at least one coordinate.
pub(super) fn write_equalities(a: &mut Assembler, start: u64, end: u64, to: u64) {
    a.call("equalities", [start.into(), end.into(), to.into()]);
}

/// From the last coordinate to the first: a coordinate doubles the table, and is its top bit.
fn define_equalities(a: &mut Assembler) {
    a.function("equalities", ["start", "coordinate", "to"], |a| {
        a.store(var("to"), one().expr);
        a.bind("end", var("to") + ELEMENT_BYTES);
        a.repeat_while(|a| {
            a.set("coordinate", var("coordinate") - ELEMENT_BYTES);
            a.bind("z", load(var("coordinate")));
            a.bind("lower", var("to"));
            a.bind("upper", var("end"));
            a.repeat_while(|a| {
                let value = a.bind_element("value", Element::load(var("lower")));
                let product = a.bind_element("product", value.clone() * Element::var("z"));
                a.store(var("upper"), product.expr.clone());
                // Both are positive sums of products: a fold keeps the difference short.
                a.store(var("lower"), (value - product).value());
                a.advance("lower", ELEMENT_BYTES);
                a.advance("upper", ELEMENT_BYTES);
                var("lower").lt(var("end"))
            });
            a.set("end", var("upper"));
            var("start").lt(var("coordinate"))
        });
        None
    });
}

/// Sorts the words from one place of the memory to another, at least two. The word in front of them
/// becomes zero.
pub(super) fn sort(a: &mut Assembler, start: u64, end: u64) {
    a.call("sort", [start.into(), end.into()]);
}

fn define_sort(a: &mut Assembler) {
    a.function("sort", ["start", "end"], |a| {
        // What is in front is not larger than anything.
        a.store(var("start") - ELEMENT_BYTES, 0);
        a.bind("next", var("start") + ELEMENT_BYTES);
        a.repeat_while(|a| {
            a.bind("word", load(var("next")));
            a.bind("place", var("next"));
            a.repeat_while(|a| {
                a.set("place", var("place") - ELEMENT_BYTES);
                a.bind("other", load(var("place")));
                a.store(var("place") + ELEMENT_BYTES, var("other"));
                var("word").lt(var("other"))
            });
            a.store(var("place") + ELEMENT_BYTES, var("word"));
            a.advance("next", ELEMENT_BYTES);
            var("next").lt(var("end"))
        });
        None
    });
}

/// Lists the leaves of sorted queries as nodes, each once. Reverts if two queries of one leaf have
/// different ones. The leaves are at this place of the calldata, in order of the queries' numbers.
/// The value of the expression is where the list ends.
pub(super) fn listed(leaves: u64, length: u64, end: u64) -> Expr {
    call("list_leaves", [leaves.into(), length.into(), end.into()])
}

fn define_leaves(a: &mut Assembler, places: &Places) {
    a.function("list_leaves", ["leaves", "length", "last"], |a| {
        a.bind("end", places.nodes);
        a.bind("query", places.sorted);
        // In front of the first leaf is none with its index.
        a.store(places.nodes - NODE_BYTES, Word::from_limbs([u64::MAX; 4]));
        a.repeat_while(|a| {
            let number = load(var("query")) & ((1 << NUMBER_BITS) - 1);
            let place = number * var("length") + var("leaves");
            let copied = vec![places.leaf.into(), place, var("length")];
            a.run(Op::CallDataCopy, copied);
            let digest = vec![places.leaf.into(), var("length")];
            a.bind("digest", Expr::Op(Op::Keccak256, digest));
            a.bind("index", load(var("query")) >> NUMBER_BITS);
            let equal = |x: Expr, y: Expr| Expr::Op(Op::Eq, vec![x, y]);
            let before = || load(var("end") - NODE_BYTES);
            a.run_either(
                equal(before(), var("index")),
                |a| {
                    let before = load(var("end") - ELEMENT_BYTES);
                    a.revert_if(Expr::Op(Op::Xor, vec![before, var("digest")]));
                },
                |a| {
                    a.store(var("end"), var("index"));
                    a.store(var("end") + ELEMENT_BYTES, var("digest"));
                    a.advance("end", NODE_BYTES);
                },
            );
            a.advance("query", ELEMENT_BYTES);
            var("query").lt(var("last"))
        });
        Some(var("end"))
    });
}

/// The point at an index of a domain of `2^log_leaves` points, where the largest one has
/// `2^log_domain`: a number below `p`.
pub(super) fn domain_point(index: Expr, log_leaves: usize, log_domain: usize) -> Expr {
    let bits = (log_domain - log_leaves) as u32;
    let index = if bits == 0 { index } else { index << bits };
    call("domain_point", [index])
}

fn define_domain_point(a: &mut Assembler, log_domain: usize) {
    let generator = F::two_adic_generator(log_domain);
    a.function("domain_point", ["index"], |a| {
        a.bind("x", 1);
        for low in (0..log_domain).step_by(WINDOW) {
            let base = generator.exp_power_of_2(low);
            let powers = base.powers().take(1 << WINDOW);
            let powers: Vec<u64> = powers
                .map(|power| power.as_canonical_u32().into())
                .collect();
            let digit = match low {
                0 => var("index"),
                _ => var("index") >> low as u32,
            };
            let bits = (digit & ((1_u64 << WINDOW) - 1)) << 5;
            let power = Expr::Op(Op::Shr, vec![bits, Word::from_lanes(32, &powers).into()]);
            let power = power & u64::from(u32::MAX);
            a.set("x", Expr::Op(Op::MulMod, vec![power, var("x"), P.into()]));
        }
        Some(var("x"))
    });
}

/// The weight at a point of the claim about the value at the powers of `y`. The point is from one
/// place of the memory to another.
pub(super) fn equality_at_powers(y: u64, start: u64, end: u64) -> Element {
    let arguments = [load(y), start.into(), end.into()];
    Element::new(call("equality_at_powers", arguments), PRODUCT_MAX)
}

fn define_equality_at_powers(a: &mut Assembler) {
    const { assert!(PRODUCT_MAX <= VALUE_MAX) };
    a.function("equality_at_powers", ["y", "start", "coordinate"], |a| {
        a.bind_element("weight", one());
        a.repeat_while(|a| {
            a.set("coordinate", var("coordinate") - ELEMENT_BYTES);
            let y = || Element::var("y");
            let r = || Element::load(var("coordinate"));
            // `(1 - y) (1 - r) + y r`
            let factor = (r().times(2) - one()) * y() + one() - r();
            a.set("weight", (factor * Element::var("weight")).expr);
            a.set("y", (y() * y()).expr);
            var("start").lt(var("coordinate"))
        });
        Some(var("weight"))
    });
}
