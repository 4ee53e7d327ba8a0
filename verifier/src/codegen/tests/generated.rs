//! Constraints of each table at one point, generated from the AIRs.

use droste_gadgets::prelude::*;
use droste_gadgets::verify::opened::{Challenges, Opened};

/// Element 1 of the extension's basis.
const X1: Ext = Ext::new([0, 1, 0, 0, 0]);
/// Element 2 of the extension's basis.
const X2: Ext = Ext::new([0, 0, 1, 0, 0]);
/// Element 3 of the extension's basis.
const X3: Ext = Ext::new([0, 0, 0, 1, 0]);
/// Element 4 of the extension's basis.
const X4: Ext = Ext::new([0, 0, 0, 0, 1]);

/// Folded constraints of table `everything`: 20 constraints, 126 instructions.
pub fn eval_everything(
    v: &Opened,
    c: &Challenges,
) -> Ext {
    let t0 = v.main[0] - v.main[0] * v.main[0];
    let t1 = t0 * c.alpha + v.main[1];
    let t2 = t1 - v.main[1] * v.main[1];
    let t3 = v.main[0] + felt(2130706432);
    let t4 = v.main[4] * felt(2130706430) + v.preprocessed[0];
    let t5 = t4 - v.preprocessed_next[1];
    let t6 = t5 * c.alpha;
    let t7 = t6 - v.main[4] * v.main[5];
    let t8 = t7 - v.main[5] * v.periodic[1];
    let t9 = c.alpha * c.alpha;
    let t10 = c.alpha * t9;
    let t11 = t10 * t10;
    let t12 = t2 * t11;
    let t13 = t12 - t3 * t8;
    let t14 = t13 * c.alpha + v.public_values[1];
    let t15 = t14 - v.public_values[0];
    let t16 = t15 + v.public_values[2];
    let t17 = v.main[3] * v.main[4];
    let t18 = v.main[5] * v.main[5];
    let t19 = t17 - t18 * v.main[5];
    let t20 = t16 * c.alpha;
    let t21 = t19 * felt(2) + t20;
    let t22 = t21 * c.alpha + felt(2130706424);
    let t23 = t22 * c.alpha + v.public_values[2];
    let t24 = t23 + felt(2130706429);
    let t25 = v.main[2] * c.beta;
    let t26 = v.main[3] - c.buses[0];
    let t27 = t25 + t26;
    let t28 = v.main[4] * c.beta;
    let t29 = v.main[5] - c.buses[0];
    let t30 = t28 + t29;
    let t31 = v.permutation[6] * X1 + v.permutation[5];
    let t32 = v.permutation[7] * X2 + t31;
    let t33 = v.permutation[8] * X3 + t32;
    let t34 = v.permutation[9] * X4 + t33;
    let t35 = v.main[1] - t30 * t34;
    let t36 = t30 - t24 * c.alpha;
    let t37 = t36 - t27 * t35;
    let t38 = v.main[1] + v.main[0];
    let t39 = X1 * v.permutation[11] + v.permutation[10];
    let t40 = X2 * v.permutation[12] + t39;
    let t41 = X3 * v.permutation[13] + t40;
    let t42 = X4 * v.permutation[14] + t41;
    let t43 = v.main[0] * c.beta + v.periodic[0];
    let t44 = v.main[1] * c.beta + v.periodic[0];
    let t45 = v.main[0] * t43;
    let t46 = v.main[1] * t44 + t45;
    let t47 = v.main[0] * felt(8) + felt(2130706432);
    let t48 = t47 - v.main[0] * c.buses[1];
    let t49 = v.main[1] * felt(8) + t48;
    let t50 = t49 - v.main[1] * c.buses[1];
    let t51 = c.beta * t46 + t50;
    let t52 = t38 + t51;
    let t53 = t38 - t37 * c.alpha;
    let t54 = t42 * t52 + t53;
    let t55 = v.main[3] - c.buses[2];
    let t56 = v.main[2] - c.buses[2];
    let t57 = X1 * v.permutation[16] + v.permutation[15];
    let t58 = X2 * v.permutation[17] + t57;
    let t59 = X3 * v.permutation[18] + t58;
    let t60 = X4 * v.permutation[19] + t59;
    let t61 = t55 * t60 + v.main[0];
    let t62 = t54 * c.alpha;
    let t63 = t62 - v.main[0] * t55;
    let t64 = t63 - t56 * t61;
    let t65 = X1 * v.permutation[21] + v.permutation[20];
    let t66 = X2 * v.permutation[22] + t65;
    let t67 = X3 * v.permutation[23] + t66;
    let t68 = X4 * v.permutation[24] + t67;
    let t69 = t64 * c.alpha + v.main[0];
    let t70 = v.main[4] * t68 + t69;
    let t71 = t70 - c.buses[2] * t68;
    let t72 = v.main_next[3] * c.beta + c.beta;
    let t73 = c.beta * t25 + t72;
    let t74 = t73 - c.buses[1];
    let t75 = v.preprocessed[1] + t74;
    let t76 = c.beta * felt(3) + v.public_values[0];
    let t77 = c.beta * t28 + t76;
    let t78 = t77 - c.buses[1];
    let t79 = X1 * v.permutation[26] + v.permutation[25];
    let t80 = X2 * v.permutation[27] + t79;
    let t81 = X3 * v.permutation[28] + t80;
    let t82 = X4 * v.permutation[29] + t81;
    let t83 = v.main[5] - t78 * t82;
    let t84 = t78 - t71 * c.alpha;
    let t85 = t84 - t75 * t83;
    let t86 = v.main[2] * felt(2130706432) + v.public_values[0];
    let t87 = X1 * v.permutation[1] + v.permutation[0];
    let t88 = X2 * v.permutation[2] + t87;
    let t89 = X3 * v.permutation[3] + t88;
    let t90 = X4 * v.permutation[4] + t89;
    let t91 = c.alpha * t11;
    let t92 = c.alpha * t91;
    let t93 = t91 * t92;
    let t94 = t90 - t86 * t93;
    let t95 = t85 * c.alpha;
    let t96 = v.is_first_row * t94 + t95;
    let t97 = v.main[3] - v.main_next[2];
    let t98 = v.periodic[0] + t97;
    let t99 = v.main[2] * v.main[3] + felt(17);
    let t100 = t99 - v.main_next[3];
    let t101 = t98 * c.alpha;
    let t102 = v.main[0] * t100 + t101;
    let t103 = X1 * v.permutation_next[1] + v.permutation_next[0];
    let t104 = X2 * v.permutation_next[2] + t103;
    let t105 = X3 * v.permutation_next[3] + t104;
    let t106 = X4 * v.permutation_next[4] + t105;
    let t107 = t42 + t34;
    let t108 = t60 + t107;
    let t109 = t68 + t108;
    let t110 = t82 + t109;
    let t111 = t11 * t91;
    let t112 = t102 * t111 + t90;
    let t113 = t112 - t106;
    let t114 = t110 + t113;
    let t115 = t96 * c.alpha;
    let t116 = t115 - v.is_transition * t114;
    let t117 = v.main[3] * v.public_values[1];
    let t118 = v.public_values[1] * v.public_values[2];
    let t119 = t117 - t118;
    let t120 = c.alpha * t93;
    let t121 = t90 - t119 * t120;
    let t122 = t110 + t121;
    let t123 = t122 - v.terminal;
    let t124 = t116 * c.alpha;
    t124 - v.is_last_row * t123
}

/// Periodic columns of table `everything` at the point.
pub fn periodic_everything(point: Ext) -> Vec<Ext> {
    let t0 = point * point;
    let t1 = t0 * t0;
    let t2 = t1 * t1;
    let t3 = t2 * t2;
    let t4 = t3 * t3;
    let t5 = t4 * felt(1065353216) + felt(1065353218);
    let t6 = t3 * felt(2122350593) + felt(1065353217);
    let t7 = t3 * t6 + felt(8355839);
    let t8 = t3 * t7 + felt(1065353217);
    vec![t5, t8]
}

/// Folded constraints of table `narrow`: 6 constraints, 35 instructions.
pub fn eval_narrow(
    v: &Opened,
    c: &Challenges,
) -> Ext {
    let t0 = v.permutation[6] * X1 + v.permutation[5];
    let t1 = v.permutation[7] * X2 + t0;
    let t2 = v.permutation[8] * X3 + t1;
    let t3 = v.permutation[9] * X4 + t2;
    let t4 = v.main[1] - v.main[2] * c.alpha;
    let t5 = c.buses[2] * t3 + t4;
    let t6 = t5 - v.main[0] * t3;
    let t7 = X1 * v.permutation[11] + v.permutation[10];
    let t8 = X2 * v.permutation[12] + t7;
    let t9 = X3 * v.permutation[13] + t8;
    let t10 = X4 * v.permutation[14] + t9;
    let t11 = v.main[2] * c.beta + v.main[3];
    let t12 = c.buses[1] - v.main[4];
    let t13 = t12 - c.beta * t11;
    let t14 = t6 * c.alpha + felt(1);
    let t15 = t10 * t13 + t14;
    let t16 = X1 * v.permutation_next[1] + v.permutation_next[0];
    let t17 = X2 * v.permutation_next[2] + t16;
    let t18 = X3 * v.permutation_next[3] + t17;
    let t19 = X4 * v.permutation_next[4] + t18;
    let t20 = t10 + t3;
    let t21 = c.alpha * c.alpha;
    let t22 = t15 * t21;
    let t23 = t19 * v.is_transition + t22;
    let t24 = t23 - t20 * v.is_transition;
    let t25 = X1 * v.permutation[1] + v.permutation[0];
    let t26 = X2 * v.permutation[2] + t25;
    let t27 = X3 * v.permutation[3] + t26;
    let t28 = X4 * v.permutation[4] + t27;
    let t29 = v.is_transition - v.is_first_row * c.alpha;
    let t30 = t29 * c.alpha + v.is_last_row;
    let t31 = t24 * c.alpha;
    let t32 = t31 - t28 * t30;
    let t33 = t32 - t20 * v.is_last_row;
    v.terminal * v.is_last_row + t33
}

/// Folded constraints of table `constants`: 4 constraints, 2 instructions.
pub fn eval_constants(
    _v: &Opened,
    c: &Challenges,
) -> Ext {
    let t0 = c.alpha * c.alpha;
    t0 * felt(5) + felt(2130706432)
}
