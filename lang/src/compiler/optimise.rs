//! Drops what nothing uses, and lets a result be written straight into the cell it is compared
//! with.

use std::collections::HashMap;

use super::ir::*;
use crate::isa::id;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

/// Which words and areas are used, and how often.
pub struct Uses {
    pub vars: Vec<u32>,
    pub areas: Vec<u32>,
}

impl Uses {
    fn word(&mut self, word: Word) {
        match word {
            Word::Var(var) => self.vars[var as usize] += 1,
            Word::Address(area, _) => self.areas[area as usize] += 1,
            Word::Const(_) => {}
        }
    }

    fn defines(&self, def: Def) -> bool {
        match def {
            Def::None => true,
            Def::Var(var) => self.vars[var as usize] > 0,
            Def::Area(area) => self.areas[area as usize] > 0,
        }
    }
}

/// Optimises the program in place; the uses that remain are exact.
pub fn optimise(ir: &mut Ir) -> Uses {
    let uses = prune(ir);
    fuse(&mut ir.main, &ir.areas, &uses);
    for function in &mut ir.functions {
        fuse(&mut function.body, &ir.areas, &uses);
    }
    prune(ir)
}

/// Removes what nothing uses until nothing more goes: a branch that has become empty frees its
/// condition, a carried value that is gone frees what it was made of.
fn prune(ir: &mut Ir) -> Uses {
    loop {
        let uses = count(ir);
        let mut removed = sweep(&mut ir.main, &uses);
        for function in &mut ir.functions {
            removed |= sweep(&mut function.body, &uses);
        }
        if !removed {
            return uses;
        }
    }
}

/// Counts what live operations use.
fn count(ir: &Ir) -> Uses {
    let mut uses = Uses {
        vars: vec![0; ir.vars.len()],
        areas: vec![0; ir.areas.len()],
    };
    for function in &ir.functions {
        for var in &function.words {
            uses.word(Word::Var(*var));
        }
        for area in &function.blocks {
            uses.word(Word::Address(*area, 0));
        }
        live(&function.body, &mut uses);
    }
    // Last: functions may name blocks of `main` by their fixed addresses.
    live(&ir.main, &mut uses);
    uses
}

/// Whether an operation asserts something besides defining a value.
fn asserts(kind: &OpKind) -> bool {
    match kind {
        // Solving a product for a factor asserts that the other is not zero.
        OpKind::Relation {
            multiply: true,
            c,
            def: Def::Var(var),
            ..
        } => *c != Word::Var(*var),
        // Solving for a factor asserts that the other is not zero; an element times one, plus zero, is a
        // copy of a block that is asserted to hold an element.
        OpKind::Call {
            id: id::EXT,
            a,
            b,
            c,
            e,
            def: Def::Area(area),
            ..
        } => match *a == Word::Address(*area, 0) {
            true => e & 1 == 0,
            false => (*b, *c, *e) == (Word::Const(F::ONE), Word::Const(F::ZERO), 3),
        },
        OpKind::Call { id, def, .. } => {
            matches!(def, Def::None)
                || !matches!(
                    *id,
                    id::EXT
                        | id::LANE
                        | id::HORNER
                        | id::UNPACK
                        | id::POSEIDON16_COMPRESS
                        | id::BLOCK_EQ
                )
        }
        // A word of `Words`, which must be written before it is read.
        OpKind::Deref {
            displacement: Displacement::Zero,
            ..
        } => true,
        OpKind::Hint(HintOp::Felt(_) | HintOp::Ext(_) | HintOp::Slice { .. }) => true,
        OpKind::If { .. } | OpKind::Loop(_) | OpKind::Invoke(_) => true,
        _ => false,
    }
}

fn definition(kind: &OpKind) -> Def {
    match kind {
        OpKind::Relation { def, .. } | OpKind::Deref { def, .. } | OpKind::Call { def, .. } => *def,
        OpKind::OuterAddress { def, .. }
        | OpKind::WordsAddress { def, .. }
        | OpKind::LastFrame { def, .. } => Def::Var(*def),
        OpKind::Hint(
            HintOp::Inverse { def, .. } | HintOp::Equal { def, .. } | HintOp::Bit { def, .. },
        ) => Def::Var(*def),
        OpKind::Copy { to, .. } => Def::Var(*to),
        OpKind::CopyBlock { to, .. } => Def::Area(*to),
        _ => Def::None,
    }
}

fn is_live(kind: &OpKind, uses: &Uses) -> bool {
    asserts(kind) || uses.defines(definition(kind))
}

/// Counts the uses of everything that a live operation reads; definitions precede uses.
fn live(ops: &[Op], uses: &mut Uses) {
    for op in ops.iter().rev() {
        if !is_live(&op.kind, uses) {
            continue;
        }
        match &op.kind {
            OpKind::Relation { a, b, c, def, .. } => {
                for word in [a, b, c] {
                    read(*word, *def, uses);
                }
            }
            OpKind::Deref {
                pointer,
                displacement,
                value,
                def,
            } => {
                uses.word(*pointer);
                if let Displacement::Cell(var) = displacement {
                    uses.word(Word::Var(*var));
                }
                read(*value, *def, uses);
            }
            OpKind::OuterAddress { pointer, area, .. } => {
                uses.word(*pointer);
                uses.word(Word::Address(*area, 0));
            }
            OpKind::WordsAddress { .. } => {}
            OpKind::LastFrame { first, count, .. } => {
                uses.word(Word::Var(*first));
                uses.word(*count);
            }
            OpKind::Call {
                a, b, c, d, def, ..
            } => {
                for word in [a, b, c, d] {
                    read(*word, *def, uses);
                }
            }
            OpKind::Hint(hint) => match hint {
                HintOp::Inverse { of, .. } | HintOp::Bit { of, .. } => uses.word(*of),
                HintOp::Equal { a, b, .. } => {
                    uses.word(*a);
                    uses.word(*b);
                }
                HintOp::Felt(_) | HintOp::Ext(_) | HintOp::Slice { .. } => {}
            },
            OpKind::Copy { from, .. } | OpKind::CopyBlock { from, .. } => uses.word(*from),
            OpKind::If {
                condition,
                then,
                otherwise,
            } => {
                live(then, uses);
                live(otherwise, uses);
                uses.word(*condition);
            }
            OpKind::Loop(inner) => live_loop(inner, uses),
            OpKind::Invoke(call) => call.args.iter().for_each(|word| uses.word(*word)),
        }
    }
}

/// The operand is not a use where it is the definition.
fn read(word: Word, def: Def, uses: &mut Uses) {
    let defines = match (word, def) {
        (Word::Var(var), Def::Var(def)) => var == def,
        (Word::Address(area, _), Def::Area(def)) => area == def,
        _ => false,
    };
    if !defines {
        uses.word(word);
    }
}

/// A carried value is live if its result is used or an iteration reads it: the set grows until a
/// pass over the body adds nothing.
fn live_loop(inner: &Loop, uses: &mut Uses) {
    if let Trips::Counted { count, .. } = inner.trips {
        uses.word(count);
    }
    let entry = (uses.vars.clone(), uses.areas.clone());
    let mut words = vec![false; inner.words.len()];
    let mut blocks = vec![false; inner.blocks.len()];
    let mut size = None;
    loop {
        for (live, carried) in words.iter_mut().zip(&inner.words) {
            *live |= uses.vars[carried.result as usize] + uses.vars[carried.param as usize] > 0;
        }
        for (live, carried) in blocks.iter_mut().zip(&inner.blocks) {
            *live |= uses.areas[carried.result as usize] + uses.areas[carried.param as usize] > 0;
        }
        let now = words.iter().chain(&blocks).filter(|live| **live).count();
        if size == Some(now) {
            break;
        }
        size = Some(now);
        (uses.vars, uses.areas) = entry.clone();
        for (carried, _) in inner.words.iter().zip(&words).filter(|(_, live)| **live) {
            uses.word(carried.next);
            uses.word(Word::Var(carried.param));
        }
        for (carried, _) in inner.blocks.iter().zip(&blocks).filter(|(_, live)| **live) {
            uses.word(carried.next);
            uses.word(Word::Address(carried.param, 0));
        }
        live(&inner.body, uses);
    }
    for (carried, _) in inner.words.iter().zip(&words).filter(|(_, live)| **live) {
        uses.word(carried.init);
    }
    for (carried, _) in inner.blocks.iter().zip(&blocks).filter(|(_, live)| **live) {
        uses.word(carried.init);
    }
}

/// Removes dead operations and dead carried values; whether there were any.
fn sweep(ops: &mut Vec<Op>, uses: &Uses) -> bool {
    let mut removed = false;
    ops.retain_mut(|op| {
        let kept = is_live(&op.kind, uses)
            && match &mut op.kind {
                OpKind::If {
                    then, otherwise, ..
                } => {
                    removed |= sweep(then, uses);
                    removed |= sweep(otherwise, uses);
                    !(then.is_empty() && otherwise.is_empty())
                }
                OpKind::Loop(inner) => {
                    removed |= sweep(&mut inner.body, uses);
                    let before = inner.words.len() + inner.blocks.len();
                    inner
                        .words
                        .retain(|carried| uses.vars[carried.param as usize] > 0);
                    inner
                        .blocks
                        .retain(|carried| uses.areas[carried.param as usize] > 0);
                    removed |= inner.words.len() + inner.blocks.len() < before;
                    true
                }
                _ => true,
            };
        removed |= !kept;
        kept
    });
    removed
}

/// Calls `visit` on everything that an operation defines, operations inside of it included.
fn definitions(kind: &OpKind, visit: &mut impl FnMut(Def)) {
    match kind {
        OpKind::If {
            then, otherwise, ..
        } => {
            for op in then.iter().chain(otherwise) {
                definitions(&op.kind, visit);
            }
        }
        OpKind::Loop(inner) => {
            if let Trips::Counted { first, .. } = inner.trips {
                visit(Def::Var(first));
            }
            for carried in &inner.words {
                visit(Def::Var(carried.result));
            }
            for carried in &inner.blocks {
                visit(Def::Area(carried.result));
            }
        }
        OpKind::Invoke(call) => {
            call.words.iter().for_each(|var| visit(Def::Var(*var)));
            call.blocks.iter().for_each(|area| visit(Def::Area(*area)));
        }
        OpKind::LastFrame { product, def, .. } => {
            visit(Def::Var(*product));
            visit(Def::Var(*def));
        }
        OpKind::Hint(HintOp::Felt(def) | HintOp::Slice { def: Some(def), .. }) => {
            visit(Def::Var(*def));
        }
        OpKind::Hint(HintOp::Ext(area)) => visit(Def::Area(*area)),
        kind => visit(definition(kind)),
    }
}

/// Where the only use of a result is a comparison, the result goes into the other side's cell: if
/// that is defined before the result is computed, so that definitions still precede uses.
fn fuse(ops: &mut Vec<Op>, areas: &[AreaInfo], uses: &Uses) {
    for op in ops.iter_mut() {
        match &mut op.kind {
            OpKind::If {
                then, otherwise, ..
            } => {
                fuse(then, areas, uses);
                fuse(otherwise, areas, uses);
            }
            OpKind::Loop(inner) => fuse(&mut inner.body, areas, uses),
            _ => {}
        }
    }
    let mut defined = Defined::default();
    let mut dropped = vec![false; ops.len()];
    for index in 0..ops.len() {
        dropped[index] = match ops[index].kind {
            OpKind::Relation {
                multiply: false,
                a,
                b: Word::Const(F::ZERO),
                c,
                def: Def::None,
            } => fuse_word(ops, &defined, uses, a, c) || fuse_word(ops, &defined, uses, c, a),
            OpKind::Call {
                id: id::BLOCK_EQ,
                a,
                b,
                def: Def::None,
                ..
            } => {
                // A result of more than one block is compared block by block.
                let single =
                    |word| matches!(word, Word::Address(area, _) if areas[area as usize].size == 1);
                single(a) && fuse_block(ops, &defined, uses, a, b)
                    || single(b) && fuse_block(ops, &defined, uses, b, a)
            }
            _ => false,
        };
        definitions(&ops[index].kind, &mut |def| {
            defined.0.insert(def, index);
        });
    }
    let mut index = 0;
    ops.retain(|_| {
        index += 1;
        !dropped[index - 1]
    });
}

/// Index of the last operation of the list that defines a word or a part of an area. What it does
/// not hold is defined before the list.
#[derive(Default)]
struct Defined(HashMap<Def, usize>);

impl Defined {
    /// Whether a word has its value before the operation at `index`.
    fn precedes(&self, word: Word, index: usize) -> bool {
        let def = match word {
            Word::Const(_) => return true,
            Word::Var(var) => Def::Var(var),
            Word::Address(area, _) => Def::Area(area),
        };
        self.0.get(&def).is_none_or(|defined| *defined < index)
    }
}

fn fuse_word(ops: &mut [Op], defined: &Defined, uses: &Uses, from: Word, to: Word) -> bool {
    let Word::Var(var) = from else { return false };
    if uses.vars[var as usize] != 1 {
        return false;
    }
    let Some(&index) = defined.0.get(&Def::Var(var)) else {
        return false;
    };
    match &mut ops[index].kind {
        OpKind::Relation { c, def, .. }
            if *c == from && *def == Def::Var(var) && defined.precedes(to, index) =>
        {
            *c = to;
            *def = Def::None;
            true
        }
        _ => false,
    }
}

fn fuse_block(ops: &mut [Op], defined: &Defined, uses: &Uses, from: Word, to: Word) -> bool {
    let Word::Address(area, 0) = from else {
        return false;
    };
    if uses.areas[area as usize] != 1 {
        return false;
    }
    let Some(&index) = defined.0.get(&Def::Area(area)) else {
        return false;
    };
    match &mut ops[index].kind {
        // A lane is a part of its block, whose other lanes would go unused, and uncompared.
        OpKind::Call {
            id: identity,
            a,
            c,
            d,
            def,
            ..
        } if *identity != id::LANE && *def == Def::Area(area) && defined.precedes(to, index) => {
            let operand = match (*identity, *a == from, *c == from, *d == from) {
                (id::POSEIDON16_MERKLE, true, false, false) => a,
                (_, false, true, false) => c,
                // Operand D cannot be reached through a pointer.
                (_, false, false, true) if !matches!(to, Word::Var(_)) => d,
                _ => return false,
            };
            *operand = to;
            *def = Def::None;
            true
        }
        _ => false,
    }
}
