//! Constraints of the table `cpu`.

use droste_native::F;
use p3_air::AirBuilder;
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder};

use super::columns::CpuCols;
use crate::tables::bus::{CallMessage, InstructionMessage};
use crate::tables::program::{FLAGS, pack};
use crate::tables::{bus, sum};

droste_air::air! {
    /// The table `cpu`: one row per executed instruction.
    pub struct CpuTable(CpuCols as Row), degree = 3, next = CpuCols::<u8>::NEXT,
    eval = eval(local, next)
}

fn eval<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>, next: &Row<AB>) {
    eval_fetch(builder, local);
    eval_operands(builder, local);
    eval_operations(builder, local);
    eval_registers(builder, local, next);
}

/// Returns the flags of a row in the order in which the program table packs them.
fn flags<T: Copy>(local: &CpuCols<T>) -> [T; FLAGS] {
    let [a_mem, b_mem, c_mem] = local.in_memory;
    let [a_fp, b_fp, c_fp] = local.in_frame;
    [
        local.is_add,
        local.is_mul,
        local.is_deref,
        local.is_jump,
        a_mem,
        a_fp,
        b_mem,
        b_fp,
        c_mem,
        c_fp,
        local.d_in_frame,
    ]
}

/// Looks up the row's instruction at `pc`. Flags are boolean, so their packing equals the program's
/// only if every flag does.
fn eval_fetch<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let flags = flags(local);
    for flag in flags {
        builder.assert_bool(flag);
    }
    let [a, b, c] = local.fields;
    let instruction = InstructionMessage {
        pc: local.pc.into(),
        op: pack(flags.map(Into::into)),
        id: local.id.into(),
        a: a.into(),
        b: b.into(),
        c: c.into(),
        d: local.d.into(),
        e: local.e.into(),
    };
    bus::PROGRAM.lookup_key(builder, instruction.into_fields(), 1);
}

/// Constrains each operand to be the word it names, or its field, plus the frame pointer if the
/// operand is relative to it.
fn eval_operands<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    for operand in 0..3 {
        let (field, value) = (local.fields[operand], local.values[operand]);
        let in_memory: AB::Expr = local.in_memory[operand].into();
        let direct = local.in_frame[operand] * local.fp + field;
        builder
            .when(AB::Expr::ONE - in_memory.clone())
            .assert_eq(value, direct);
        bus::lookup_word(builder, local.fp + field, value, in_memory);
    }
}

/// Constrains the equation of each operation. A row with none of the four flags is a call: the
/// packed operation in the program table has at most one of them.
fn eval_operations<AB: InteractionBuilder<F = F>>(builder: &mut AB, local: &Row<AB>) {
    let [a, b, c] = local.values;
    builder.when(local.is_add).assert_eq(a + b, c);
    builder.when(local.is_mul).assert_eq(a * b, c);
    builder.when(local.is_jump).assert_bool(a);
    bus::lookup_word(builder, a + local.d, c, local.is_deref);
    let operation: AB::Expr = sum(&[local.is_add, local.is_mul, local.is_deref, local.is_jump]);
    let call = CallMessage {
        id: local.id.into(),
        a: a.into(),
        b: b.into(),
        c: c.into(),
        d: local.d_in_frame * local.fp + local.d,
        e: local.e.into(),
    };
    let count = Count::bounded(AB::Expr::ONE - operation, 1);
    bus::CALL.send(builder, call.into_fields(), count);
}

/// Constrains `pc` and `fp` from row to row to follow the instruction. The run starts at `pc` 1 and
/// ends in the halt loop at 0.
fn eval_registers<AB: InteractionBuilder<F = F>>(
    builder: &mut AB,
    local: &Row<AB>,
    next: &Row<AB>,
) {
    let [a, b, c] = local.values;
    let taken: AB::Expr = local.is_jump * a;
    let following = local.pc + F::ONE;
    let pc = following.clone() + taken.clone() * (b.into() - following);
    let fp = taken * (c - local.fp) + local.fp;
    builder.when_first_row().assert_one(local.pc);
    builder.when_last_row().assert_zero(local.pc);
    builder.when_transition().assert_eq(next.pc, pc);
    builder.when_transition().assert_eq(next.fp, fp);
}
