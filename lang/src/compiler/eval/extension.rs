//! Elements of the extension field as blocks of memory.

use std::rc::Rc;

use super::arith::*;
use super::*;
use crate::compiler::build::Asserted;
use crate::compiler::ir::{OpKind, Word};
use crate::compiler::output::Relation;
use crate::compiler::value::{Block, Ext, Pointer};
use droste_native::precompile::baby_bear_from_block;
use droste_native::{AnyChallenge, F};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

impl Evaluator<'_> {
    /// Returns the block of an element, for `as_block`.
    pub(super) fn ext_block(&mut self, value: &Ext) -> Block {
        match value {
            Ext::Const(coefficients) => Block::Const(self.element_lanes(coefficients)),
            Ext::Coefficients(words) => Block::Lanes(Rc::new(std::array::from_fn(|i| {
                words.get(i).copied().unwrap_or(ZERO)
            }))),
            value => {
                let word = self.ext_address(value);
                if self.builder.is_baby_bear() {
                    // A result may be another representative, by which its words are no function
                    // of the element.
                    self.assert_extension(Pointer::at(word));
                }
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

    /// Returns the base field element of a word as an extension element.
    pub(super) fn embedded(&mut self, word: Word, span: Span) -> Eval<Ext> {
        if !self.builder.is_baby_bear() {
            return Ok(Ext::Scalar(word));
        }
        let Word::Const(value) = word else {
            return unknown_element(span);
        };
        self.check_integer(u64::from(value.as_canonical_u32()), span)?;
        Ok(Ext::Const(constant_term(value)))
    }

    /// Refuses an integer that is no coefficient of BabyBear^4. For other fields it is reduced.
    pub(super) fn check_integer(&mut self, integer: u64, span: Span) -> Eval<()> {
        let modulus = self.builder.field().modulus();
        if !self.builder.is_baby_bear() || integer < u64::from(modulus) {
            return Ok(());
        }
        let message = format!("{integer} is no element of BabyBear");
        fail_help(span, message, format!("integers are below {modulus}"))
    }

    /// Returns the element of a block. Asserts that the block's lanes after the coefficients are
    /// zero or, in BabyBear, that its words are canonical.
    pub(super) fn block_ext(&mut self, block: &Block, span: Span) -> Eval<Ext> {
        if self.builder.is_baby_bear() {
            return self.block_words(block, span);
        }
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

    /// Returns the element of BabyBear^4 whose words' limbs are the lanes of a block.
    fn block_words(&mut self, block: &Block, span: Span) -> Eval<Ext> {
        match block {
            Block::Const(lanes) => match baby_bear_from_block(lanes, true) {
                Ok(element) => Ok(Ext::Const(element.cells())),
                Err(error) => fail(span, error.to_string()),
            },
            block => {
                let word = self.block_address(block);
                Ok(self.assert_extension(Pointer::at(word)))
            }
        }
    }

    /// Returns the element at an address. Asserts that the lanes after its coefficients are zero
    /// or, in BabyBear, that its words are canonical: it equals itself times one.
    pub(super) fn assert_extension(&mut self, pointer: Pointer) -> Ext {
        if let Word::Address(area, _) = pointer.word
            && self.builder.extensions.contains(&area)
        {
            return Ext::At(pointer);
        }
        let word = self.pointer(pointer);
        if matches!(self.builder.reach(word), Word::Var(_)) {
            let copy = self.ext_call([word, ONE, ZERO, ZERO], 3, 3);
            return self.as_ext(Operand::Block(copy));
        }
        if self.builder.is_canonical(word) {
            return Ext::At(pointer);
        }
        let relation = Relation::Extension(self.builder.field());
        let around = self.builder.assert_next(Asserted::of(relation));
        self.ext_assert([word, ONE, ZERO, word], 3);
        self.builder.assert_next(around);
        Ext::At(pointer)
    }
}

/// Returns the error for an element of BabyBear^4 that only a run knows.
pub(super) fn unknown_element<T>(span: Span) -> Eval<T> {
    let help = "a Felt is an element of KoalaBear: hint an Ext, or make it of the limbs of its \
                words, `Block::new([..]).as_ext()`";
    fail_help(
        span,
        "an Ext of BabyBear takes only elements known while compiling",
        help,
    )
}
