//! Elements of the extension field as blocks of memory.

use std::rc::Rc;

use super::arith::*;
use super::*;
use crate::compiler::build::Asserted;
use crate::compiler::ir::{OpKind, Word};
use crate::compiler::output::Relation;
use crate::compiler::value::{Block, Ext, Pointer};
use crate::isa::id;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

impl Evaluator<'_> {
    /// Returns the block of an element, for `as_block`.
    pub(super) fn ext_block(&mut self, value: &Ext) -> Block {
        match value {
            Ext::Const(coefficients) => Block::Const(std::array::from_fn(|i| {
                coefficients.get(i).copied().unwrap_or(F::ZERO)
            })),
            Ext::Coefficients(words) => Block::Lanes(Rc::new(std::array::from_fn(|i| {
                words.get(i).copied().unwrap_or(ZERO)
            }))),
            value => {
                let word = self.ext_address(value);
                Block::At(Pointer::at(word))
            }
        }
    }

    /// Returns the element in a block of this frame, unless it is already at a fixed address.
    pub(super) fn pin(&mut self, value: &Ext) -> Ext {
        let from = self.ext_address(value);
        let placed = Ext::At(Pointer {
            word: from,
            distance: 0,
        });
        if self.is_fixed(&Value::Ext(placed.clone())) {
            return placed;
        }
        let (to, from) = (self.builder.area(1), self.builder.reach(from));
        self.builder.push(OpKind::CopyBlock(to, 0, from));
        Ext::At(Pointer::area(to))
    }

    /// Returns the element of a block. Asserts that the block's lanes after the coefficients are
    /// zero.
    pub(super) fn block_ext(&mut self, block: &Block, span: Span) -> Eval<Ext> {
        let degree = self.builder.degree();
        let message = || format!("lanes {degree} to 7 of this block are not zero");
        match block {
            Block::Const(lanes) => {
                if lanes[degree..].iter().any(|lane| *lane != F::ZERO) {
                    return fail(span, message());
                }
                Ok(Ext::Const(std::array::from_fn(|i| lanes[i])))
            }
            Block::Lanes(words) => {
                for word in &words[degree..] {
                    if !self.builder.assert_equal(*word, ZERO) {
                        return fail(span, message());
                    }
                }
                Ok(Ext::Coefficients(Rc::new(std::array::from_fn(|i| {
                    if i < degree { words[i] } else { ZERO }
                }))))
            }
            Block::At(pointer) => Ok(self.assert_extension(*pointer)),
        }
    }

    /// Returns the element at an address. Asserts that the lanes after its coefficients are zero:
    /// it equals itself times one.
    pub(super) fn assert_extension(&mut self, pointer: Pointer) -> Ext {
        if let Word::Address(area, _) = pointer.word
            && self.builder.extensions.contains(&area)
        {
            return Ext::At(pointer);
        }
        let word = self.pointer(pointer);
        if matches!(self.builder.reach(word), Word::Var(_)) {
            let copy = self.ext_call([word, ONE, ZERO, ZERO], 3, 3);
            return Self::as_ext(Operand::Block(copy));
        }
        let relation = Relation::Extension(self.builder.degree() as u32);
        self.builder.asserting(Asserted::of(relation), |builder| {
            builder.call_assert(id::EXT, [word, ONE, ZERO, word], 3)
        });
        Ext::At(pointer)
    }
}
