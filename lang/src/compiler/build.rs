//! Builds the intermediate representation. It folds constants, shares equal pure operations within
//! their scope, and makes values of outer frames accessible.

mod describe;

use std::collections::{HashMap, HashSet};

use droste_native::{ChallengeField, F};
use p3_field::PrimeCharacteristicRing;

use super::ir::*;
use super::output::Location;
use crate::isa::id;

pub use describe::Asserted;
use describe::Unrolled;

/// Identifies a pure operation, so that equal ones can share one result.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Key {
    Add(Word, Word),
    Sub(Word, Word),
    Mul(Word, Word),
    Deref(Word, Word),
    OuterAddress(Word, Area, u32),
    /// A precompile whose result is the omitted operand.
    Call(u32, [Option<Word>; 4], u32),
    /// A block of eight lanes.
    Lanes([Word; 8]),
    /// An extension element of five coefficients.
    Coefficients([Word; 5]),
    /// That the block at this address holds the canonical words of an element of BabyBear^4.
    Canonical(Word),
}

#[derive(Clone, Copy)]
enum Shared {
    Word(Word),
    Area(Area),
}

/// Operations that run together: either all of them, or none.
pub struct Scope {
    pub frame: Frame,
    pub ops: Vec<Op>,
    shared: HashMap<Key, Shared>,
}

/// State that trial evaluation of a loop body must not change.
#[derive(Clone, Copy)]
pub struct Counters {
    /// Position on the tape, if the compiler knows it.
    pub tape: Option<u32>,
    /// Number of blocks read from the tape since the function or loop body began, if it is known.
    pub consumed: Option<u32>,
    pub public_inputs: usize,
    pub public_outputs: usize,
}

impl Counters {
    /// Records that blocks are read from the tape. Their number may be unknown.
    pub fn advance(&mut self, blocks: Option<u32>) {
        let add = |count: Option<u32>| count.zip(blocks).and_then(|(a, b)| a.checked_add(b));
        (self.tape, self.consumed) = (add(self.tape), add(self.consumed));
    }

    /// Begins a function or a loop body, in which positions on the tape are unknown.
    pub fn enter(&mut self) {
        (self.tape, self.consumed) = (None, Some(0));
    }
}

/// Builder of an [`Ir`].
pub struct Builder {
    pub ir: Ir,
    pub scopes: Vec<Scope>,
    pub location: Location,
    pub counters: Counters,
    constants: HashMap<[F; 8], Area>,
    /// Areas all of whose blocks are extension elements because of the constraint that defines
    /// them.
    pub extensions: HashSet<Area>,
    pub statement: Area,
    pub entry_frame: Frame,
    /// Number of operations that were emitted, those included that were discarded again.
    pub operations: usize,
    /// Identities of the precompiles that have given the round constants of others.
    pub given_constants: HashSet<u32>,
    /// Whether anything may depend on the challenge field already.
    field_is_used: bool,
    asserted: Asserted,
    unrolled: Vec<Unrolled>,
}

impl Builder {
    pub fn new() -> Self {
        let mut builder = Self {
            ir: Ir::default(),
            scopes: Vec::new(),
            location: Location::default(),
            counters: Counters {
                tape: Some(0),
                consumed: Some(0),
                public_inputs: 0,
                public_outputs: 0,
            },
            constants: HashMap::new(),
            extensions: HashSet::new(),
            statement: 0,
            entry_frame: MAIN,
            operations: 0,
            given_constants: HashSet::new(),
            field_is_used: false,
            asserted: Asserted::default(),
            unrolled: Vec::new(),
        };
        builder.frame(None);
        builder.push_scope(MAIN);
        builder.statement = builder.area_of(AreaKind::Statement, 1);
        builder
    }

    /// Returns the challenge field. It cannot be chosen any more.
    pub fn field(&mut self) -> ChallengeField {
        self.field_is_used = true;
        self.ir.field
    }

    /// Returns the degree of the challenge field, which cannot be chosen any more.
    pub fn degree(&mut self) -> usize {
        self.field().degree()
    }

    /// Returns whether elements are of BabyBear^4, which cannot be chosen any more.
    pub fn is_baby_bear(&mut self) -> bool {
        self.field() == ChallengeField::BabyBear
    }

    /// Takes this challenge field instead of the usual one, unless the program has begun or has
    /// chosen before. Returns whether it did.
    pub fn choose(&mut self, field: ChallengeField) -> bool {
        let usual = self.ir.field == ChallengeField::default();
        let is_first = self.emitted() == 0 && !self.field_is_used && usual;
        if is_first {
            self.ir.field = field;
        }
        is_first
    }

    /// Makes a new frame.
    pub fn frame(&mut self, parent: Option<Frame>) -> Frame {
        let frame = self.ir.frames.len() as Frame;
        self.ir.vars.push(frame);
        self.ir.frames.push(FrameInfo {
            parent,
            outer: self.ir.vars.len() as Var - 1,
        });
        frame
    }

    pub fn push_scope(&mut self, frame: Frame) {
        self.scopes.push(Scope {
            frame,
            ops: Vec::new(),
            shared: HashMap::new(),
        });
    }

    pub fn pop_scope(&mut self) -> Scope {
        self.scopes.pop().expect("scopes are balanced")
    }

    pub fn current_frame(&self) -> Frame {
        self.scopes.last().map_or(MAIN, |scope| scope.frame)
    }

    /// Makes a word in a given frame.
    pub fn var_in(&mut self, frame: Frame) -> Var {
        self.ir.vars.push(frame);
        self.ir.vars.len() as Var - 1
    }

    pub fn var(&mut self) -> Var {
        self.var_in(self.current_frame())
    }

    fn area_of(&mut self, kind: AreaKind, size: u32) -> Area {
        self.ir.areas.push(AreaInfo {
            frame: self.current_frame(),
            kind,
            size,
            pinned: false,
        });
        self.ir.areas.len() as Area - 1
    }

    /// Makes an area of new blocks in the current frame.
    pub fn area(&mut self, size: u32) -> Area {
        let global = self.current_frame() == MAIN;
        self.area_of(AreaKind::Local { global }, size)
    }

    /// Makes an area of new blocks in a frame, at a place relative to it.
    pub fn area_in(&mut self, frame: Frame, size: u32) -> Area {
        let area = self.area_of(AreaKind::Local { global: false }, size);
        self.ir.areas[area as usize].frame = frame;
        area
    }

    /// Makes an area for blocks of the tape at a known position.
    pub fn tape_area(&mut self, position: u32, size: u32) -> Area {
        self.area_of(AreaKind::Tape(position), size)
    }

    /// Returns a block of the constant pool.
    pub fn constant(&mut self, lanes: [F; 8]) -> Area {
        if let Some(area) = self.constants.get(&lanes) {
            return *area;
        }
        let index = self.ir.constants.len() as u32;
        self.ir.constants.push(lanes);
        let area = self.area_of(AreaKind::Constant(index), 1);
        self.constants.insert(lanes, area);
        area
    }

    /// Returns a number that grows with whatever a run does.
    pub fn emitted(&self) -> usize {
        let Counters {
            public_inputs,
            public_outputs,
            ..
        } = self.counters;
        self.operations + public_inputs + public_outputs
    }

    pub fn push(&mut self, kind: OpKind) {
        let location = self.location;
        self.operations += 1;
        let check = self.check(&kind);
        if let Some(scope) = self.scopes.last_mut() {
            scope.ops.push(Op {
                kind,
                location,
                check,
            });
        }
    }

    fn find(&self, key: &Key) -> Option<Shared> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.shared.get(key).copied())
    }

    /// Says that an operation of the present scope asserts that the block at an address holds the
    /// canonical words of an element of BabyBear^4.
    pub fn set_canonical(&mut self, address: Word) {
        self.share(Key::Canonical(address), Shared::Word(address));
    }

    /// Returns whether what runs before asserts this of a block.
    pub fn is_canonical(&self, address: Word) -> bool {
        self.find(&Key::Canonical(address)).is_some()
    }

    fn share(&mut self, key: Key, value: Shared) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.shared.insert(key, value);
        }
    }

    /// Returns the operand in the form in which the current frame can use it.
    pub fn reach(&mut self, word: Word) -> Word {
        let here = self.current_frame();
        match word {
            Word::Const(_) => word,
            Word::Var(var) => {
                let frame = self.ir.vars[var as usize];
                if frame == here {
                    return word;
                }
                let pointer = self.outer_pointer(frame);
                let found = self.define(Key::Deref(pointer, word), |builder, def| {
                    let cell = Displacement::Cell(var);
                    builder.push(OpKind::Deref(pointer, cell, Word::Var(def), Def::Var(def)));
                });
                self.reach(found)
            }
            Word::Address(area, offset) => {
                let info = self.ir.areas[area as usize];
                let fixed = !matches!(info.kind, AreaKind::Local { global: false });
                if info.frame != here {
                    self.ir.areas[area as usize].pinned = true;
                }
                if fixed || info.frame == here {
                    return word;
                }
                let pointer = self.outer_pointer(info.frame);
                let key = Key::OuterAddress(pointer, area, offset);
                let found = self.define(key, |builder, def| {
                    builder.push(OpKind::OuterAddress(pointer, area, offset, def));
                });
                self.reach(found)
            }
        }
    }

    /// Returns the frame pointer of an enclosing frame.
    fn outer_pointer(&mut self, target: Frame) -> Word {
        let mut frame = self.current_frame();
        loop {
            let info = self.ir.frames[frame as usize];
            match info.parent {
                Some(parent) if parent != target => frame = parent,
                _ => return self.reach(Word::Var(info.outer)),
            }
        }
    }

    /// Asserts `a + b = c`, or `a * b = c`.
    pub fn relation(&mut self, multiply: bool, a: Word, b: Word, c: Word) {
        let words = [a, b, c].map(|word| self.reach(word));
        self.push(OpKind::Relation(multiply, words, Def::None));
    }

    /// Returns the word that an equal operation defined before, or a new one that `build` defines.
    fn define(&mut self, key: Key, build: impl FnOnce(&mut Self, Var)) -> Word {
        if let Some(Shared::Word(word)) = self.find(&key) {
            return word;
        }
        let def = self.var();
        build(self, def);
        self.share(key, Shared::Word(Word::Var(def)));
        Word::Var(def)
    }

    /// Like [`Self::define`], for an area of `size` blocks.
    fn define_area(&mut self, key: Key, size: u32, build: impl FnOnce(&mut Self, Area)) -> Area {
        if let Some(Shared::Area(area)) = self.find(&key) {
            return area;
        }
        let area = self.area(size);
        build(self, area);
        self.share(key, Shared::Area(area));
        area
    }

    pub fn add(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Const(a), Word::Const(b)) => return Word::Const(a + b),
            (Word::Const(F::ZERO), other) | (other, Word::Const(F::ZERO)) => return other,
            _ => {}
        }
        let (a, b) = ordered(a, b);
        self.define(Key::Add(a, b), |builder, def| {
            let words = [builder.reach(a), builder.reach(b), Word::Var(def)];
            builder.push(OpKind::Relation(false, words, Def::Var(def)));
        })
    }

    pub fn sub(&mut self, a: Word, b: Word) -> Word {
        if a == b {
            return Word::Const(F::ZERO);
        }
        if let Word::Const(b) = b {
            return self.add(a, Word::Const(-b));
        }
        self.define(Key::Sub(a, b), |builder, def| {
            let (a, b) = (builder.reach(a), builder.reach(b));
            let words = [b, Word::Var(def), a];
            builder.push(OpKind::Relation(false, words, Def::Var(def)));
        })
    }

    pub fn mul(&mut self, a: Word, b: Word) -> Word {
        match (a, b) {
            (Word::Const(a), Word::Const(b)) => return Word::Const(a * b),
            (Word::Const(F::ONE), other) | (other, Word::Const(F::ONE)) => return other,
            (Word::Const(F::ZERO), _) | (_, Word::Const(F::ZERO)) => return Word::Const(F::ZERO),
            _ => {}
        }
        let (a, b) = ordered(a, b);
        self.define(Key::Mul(a, b), |builder, def| {
            let words = [builder.reach(a), builder.reach(b), Word::Var(def)];
            builder.push(OpKind::Relation(true, words, Def::Var(def)));
        })
    }

    /// Asserts that two words are equal. Returns `false` if they are different constants.
    pub fn assert_equal(&mut self, a: Word, b: Word) -> bool {
        match (a, b) {
            _ if a == b => true,
            (Word::Const(_), Word::Const(_)) => false,
            _ => {
                self.relation(false, a, Word::Const(F::ZERO), b);
                true
            }
        }
    }

    /// Returns the inverse of a word. The constraint fails if the word is zero.
    pub fn inverse(&mut self, a: Word) -> Word {
        let key = Key::Call(u32::MAX, [Some(a), None, None, None], 0);
        self.define(key, |builder, def| {
            let words = [builder.reach(a), Word::Var(def), Word::Const(F::ONE)];
            builder.push(OpKind::Relation(true, words, Def::Var(def)));
        })
    }

    /// Returns one if the words are equal, otherwise zero.
    pub fn equal(&mut self, a: Word, b: Word) -> Word {
        let key = Key::Call(u32::MAX, [Some(a), Some(b), None, None], 1);
        if let Some(Shared::Word(word)) = self.find(&key) {
            return word;
        }
        let difference = self.sub(a, b);
        let difference = self.reach(difference);
        let (flag, inverse) = (self.var(), self.var());
        let zero = Word::Const(F::ZERO);
        self.push(OpKind::Hint(HintOp::Equal {
            def: flag,
            a: difference,
            b: zero,
        }));
        self.push(OpKind::Hint(HintOp::Inverse {
            def: inverse,
            of: difference,
        }));
        self.relation(true, difference, Word::Var(flag), zero);
        let product = self.mul(difference, Word::Var(inverse));
        self.relation(false, product, Word::Var(flag), Word::Const(F::ONE));
        self.share(key, Shared::Word(Word::Var(flag)));
        Word::Var(flag)
    }

    /// Calls a precompile that defines `size` blocks. Their address is operand `position`.
    ///
    /// The operand at `position` of `operands` is ignored.
    pub fn call_area(
        &mut self,
        identity: u32,
        mut operands: [Word; 4],
        e: u32,
        position: usize,
        size: u32,
    ) -> Area {
        let mut known = operands.map(Some);
        known[position] = None;
        // The position distinguishes a call that is solved for an operand from one that is
        // evaluated.
        let key = Key::Call(identity, known, e | (position as u32) << 28);
        self.define_area(key, size, |builder, area| {
            for (index, operand) in operands.iter_mut().enumerate() {
                *operand = if index == position {
                    Word::Address(area, 0)
                } else {
                    builder.reach(*operand)
                };
            }
            builder.push(OpKind::Call(identity, operands, e, Def::Area(area)));
        })
    }

    /// Calls a precompile that only asserts.
    pub fn call_assert(&mut self, identity: u32, operands: [Word; 4], e: u32) {
        let operands = operands.map(|operand| self.reach(operand));
        self.push(OpKind::Call(identity, operands, e, Def::None));
    }

    /// Returns one lane of the block at an address.
    pub fn lane(&mut self, address: Word, lane: u32) -> Word {
        let key = Key::Call(id::LANE, [Some(address), None, None, None], lane);
        self.define(key, |builder, def| {
            let zero = Word::Const(F::ZERO);
            let operands = [builder.reach(address), Word::Var(def), zero, zero];
            builder.push(OpKind::Call(id::LANE, operands, lane, Def::Var(def)));
        })
    }

    /// Makes a block of eight words.
    pub fn block_of(&mut self, lanes: &[Word; 8]) -> Area {
        let store = |builder: &mut Self, area| builder.store_lanes(area, 0, lanes);
        self.define_area(Key::Lanes(*lanes), 1, store)
    }

    /// Writes the first lanes of a block of a new area.
    pub fn store_lanes(&mut self, area: Area, offset: u32, lanes: &[Word]) {
        let zero = Word::Const(F::ZERO);
        for (lane, word) in lanes.iter().enumerate() {
            let operands = [Word::Address(area, offset), self.reach(*word), zero, zero];
            let (e, def) = (lane as u32, Def::Area(area));
            self.push(OpKind::Call(id::LANE, operands, e, def));
        }
    }

    /// Makes an extension element of its coefficients. At degree 4 the last word is zero. It is not
    /// for BabyBear^4, whose blocks hold the limbs of other words.
    pub fn extension_of(&mut self, coefficients: &[Word; 5]) -> Area {
        let degree = self.degree();
        self.define_area(Key::Coefficients(*coefficients), 1, |builder, area| {
            builder.store_lanes(area, 0, &coefficients[..degree]);
            // The other lanes are zero: the element is itself times one.
            let (address, one) = (Word::Address(area, 0), Word::Const(F::ONE));
            let operands = [address, one, Word::Const(F::ZERO), address];
            builder.push(OpKind::Call(id::EXT, operands, 3, Def::Area(area)));
        })
    }
}

/// Returns the operands of a commutative operation in canonical order: constants last.
fn ordered(a: Word, b: Word) -> (Word, Word) {
    let rank = |word: Word| match word {
        Word::Var(var) => (0, var, 0),
        Word::Address(area, offset) => (1, area, offset),
        Word::Const(_) => (2, 0, 0),
    };
    if rank(a) <= rank(b) { (a, b) } else { (b, a) }
}
