//! Hint sites of compiled programs, and runs in which the hint at one of them is false.

use std::collections::BTreeMap;

use droste_native::F;
use droste_vm::compiler::{Compiled, Hint};
use droste_vm::executor::{Tape, TapeItem, execute, execute_mutated};
use droste_vm::isa::{Mode, Operand};
use droste_vm::record::{Cycle, Execution, FinalMemory};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

/// Kinds of hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Felt,
    Ext,
    Slice,
    Inverse,
    Equal,
    Reached,
    Bit,
    Fresh,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Felt,
        Self::Ext,
        Self::Slice,
        Self::Inverse,
        Self::Equal,
        Self::Reached,
        Self::Bit,
        Self::Fresh,
    ];

    const fn of(hint: &Hint) -> Self {
        match hint {
            Hint::Felt { .. } => Self::Felt,
            Hint::Ext { .. } => Self::Ext,
            Hint::Slice { .. } => Self::Slice,
            Hint::Inverse { .. } => Self::Inverse,
            Hint::Equal { .. } => Self::Equal,
            Hint::Reached { .. } => Self::Reached,
            Hint::Bit { .. } => Self::Bit,
            Hint::Fresh { .. } => Self::Fresh,
        }
    }
}

/// One visit of a hint site.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Index of the hint in the program.
    pub hint: usize,
    pub kind: Kind,
    /// Index of the item on the tape, or of the value among those that the executor computes.
    pub number: usize,
    pub cycle: Cycle,
    cell: Option<Operand>,
}

/// A cell of memory.
#[derive(Clone, Copy, Debug)]
pub enum Cell {
    Word(usize),
    Block(usize),
}

impl Cell {
    pub fn of(self, memory: &mut FinalMemory) -> &mut F {
        match self {
            Self::Word(index) => &mut memory.words[index],
            Self::Block(index) => &mut memory.blocks[index][0],
        }
    }
}

impl Site {
    /// The cell that the hint is written to.
    pub fn cell(&self, execution: &Execution) -> Option<Cell> {
        let operand = self.cell?;
        let offset = operand.field;
        match (self.kind, operand.mode) {
            (Kind::Ext, Mode::Imm) => Some(Cell::Block(offset.as_canonical_u32() as usize)),
            (Kind::Ext, Mode::Fp) => {
                let at = F::from_u32(self.cycle.fp) + offset;
                Some(Cell::Block(at.as_canonical_u32() as usize))
            }
            (_, Mode::Mem) => {
                let at = F::from_u32(self.cycle.fp) + offset;
                let index = at
                    .as_canonical_u32()
                    .checked_sub(execution.memory.word_base)?;
                Some(Cell::Word(index as usize))
            }
            _ => None,
        }
    }

    /// Whether any value is admissible here. This is so for the "inverse" of zero in a comparison:
    /// its operands are equal, whatever the value is.
    fn is_free(&self, honest: &Execution) -> bool {
        let cell = self.cell(honest);
        let value = cell.map(|cell| *cell.of(&mut honest.memory.clone()));
        self.kind == Kind::Inverse && value == Some(F::ZERO)
    }
}

/// All visits of all hint sites.
pub fn sites(compiled: &Compiled, execution: &Execution) -> Vec<Site> {
    let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (index, (pc, _)) in compiled.hints.iter().enumerate() {
        at.entry(*pc).or_default().push(index);
    }
    let (mut items, mut computed) = (0, 0);
    let mut sites = Vec::new();
    for &cycle in &execution.cycles {
        for &hint in at.get(&cycle.pc).into_iter().flatten() {
            let declared = &compiled.hints[hint].1;
            let kind = Kind::of(declared);
            let counter = match kind {
                Kind::Felt | Kind::Ext | Kind::Slice => &mut items,
                Kind::Inverse | Kind::Equal | Kind::Reached | Kind::Bit => &mut computed,
                Kind::Fresh => &mut 0,
            };
            let cell = match declared {
                Hint::Ext { block } => Some(*block),
                Hint::Slice { cell, .. } => *cell,
                Hint::Felt { cell }
                | Hint::Inverse { cell, .. }
                | Hint::Equal { cell, .. }
                | Hint::Reached { cell, .. }
                | Hint::Bit { cell, .. }
                | Hint::Fresh { cell, .. } => Some(*cell),
            };
            sites.push(Site {
                hint,
                kind,
                number: *counter,
                cycle,
                cell,
            });
            *counter += 1;
        }
    }
    sites
}

/// Falsifies the hint of every site in turn; no such run may be accepted.
pub fn check(compiled: &Compiled, tape: &Tape) {
    let limit = 1 << 24;
    let honest = execute(compiled, &[], tape, limit).unwrap();
    // A false hint may make a loop endless; it then runs into the limit.
    let limit = 2 * honest.cycles.len() as u64;
    let mut first_and_last: BTreeMap<usize, (Site, Site)> = BTreeMap::new();
    for site in sites(compiled, &honest) {
        first_and_last
            .entry(site.hint)
            .and_modify(|(_, last)| *last = site)
            .or_insert((site, site));
    }
    let mut false_values: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut accepted = Vec::new();
    for (first, last) in first_and_last.into_values() {
        let same = first.number == last.number;
        for site in [Some(first), (!same).then_some(last)].into_iter().flatten() {
            for run in runs(compiled, tape, &site, limit) {
                *false_values.entry(site.kind).or_default() += 1;
                if let Some(statement) = run {
                    assert_eq!(statement, honest.statement, "{site:?}");
                    if !site.is_free(&honest) {
                        accepted.push(site);
                    }
                }
            }
        }
    }
    println!(
        "{} cycles, false values: {false_values:?}",
        honest.cycles.len()
    );
    assert!(false_values.contains_key(&Kind::Felt) && false_values.contains_key(&Kind::Slice));
    for site in &accepted {
        let (pc, hint) = &compiled.hints[site.hint];
        println!("accepted: {:?} at {pc}: {hint:?}", site.kind);
    }
    assert!(
        accepted.is_empty(),
        "{} false hints are accepted",
        accepted.len()
    );
}

/// Statements of the runs in which the hint of the site is false; `None` for runs that fail.
fn runs(compiled: &Compiled, tape: &Tape, site: &Site, limit: u64) -> Vec<Option<[F; 8]>> {
    let statement = |run: Result<Execution, _>| run.ok().map(|execution| execution.statement);
    match site.kind {
        Kind::Fresh => vec![],
        Kind::Felt | Kind::Ext | Kind::Slice => falsified(&tape.items[site.number])
            .into_iter()
            .map(|item| {
                let mut changed = tape.clone();
                changed.items[site.number] = item;
                statement(execute(compiled, &[], &changed, limit))
            })
            .collect(),
        Kind::Inverse | Kind::Equal | Kind::Reached | Kind::Bit => [F::ONE, F::NEG_ONE]
            .into_iter()
            .map(|delta| {
                let mutation = Some((site.number as u64, delta));
                statement(execute_mutated(compiled, &[], tape, limit, mutation))
            })
            .collect(),
    }
}

/// Versions of a hint with one element changed; for a slice, in its first and in its last block.
fn falsified(item: &TapeItem) -> Vec<TapeItem> {
    match item {
        TapeItem::Felt(x) => {
            let mut values = vec![*x + F::ONE, F::ONE - *x];
            values.dedup();
            values.into_iter().map(TapeItem::Felt).collect()
        }
        TapeItem::Ext(x) => [0, 4]
            .map(|i| {
                let mut x = *x;
                x[i] += F::ONE;
                TapeItem::Ext(x)
            })
            .to_vec(),
        TapeItem::Slice(blocks) => {
            // Zeros at the end of a row may be padding, which byte hashes do not read.
            let set = |block: usize| {
                (0..8).filter_map(move |lane| {
                    let value = blocks[block][lane]?;
                    (value != F::ZERO).then_some((block, lane))
                })
            };
            let first = (0..blocks.len()).flat_map(set).next();
            let last = (0..blocks.len()).flat_map(set).last();
            let mut places: Vec<(usize, usize)> = first.into_iter().chain(last).collect();
            places.dedup();
            places
                .into_iter()
                .map(|(block, lane)| {
                    let mut blocks = blocks.clone();
                    blocks[block][lane] = blocks[block][lane].map(|x| x + F::ONE);
                    TapeItem::Slice(blocks)
                })
                .collect()
        }
    }
}
