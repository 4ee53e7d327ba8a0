//! Removes operations whose results are not used, and writes a result directly into the cell with
//! which it is compared.

use std::collections::HashMap;

use super::ir::*;
use droste_native::F;
use p3_field::PrimeCharacteristicRing;

use crate::isa::id;
use crate::precompile::{self, Operand, Precompile};

/// The words and areas that are used, and how often.
pub struct Uses<'a> {
    pub vars: Vec<u32>,
    pub areas: Vec<u32>,
    /// Users' precompiles. Their declarations say which calls can be removed if their result is not
    /// used.
    precompiles: &'a [Precompile],
}

impl Uses<'_> {
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

/// Optimises the program in place. Returns the exact uses of what remains.
pub fn optimise<'a>(ir: &mut Ir, precompiles: &'a [Precompile]) -> Uses<'a> {
    let uses = prune(ir, precompiles);
    fuse(&mut ir.main, &ir.areas, &uses);
    for function in &mut ir.functions {
        fuse(&mut function.body, &ir.areas, &uses);
    }
    prune(ir, precompiles)
}

/// Removes what is not used, repeatedly: once a branch is empty, its condition is not needed, and
/// once a carried value is removed, neither is what it was computed from.
fn prune<'a>(ir: &mut Ir, precompiles: &'a [Precompile]) -> Uses<'a> {
    loop {
        let uses = count(ir, precompiles);
        let mut removed = sweep(&mut ir.main, &uses);
        for function in &mut ir.functions {
            removed |= sweep(&mut function.body, &uses);
        }
        if !removed {
            return uses;
        }
    }
}

/// Counts the uses in live operations.
fn count<'a>(ir: &Ir, precompiles: &'a [Precompile]) -> Uses<'a> {
    let mut uses = Uses {
        vars: vec![0; ir.vars.len()],
        areas: vec![0; ir.areas.len()],
        precompiles,
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
    // `main` is last, since functions may use blocks of `main` at fixed addresses.
    live(&ir.main, &mut uses);
    uses
}

/// Returns whether an operation asserts something besides defining a value.
fn asserts(kind: &OpKind, precompiles: &[Precompile]) -> bool {
    match kind {
        // A product that is solved for one factor asserts that the other is not zero.
        OpKind::Relation(true, [.., c], Def::Var(var)) => *c != Word::Var(*var),
        // Two cases assert something. A product that is solved for one factor asserts that the
        // other is not zero. An element that is multiplied by one, with nothing added, is a copy of
        // a block that is asserted to hold an extension element.
        OpKind::Call(id::EXT, [a, b, c, _], e, Def::Area(area)) => {
            if *a == Word::Address(*area, 0) {
                e & 1 == 0
            } else {
                (*b, *c, *e) == (Word::Const(F::ONE), Word::Const(F::ZERO), 3)
            }
        }
        // One of `baby_bear` always does: the words at A are canonical.
        OpKind::Call(id, .., def) => {
            let total = precompile::find(*id, precompiles).is_some_and(|found| found.is_total);
            matches!(def, Def::None) || !total
        }
        // A read of a word of `Words` asserts that the word was written before.
        OpKind::Deref(_, Displacement::Zero, ..) => true,
        OpKind::Hint(HintOp::Felt(_) | HintOp::Ext(_) | HintOp::Slice { .. }) => true,
        OpKind::If(..) | OpKind::Loop(_) | OpKind::Invoke(_) | OpKind::Print(_) => true,
        _ => false,
    }
}

fn definition(kind: &OpKind) -> Def {
    match kind {
        OpKind::Relation(.., def) | OpKind::Deref(.., def) | OpKind::Call(.., def) => *def,
        OpKind::OuterAddress(.., def)
        | OpKind::WordsAddress(_, def)
        | OpKind::LastFrame { def, .. } => Def::Var(*def),
        OpKind::Hint(
            HintOp::Inverse { def, .. } | HintOp::Equal { def, .. } | HintOp::Bit { def, .. },
        ) => Def::Var(*def),
        OpKind::Copy(to, _) => Def::Var(*to),
        OpKind::CopyBlock(to, ..) => Def::Area(*to),
        _ => Def::None,
    }
}

fn is_live(kind: &OpKind, uses: &Uses<'_>) -> bool {
    asserts(kind, uses.precompiles) || uses.defines(definition(kind))
}

/// Counts the uses of what live operations read. It goes backwards, so that an operation's users
/// are seen before the operation.
fn live(ops: &[Op], uses: &mut Uses<'_>) {
    for op in ops.iter().rev() {
        if !is_live(&op.kind, uses) {
            continue;
        }
        match &op.kind {
            OpKind::Relation(_, words, def) => {
                words.iter().for_each(|word| read(*word, *def, uses))
            }
            OpKind::Deref(pointer, displacement, value, def) => {
                uses.word(*pointer);
                if let Displacement::Cell(var) = displacement {
                    uses.word(Word::Var(*var));
                }
                read(*value, *def, uses);
            }
            OpKind::OuterAddress(pointer, area, ..) => {
                uses.word(*pointer);
                uses.word(Word::Address(*area, 0));
            }
            OpKind::WordsAddress(..) => {}
            OpKind::LastFrame { first, count, .. } => {
                uses.word(Word::Var(*first));
                uses.word(*count);
            }
            OpKind::Call(_, words, _, def) => words.iter().for_each(|word| read(*word, *def, uses)),
            OpKind::Hint(hint) => match hint {
                HintOp::Inverse { of, .. } | HintOp::Bit { of, .. } => uses.word(*of),
                HintOp::Equal { a, b, .. } => {
                    uses.word(*a);
                    uses.word(*b);
                }
                HintOp::Felt(_) | HintOp::Ext(_) | HintOp::Slice { .. } => {}
            },
            OpKind::Copy(_, from) | OpKind::CopyBlock(.., from) => uses.word(*from),
            OpKind::If(condition, then, otherwise) => {
                live(then, uses);
                live(otherwise, uses);
                uses.word(*condition);
            }
            OpKind::Loop(inner) => live_loop(inner, uses),
            OpKind::Invoke(call) => call.args.iter().for_each(|word| uses.word(*word)),
            // It must not change what is computed.
            OpKind::Print(_) => {}
        }
    }
}

/// Counts a use of an operand, unless the operand is what the operation defines.
fn read(word: Word, def: Def, uses: &mut Uses<'_>) {
    let defines = match (word, def) {
        (Word::Var(var), Def::Var(def)) => var == def,
        (Word::Address(area, _), Def::Area(def)) => area == def,
        _ => false,
    };
    if !defines {
        uses.word(word);
    }
}

/// Finds the live carried values of a loop. A carried value is live if its result is used or an
/// iteration reads it, so passes over the body are repeated until none adds a live value.
fn live_loop(inner: &Loop, uses: &mut Uses<'_>) {
    if let Trips::Counted { count, .. } = inner.trips {
        uses.word(count);
    }
    let entry = (uses.vars.clone(), uses.areas.clone());
    let mut lives = vec![false; inner.carried.len()];
    let mut size = None;
    loop {
        for (live, carried) in lives.iter_mut().zip(&inner.carried) {
            *live |= uses.defines(carried.result) || uses.defines(carried.param);
        }
        let now = lives.iter().filter(|live| **live).count();
        if size == Some(now) {
            break;
        }
        size = Some(now);
        (uses.vars, uses.areas) = entry.clone();
        for (carried, _) in inner.carried.iter().zip(&lives).filter(|(_, live)| **live) {
            uses.word(carried.next);
            uses.word(carried.param.word());
        }
        live(&inner.body, uses);
    }
    for (carried, _) in inner.carried.iter().zip(&lives).filter(|(_, live)| **live) {
        uses.word(carried.init);
    }
}

/// Removes dead operations and dead carried values. Returns whether there were any.
fn sweep(ops: &mut Vec<Op>, uses: &Uses<'_>) -> bool {
    let mut removed = false;
    ops.retain_mut(|op| {
        let kept = is_live(&op.kind, uses)
            && match &mut op.kind {
                OpKind::If(_, then, otherwise) => {
                    removed |= sweep(then, uses);
                    removed |= sweep(otherwise, uses);
                    !(then.is_empty() && otherwise.is_empty())
                }
                OpKind::Loop(inner) => {
                    removed |= sweep(&mut inner.body, uses);
                    let before = inner.carried.len();
                    inner.carried.retain(|carried| uses.defines(carried.param));
                    removed |= inner.carried.len() < before;
                    true
                }
                _ => true,
            };
        removed |= !kept;
        kept
    });
    removed
}

/// Calls `visit` on everything that an operation defines, including what the operations inside it
/// define.
pub fn definitions(kind: &OpKind, visit: &mut impl FnMut(Def)) {
    match kind {
        OpKind::If(_, then, otherwise) => {
            for op in then.iter().chain(otherwise) {
                definitions(&op.kind, visit);
            }
        }
        OpKind::Loop(inner) => {
            if let Trips::Counted { first, .. } = inner.trips {
                visit(Def::Var(first));
            }
            for carried in &inner.carried {
                visit(carried.result);
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

/// If the only use of a result is a comparison, writes the result into the other side's cell. The
/// other side must be defined before the result is computed, so that definitions still precede
/// uses.
fn fuse(ops: &mut Vec<Op>, areas: &[AreaInfo], uses: &Uses<'_>) {
    for op in ops.iter_mut() {
        match &mut op.kind {
            OpKind::If(_, then, otherwise) => {
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
            OpKind::Relation(false, [a, Word::Const(F::ZERO), c], Def::None) => {
                let is_var = |word| matches!(word, Word::Var(_));
                is_var(a) && fuse_result(ops, &defined, uses, (a, c), index, false)
                    || is_var(c) && fuse_result(ops, &defined, uses, (c, a), index, true)
            }
            OpKind::Call(id::BLOCK_EQ, [a, b, ..], _, Def::None) => {
                // A result of more than one block is compared block by block, so it cannot be
                // fused.
                let single =
                    |word| matches!(word, Word::Address(area, _) if areas[area as usize].size == 1);
                single(a) && fuse_result(ops, &defined, uses, (a, b), index, false)
                    || single(b) && fuse_result(ops, &defined, uses, (b, a), index, true)
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

/// Index of the last operation of the list that defines a word or a part of an area. What is not in
/// the map was defined before the list.
#[derive(Default)]
struct Defined(HashMap<Def, usize>);

impl Defined {
    /// Returns whether a word has its value before the operation at `index`.
    fn precedes(&self, word: Word, index: usize) -> bool {
        let def = match word {
            Word::Const(_) => return true,
            Word::Var(var) => Def::Var(var),
            Word::Address(area, _) => Def::Area(area),
        };
        self.0.get(&def).is_none_or(|defined| *defined < index)
    }
}

/// Writes the result `from` into `to`, with which the operation at `check` compares it. `from` may
/// be the right side there.
fn fuse_result(
    ops: &mut [Op],
    defined: &Defined,
    uses: &Uses<'_>,
    (from, to): (Word, Word),
    check: usize,
    is_right: bool,
) -> bool {
    let (result, count) = match from {
        Word::Var(var) => (Def::Var(var), uses.vars[var as usize]),
        Word::Address(area, 0) => (Def::Area(area), uses.areas[area as usize]),
        _ => return false,
    };
    let Some(&index) = defined.0.get(&result).filter(|_| count == 1) else {
        return false;
    };
    if !defined.precedes(to, index) {
        return false;
    }
    let def = match &mut ops[index].kind {
        OpKind::Relation(_, [.., c], def) if *c == from && *def == result => {
            *c = to;
            def
        }
        // A `lane` call defines one lane of its block only: the other lanes would not be compared.
        OpKind::Call(identity, [a, _, c, d], _, def) if *identity != id::LANE && *def == result => {
            let declared = precompile::find(*identity, uses.precompiles);
            let result_is_a = declared.is_some_and(|found| found.writes_at(Operand::A));
            let operand = match (*a == from, *c == from, *d == from) {
                (true, false, false) if result_is_a => a,
                (false, true, false) => c,
                // Operand D cannot be reached through a pointer.
                (false, false, true) if !matches!(to, Word::Var(_)) => d,
                _ => return false,
            };
            *operand = to;
            def
        }
        _ => return false,
    };
    *def = Def::None;
    ops[index].check = ops[check].check.map(|check| Check {
        swapped: check.swapped != is_right,
        ..check
    });
    true
}
