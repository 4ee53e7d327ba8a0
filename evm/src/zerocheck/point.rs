//! What depends on the points alone.

use droste_native::EF;
use p3_field::PrimeCharacteristicRing;

use crate::assembler::{Assembler, Expr, var};
use crate::constraints::word;
use crate::field::{ELEMENT_BYTES, Element};

fn one() -> Element {
    Element::constant(EF::ONE)
}

/// Writes three words for the last coordinate, the last two, and so on: the values of the selectors
/// of the first row, the last row, and transitions. The point begins at `point`.
pub(super) fn selectors(a: &mut Assembler, point: u64, coordinates: usize, to: u64) {
    if coordinates == 0 {
        return;
    }
    a.bind_element("first", one());
    a.bind_element("last", one());
    a.bind("coordinate", word(point, coordinates));
    a.bind("to", to);
    a.repeat_while(|a| {
        a.set("coordinate", var("coordinate") - ELEMENT_BYTES);
        let coordinate = || Element::load(var("coordinate"));
        a.set(
            "first",
            (Element::var("first") * (one() - coordinate())).expr,
        );
        a.set("last", (Element::var("last") * coordinate()).expr);
        a.store(var("to"), var("first"));
        a.store(var("to") + ELEMENT_BYTES, var("last"));
        let transition = one() - Element::var("last");
        a.store(var("to") + 2 * ELEMENT_BYTES, transition.value());
        a.advance("to", 3 * ELEMENT_BYTES);
        Expr::from(point).lt(var("coordinate"))
    });
}

/// Writes `eq` of the first `n` coordinates at block `i`, for each `n` up to `coordinates`, to word
/// `2^n + i` from `to` on. The point begins at `point`.
pub(super) fn tree(a: &mut Assembler, point: u64, coordinates: usize, to: u64) {
    a.store(word(to, 1), one().expr);
    if coordinates == 0 {
        return;
    }
    a.bind("coordinate", point);
    a.bind("from", word(to, 1));
    a.bind("to", word(to, 2));
    a.repeat_while(|a| {
        a.bind("end", var("to"));
        a.repeat_while(|a| {
            let upper = Element::load(var("from")) * Element::load(var("coordinate"));
            let upper = a.bind_element("upper", upper);
            let lower = Element::load(var("from")) - upper.clone();
            a.store(var("to"), lower.value());
            a.store(var("to") + ELEMENT_BYTES, upper.expr);
            a.advance("from", ELEMENT_BYTES);
            a.advance("to", 2 * ELEMENT_BYTES);
            var("from").lt(var("end"))
        });
        a.advance("coordinate", ELEMENT_BYTES);
        var("coordinate").lt(word(point, coordinates))
    });
}
