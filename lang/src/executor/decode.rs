//! Instructions in the form that the executor's loop reads.

use p3_field::PrimeField32;

use super::source::{Source, signed};
use super::{CallContext, Fault};
use crate::compiler::Compiled;
use crate::isa::Op;

/// The function that runs a precompile.
type Run = fn(&mut CallContext<'_>) -> Result<(), Fault>;

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub op: Op,
    pub id: u32,
    /// The function that runs the precompile `id`, or `None` if there is no such precompile.
    pub run: Option<Run>,
    pub a: Source,
    pub b: Source,
    pub c: Source,
    pub d: Source,
    pub e: u32,
    /// Displacement of a `Deref`.
    pub displacement: i32,
    /// Range of the instruction's hints.
    pub hints: (u32, u32),
}

/// Decodes the whole program.
pub fn decode(compiled: &Compiled) -> Vec<Decoded> {
    let mut next = 0;
    let hints = &compiled.hints;
    compiled
        .program
        .instructions
        .iter()
        .enumerate()
        .map(|(pc, instruction)| {
            let first = next;
            while hints.get(next).is_some_and(|hint| hint.0 as usize == pc) {
                next += 1;
            }
            Decoded {
                op: instruction.op,
                id: instruction.id,
                run: compiled.precompile(instruction.id).map(|found| found.run),
                a: instruction.a.into(),
                b: instruction.b.into(),
                c: instruction.c.into(),
                d: instruction.d.into(),
                e: instruction.e.as_canonical_u32(),
                displacement: signed(instruction.d.field),
                hints: (first as u32, next as u32),
            }
        })
        .collect()
}
