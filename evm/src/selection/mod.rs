//! Weights of queried points: `prod_i (1 + r_i (x^(2^i) - 1))` for a point `x` of the domain, which
//! is in the base field, and coordinates `r_i`, the last one first.
//!
//! Three factors at a time are multiplied out: with `y_i = x^(2^i) - 1`, their product is the sum
//! over all subsets `S` of the three of `r_S y_S`, products over the members of `S`. The eight
//! `r_S` are the same for all points of a commitment, so they are packed as the weights of a leaf
//! are ([`rows`]), and a point costs four products in the base field, a weighted sum, and one
//! multiplication.

#[cfg(test)]
mod tests;

use droste_native::EF;
use p3_field::PrimeCharacteristicRing;

use crate::assembler::{Assembler, Expr, Name, Op, call, load, var};
use crate::field::{ELEMENT_BYTES, Element, P, PRODUCT_MAX, joined};
use crate::rows::{self, products};

/// Coordinates that are multiplied out.
const GROUP: usize = 3;

/// Subsets of them.
const SUBSETS: usize = 1 << GROUP;

/// Bytes of what is prepared for so many coordinates.
pub const fn prepared_bytes(coordinates: usize) -> u64 {
    rows::prepared_bytes(SUBSETS) * coordinates.div_ceil(GROUP) as u64
}

/// Prepares the coordinates at `point`, consecutive elements in memory, and writes what is made of
/// them to `to`.
pub fn prepare(a: &mut Assembler, point: u64, coordinates: usize, to: u64) {
    let coordinate = |index: usize| match coordinates.checked_sub(index + 1) {
        Some(place) => load(point + ELEMENT_BYTES * place as u64),
        // A coordinate that is not there is zero, and its factor one.
        None => 0.into(),
    };
    for (first, group) in (0..coordinates).step_by(GROUP).zip(0..) {
        let place = to + rows::prepared_bytes(SUBSETS) * group;
        let group = [0, 1, 2].map(|index| coordinate(first + index));
        let arguments: Vec<Expr> = group.into_iter().chain([place.into()]).collect();
        a.call("pack_subsets", arguments);
    }
}

/// Defines the function that prepares three coordinates. Eight words from `scratch` on are written.
pub fn define(a: &mut Assembler, scratch: u64) {
    let place = |subset: usize| scratch + ELEMENT_BYTES * subset as u64;
    a.function("pack_subsets", ["r0", "r1", "r2", "to"], |a| {
        a.store(place(0), Element::constant(EF::ONE).expr);
        for (member, name) in ["r0", "r1", "r2"].into_iter().enumerate() {
            a.store(place(1 << member), var(name));
            // Those with smaller members alone, each with this one, too.
            for subset in 1..1 << member {
                let product = Element::load(place(subset)) * Element::var(name);
                a.store(place(subset | 1 << member), product.expr);
            }
        }
        let arguments = [place(0).into(), var("to"), place(SUBSETS).into(), 1.into()];
        a.call("pack", arguments);
        None
    });
}

/// Defines a function: the weight of a point, a number below `p`, for so many coordinates that are
/// prepared at `prepared`.
pub fn define_weight(a: &mut Assembler, name: impl Into<Name>, coordinates: usize, prepared: u64) {
    let product = |x: Expr, y: Expr| Expr::Op(Op::MulMod, vec![x, y, P.into()]);
    let less_one = |x: Expr| Expr::Op(Op::AddMod, vec![x, (P - 1).into(), P.into()]);
    // Values 7, 5, 3 and 1 of a word, or 6, 4, 2 and 0: the first one lowest.
    let packed = |[first, second, third, fourth]: [Expr; 4]| {
        let rest = [(second, 64), (third, 128), (fourth, 192)].into_iter();
        rest.fold(first, |sum, (value, bits)| (value << bits) | sum)
    };
    let end = prepared + prepared_bytes(coordinates);
    a.function(name, ["x"], |a| {
        a.bind("weights", prepared);
        a.bind_element("weight", Element::constant(EF::ONE));
        a.repeat_while(|a| {
            a.bind("even", 0);
            a.bind("odd", 0);
            a.block(|a| {
                for name in ["y0", "y1", "y2"] {
                    a.bind(name, less_one(var("x")));
                    a.set("x", product(var("x"), var("x")));
                }
                a.bind("y12", product(var("y1"), var("y2")));
                a.set("even", packed([var("y12"), var("y2"), var("y1"), 1.into()]));
                let with_first = ["y12", "y2", "y1"].map(|y| product(var(y), var("y0")));
                let [y12, y2, y1] = with_first;
                a.set("odd", packed([y12, y2, y1, var("y0")]));
            });
            let factor = joined(|lane| {
                let place = var("weights") + 2 * ELEMENT_BYTES * u64::from(lane);
                products(place).modulo(P)
            });
            let weight = Element::var("weight") * Element::new(factor, P - 1);
            a.set("weight", weight.expr);
            a.advance("weights", rows::prepared_bytes(SUBSETS));
            var("weights").lt(end)
        });
        Some(var("weight"))
    });
}

/// The weight of a point, by a function that [`define_weight`] has defined.
pub fn weight(name: impl Into<Name>, x: impl Into<Expr>) -> Element {
    Element::new(call(name, [x.into()]), PRODUCT_MAX)
}
