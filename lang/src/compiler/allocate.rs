//! Assigns a place in memory to every word and area, and a size to every frame.
//!
//! Memory is written once, so no cell is reused. Instead, a value that is copied into a slot (the
//! join of two branches, the next iteration's parameter, a callee's argument, an element of a
//! contiguous area) is defined in that slot from the start.

use std::collections::HashMap;

use super::ir::*;
use super::optimise::{Uses, definitions};
use super::output::Location;
use crate::isa::MAX_CELLS;

/// Place of a word or of the first block of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No remaining operation defines it.
    Nowhere,
    /// At this index of its own frame, or of the global area for global blocks.
    Own(u32),
    /// At the place of another one of the same frame, plus a distance.
    Alias(u32, u32),
    /// At the place of the next iteration's parameter.
    Next(u32),
    /// At the place of this value of an inner frame, plus so many strides.
    Inner(Frame, u64, u32),
    /// At the place of this value of a callee's frame.
    Callee(usize, u32),
}

/// Sizes of a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    pub words: u32,
    /// Number of cells, those of inner frames and callees included.
    pub total: u32,
}

/// Result of the allocation.
pub struct Layout {
    pub words: Vec<Cell>,
    pub areas: Vec<Cell>,
    pub extents: Vec<Extent>,
    /// Number of blocks at fixed addresses.
    pub globals: u32,
    /// A place in the source at which the program exceeds the size of the memories.
    pub too_large: Option<Location>,
    /// First word of each array of words, by the word that holds the array's address.
    pub arrays: HashMap<Var, u32>,
    /// Offset of each loop's first frame in the frame around it.
    loops: HashMap<Frame, i64>,
    /// Offset of each callee's frame in the caller's frame, in the order in which calls are
    /// emitted.
    pub calls: Vec<i64>,
    frames: Vec<Frame>,
    area_frames: Vec<(Frame, bool)>,
}

/// Number of words at the start of a called function's frame: return address and caller's frame
/// pointer.
pub const LINK_WORDS: u32 = 2;

impl Layout {
    /// Returns the offset of a word from its frame's pointer.
    pub fn word(&self, var: Var) -> i64 {
        let found = self.find(var);
        found.unwrap_or_else(|| unreachable!("word {var} is used but not defined"))
    }

    /// Returns the offset of a word from its frame's pointer, if the word is computed.
    pub fn find(&self, var: Var) -> Option<i64> {
        let frame = self.frames[var as usize];
        Some(match self.words[var as usize] {
            Cell::Own(index) if frame == MAIN => {
                i64::from(index) - i64::from(self.extents[MAIN as usize].words)
            }
            Cell::Own(index) => i64::from(index),
            Cell::Alias(other, _) => self.find(other)?,
            Cell::Next(other) => self.stride(frame) + self.find(other)?,
            Cell::Inner(inner, trips, other) => {
                self.loop_base(inner) + trips as i64 * self.stride(inner) + self.find(other)?
            }
            Cell::Callee(call, other) => self.calls[call] + self.find(other)?,
            Cell::Nowhere => return None,
        })
    }

    /// Returns the offset of an area. If the flag is set, it is counted from the start of the
    /// global blocks.
    pub fn area(&self, area: Area) -> (bool, i64) {
        let (frame, global) = self.area_frames[area as usize];
        match self.areas[area as usize] {
            Cell::Own(index) => (global, i64::from(index)),
            Cell::Alias(other, distance) => {
                let (global, offset) = self.area(other);
                (global, offset + i64::from(distance))
            }
            Cell::Next(other) => (false, self.stride(frame) + self.area(other).1),
            Cell::Inner(inner, trips, other) => {
                let base = self.loop_base(inner) + trips as i64 * self.stride(inner);
                (false, base + self.area(other).1)
            }
            Cell::Callee(call, other) => (false, self.calls[call] + self.area(other).1),
            Cell::Nowhere => unreachable!("area {area} is used but not defined"),
        }
    }

    /// Returns the distance from one iteration's frame to the next.
    pub fn stride(&self, frame: Frame) -> i64 {
        i64::from(self.extents[frame as usize].total)
    }

    /// Returns the offset of a loop's first iteration in the frame around it.
    pub fn loop_base(&self, frame: Frame) -> i64 {
        self.loops[&frame]
    }
}

/// The list that an operation is in. Either all operations of a list run, or none.
type ListId = usize;

struct Allocator<'a> {
    ir: &'a mut Ir,
    uses: &'a Uses<'a>,
    layout: Layout,
    /// The list that defines a word or area which may still be moved.
    word_list: HashMap<Var, ListId>,
    area_list: HashMap<Area, ListId>,
    lists: usize,
    /// Words of each frame, in order of definition.
    words: Vec<Vec<Var>>,
    areas: Vec<Vec<Area>>,
    /// Arrays of words of each frame: the word that holds the address, and the size.
    arrays: Vec<Vec<(Var, u32)>>,
    /// Loops and calls of each frame.
    regions: Vec<Vec<(Inner, Location)>>,
    /// Place in the source of the present operation.
    location: Location,
}

#[derive(Clone, Copy)]
enum Inner {
    Fixed { frame: Frame, trips: u64 },
    Call { call: usize, frame: Frame },
}

/// Lays out a program, and removes copies that the layout makes unnecessary.
pub fn allocate(ir: &mut Ir, uses: &Uses<'_>) -> Layout {
    let frames = ir.frames.len();
    let mut allocator = Allocator {
        uses,
        layout: Layout {
            words: vec![Cell::Nowhere; ir.vars.len()],
            areas: vec![Cell::Nowhere; ir.areas.len()],
            extents: vec![Extent::default(); frames],
            globals: 0,
            too_large: None,
            arrays: HashMap::new(),
            loops: HashMap::new(),
            calls: Vec::new(),
            frames: ir.vars.clone(),
            area_frames: ir
                .areas
                .iter()
                .map(|info| (info.frame, info.is_global()))
                .collect(),
        },
        ir,
        word_list: HashMap::new(),
        area_list: HashMap::new(),
        lists: 0,
        words: vec![Vec::new(); frames],
        areas: vec![Vec::new(); frames],
        arrays: vec![Vec::new(); frames],
        regions: vec![Vec::new(); frames],
        location: Location::default(),
    };
    // Callees are laid out before their callers.
    for index in 0..allocator.ir.functions.len() {
        let function = &mut allocator.ir.functions[index];
        let frame = function.frame;
        allocator.words[frame as usize].extend(&function.params);
        allocator.words[frame as usize].extend(&function.words);
        allocator.areas[frame as usize].extend(&function.blocks);
        let mut body = std::mem::take(&mut function.body);
        allocator.list(&mut body, frame);
        allocator.ir.functions[index].body = body;
        allocator.place(frame);
    }
    let mut main = std::mem::take(&mut allocator.ir.main);
    allocator.list(&mut main, MAIN);
    allocator.ir.main = main;
    allocator.place(MAIN);
    allocator.layout
}

impl Allocator<'_> {
    fn define(&mut self, def: Def, list: ListId) {
        match def {
            Def::None => {}
            Def::Var(var) => {
                let frame = self.ir.vars[var as usize];
                self.words[frame as usize].push(var);
                self.word_list.insert(var, list);
            }
            Def::Area(area) => {
                if self.area_list.contains_key(&area) {
                    return;
                }
                let frame = self.ir.areas[area as usize].frame;
                self.areas[frame as usize].push(area);
                self.area_list.insert(area, list);
            }
        }
    }

    /// Defines a word directly in a slot, if it may still be moved.
    fn settle_word(&mut self, from: Word, list: ListId, cell: Cell) -> bool {
        let Word::Var(var) = from else { return false };
        if self.word_list.get(&var) != Some(&list) {
            return false;
        }
        self.word_list.remove(&var);
        self.layout.words[var as usize] = cell;
        true
    }

    /// Defines a block directly in a slot, if it may still be moved.
    fn settle_block(&mut self, from: Word, list: ListId, cell: Cell, global: Option<Area>) -> bool {
        let Word::Address(area, 0) = from else {
            return false;
        };
        let info = self.ir.areas[area as usize];
        if info.size != 1 || self.area_list.get(&area) != Some(&list) {
            return false;
        }
        if info.pinned && info.is_global() {
            // The block is reached by its fixed address, so the slot must have a fixed address,
            // too, and keep it.
            let slot = global.map(|slot| &mut self.ir.areas[slot as usize]);
            let Some(slot) = slot.filter(|slot| slot.is_global()) else {
                return false;
            };
            slot.pinned = true;
        }
        self.area_list.remove(&area);
        self.layout.areas[area as usize] = cell;
        true
    }

    /// Defines a value directly in the slot of a loop's parameter, if it may still be moved.
    fn settle(&mut self, param: Def, from: Word, list: ListId, cell: impl Fn(u32) -> Cell) {
        match param {
            Def::Var(param) => self.settle_word(from, list, cell(param)),
            Def::Area(param) => self.settle_block(from, list, cell(param), None),
            Def::None => false,
        };
    }

    fn list(&mut self, ops: &mut Vec<Op>, frame: Frame) {
        let list = self.lists;
        self.lists += 1;
        let mut kept = Vec::with_capacity(ops.len());
        for mut op in ops.drain(..) {
            self.location = op.location;
            if self.op(&mut op.kind, frame, list) {
                kept.push(op);
            }
        }
        *ops = kept;
    }

    /// Lays out one operation. Returns `false` if it does nothing at run time.
    fn op(&mut self, kind: &mut OpKind, frame: Frame, list: ListId) -> bool {
        match kind {
            OpKind::Copy(to, from) => {
                return !self.settle_word(*from, list, Cell::Alias(*to, 0));
            }
            OpKind::CopyBlock(to, offset, from) => {
                // An element of a longer area is defined by its copies alone, whereas a join is an
                // area of its own.
                if self.ir.areas[*to as usize].size != 1 || !self.area_list.contains_key(to) {
                    let joined = self.layout.areas[*to as usize] != Cell::Nowhere;
                    if !joined && !self.is_result(*to) {
                        self.define(Def::Area(*to), list);
                    }
                }
                let cell = Cell::Alias(*to, *offset);
                return !self.settle_block(*from, list, cell, Some(*to));
            }
            OpKind::If(_, then, otherwise) => {
                self.joins(then, list);
                self.joins(otherwise, list);
                self.list(then, frame);
                self.list(otherwise, frame);
            }
            OpKind::Loop(inner) => self.run_loop(inner, frame, list),
            OpKind::Invoke(call) => self.invoke(call, frame, list),
            _ => {
                if let OpKind::WordsAddress(size, def) = kind {
                    self.arrays[frame as usize].push((*def, *size));
                }
                definitions(kind, &mut |def| self.define(def, list));
            }
        }
        true
    }

    fn is_result(&self, area: Area) -> bool {
        let frame = self.ir.areas[area as usize].frame;
        self.areas[frame as usize].contains(&area)
    }

    /// Adds the words and blocks that both branches define to the list of the branch.
    fn joins(&mut self, ops: &[Op], list: ListId) {
        for op in ops {
            match op.kind {
                OpKind::Copy(to, _) if !self.word_list.contains_key(&to) => {
                    self.define(Def::Var(to), list);
                }
                OpKind::CopyBlock(to, 0, _) if self.ir.areas[to as usize].size == 1 => {
                    self.define(Def::Area(to), list);
                }
                _ => {}
            }
        }
    }

    fn run_loop(&mut self, inner: &mut Loop, frame: Frame, list: ListId) {
        let (body_frame, trips) = (inner.frame, inner.trips);
        let location = self.location;
        // Parameters come first, so that the frame after the last iteration, which has only these,
        // is short.
        let outer = self.ir.frames[body_frame as usize].outer;
        let here = body_frame as usize;
        self.words[here].push(inner.counter);
        for carried in &inner.carried {
            match carried.param {
                Def::Var(param) => self.words[here].push(param),
                Def::Area(param) => self.areas[here].push(param),
                Def::None => {}
            }
        }
        if self.uses.vars[outer as usize] > 0 || matches!(trips, Trips::Counted { .. }) {
            self.words[here].push(outer);
        }
        let body_list = self.lists;
        self.list(&mut inner.body, body_frame);
        for carried in &inner.carried {
            self.settle(carried.param, carried.next, body_list, Cell::Next);
        }
        self.words[body_frame as usize].push(inner.flag);
        self.layout.words[inner.counter_next as usize] = Cell::Next(inner.counter);
        self.place(body_frame);
        match trips {
            Trips::Fixed(trips) => {
                let region = Inner::Fixed {
                    frame: body_frame,
                    trips,
                };
                self.regions[frame as usize].push((region, location));
                let inner_cell = |trips| move |param| Cell::Inner(body_frame, trips, param);
                for carried in &inner.carried {
                    self.settle(carried.param, carried.init, list, inner_cell(0));
                    match (carried.result, carried.param) {
                        (Def::Var(result), Def::Var(param)) => {
                            self.layout.words[result as usize] = inner_cell(trips)(param);
                        }
                        (Def::Area(result), Def::Area(param)) => {
                            self.layout.areas[result as usize] = inner_cell(trips)(param);
                        }
                        _ => {}
                    }
                }
            }
            Trips::Counted { first, .. } => {
                self.words[frame as usize].push(first);
                let pointers = inner.carried.iter().filter_map(|carried| carried.pointer);
                self.words[frame as usize].extend(pointers);
            }
        }
    }

    fn invoke(&mut self, call: &mut Invoke, frame: Frame, list: ListId) {
        let index = self.layout.calls.len();
        let function = &self.ir.functions[call.function];
        let callee = function.frame;
        for (word, result) in call.words.iter().zip(&function.words) {
            self.layout.words[*word as usize] = Cell::Callee(index, *result);
        }
        for (block, result) in call.blocks.iter().zip(&function.blocks) {
            self.layout.areas[*block as usize] = Cell::Callee(index, *result);
        }
        let params = function.params.clone();
        self.layout.calls.push(0);
        let region = Inner::Call {
            call: index,
            frame: callee,
        };
        self.regions[frame as usize].push((region, self.location));
        for (arg, param) in call.args.iter().zip(&params) {
            self.settle_word(*arg, list, Cell::Callee(index, *param));
        }
    }

    /// Numbers the cells of a frame, once all of its operations are laid out.
    fn place(&mut self, frame: Frame) {
        let called = self
            .ir
            .functions
            .iter()
            .any(|function| function.frame == frame);
        let mut words = if called { LINK_WORDS } else { 0 };
        for var in std::mem::take(&mut self.words[frame as usize]) {
            let cell = &mut self.layout.words[var as usize];
            if *cell == Cell::Nowhere {
                *cell = Cell::Own(words);
                words += 1;
            }
        }
        for (var, size) in std::mem::take(&mut self.arrays[frame as usize]) {
            self.layout.arrays.insert(var, words);
            words = words.saturating_add(size);
        }
        let mut blocks = 0u32;
        for area in std::mem::take(&mut self.areas[frame as usize]) {
            let info = self.ir.areas[area as usize];
            let cell = &mut self.layout.areas[area as usize];
            if *cell != Cell::Nowhere {
                continue;
            }
            let next = match info.kind {
                AreaKind::Local { global: true } => &mut self.layout.globals,
                AreaKind::Local { global: false } => &mut blocks,
                _ => continue,
            };
            *cell = Cell::Own(*next);
            *next = next.saturating_add(info.size);
        }
        let own = words.max(blocks).max(self.layout.globals);
        self.check_size(own, self.location);
        let mut total = if frame == MAIN { 0 } else { words.max(blocks) };
        for (inner, location) in std::mem::take(&mut self.regions[frame as usize]) {
            let base = i64::from(total);
            let size = match inner {
                Inner::Fixed { frame, trips } => {
                    self.layout.loops.insert(frame, base);
                    // The frame after the last iteration holds the loop's results.
                    let stride = self.layout.extents[frame as usize].total;
                    stride.saturating_mul(trips as u32 + 1)
                }
                Inner::Call { call, frame } => {
                    self.layout.calls[call] = base;
                    self.layout.extents[frame as usize].total
                }
            };
            total = total.saturating_add(size);
            self.check_size(total, location);
        }
        self.layout.extents[frame as usize] = Extent { words, total };
    }

    fn check_size(&mut self, cells: u32, location: Location) {
        if cells as usize > MAX_CELLS {
            self.layout.too_large.get_or_insert(location);
        }
    }
}
