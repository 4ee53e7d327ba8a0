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

/// Folded constraints of table `range`: 4 constraints, 24 instructions.
pub fn eval_range(
    v: &Opened,
    c: &Challenges,
) -> Ext {
    let t0 = v.permutation[6] * X1 + v.permutation[5];
    let t1 = v.permutation[7] * X2 + t0;
    let t2 = v.permutation[8] * X3 + t1;
    let t3 = v.permutation[9] * X4 + t2;
    let t4 = c.buses[0] * t3 + v.main[0];
    let t5 = t4 - v.preprocessed[0] * t3;
    let t6 = X1 * v.permutation_next[1] + v.permutation_next[0];
    let t7 = X2 * v.permutation_next[2] + t6;
    let t8 = X3 * v.permutation_next[3] + t7;
    let t9 = X4 * v.permutation_next[4] + t8;
    let t10 = c.alpha * c.alpha;
    let t11 = t5 * t10;
    let t12 = t11 - t3 * v.is_transition;
    let t13 = t9 * v.is_transition + t12;
    let t14 = X1 * v.permutation[1] + v.permutation[0];
    let t15 = X2 * v.permutation[2] + t14;
    let t16 = X3 * v.permutation[3] + t15;
    let t17 = X4 * v.permutation[4] + t16;
    let t18 = v.is_transition - v.is_first_row * c.alpha;
    let t19 = t18 * c.alpha + v.is_last_row;
    let t20 = t13 * c.alpha;
    let t21 = t20 - t3 * v.is_last_row;
    let t22 = t21 - t17 * t19;
    v.terminal * v.is_last_row + t22
}

/// Folded constraints of table `cubes`: 10 constraints, 47 instructions.
pub fn eval_cubes(
    v: &Opened,
    c: &Challenges,
) -> Ext {
    let t0 = v.main[2] - v.periodic[0];
    let t1 = v.main[0] - c.buses[0];
    let t2 = c.buses[0] - v.main[0] * v.main[2];
    let t3 = v.permutation[6] * X1 + v.permutation[5];
    let t4 = v.permutation[7] * X2 + t3;
    let t5 = v.permutation[8] * X3 + t4;
    let t6 = v.permutation[9] * X4 + t5;
    let t7 = t2 * t6 + felt(2130706432);
    let t8 = t2 - t0 * c.alpha;
    let t9 = t1 * t7 + t8;
    let t10 = v.main[0] * felt(2130706432) + v.public_values[0];
    let t11 = v.main[1] - t10 * c.alpha;
    let t12 = v.main[0] * v.main[0];
    let t13 = t11 - t12 * v.main[0];
    let t14 = X1 * v.permutation[1] + v.permutation[0];
    let t15 = X2 * v.permutation[2] + t14;
    let t16 = X3 * v.permutation[3] + t15;
    let t17 = X4 * v.permutation[4] + t16;
    let t18 = c.alpha * c.alpha;
    let t19 = c.alpha * t18;
    let t20 = t19 * t19;
    let t21 = t13 * t20 + t17;
    let t22 = t9 * c.alpha;
    let t23 = t22 - v.is_first_row * t21;
    let t24 = v.main[0] * felt(2130706432) + felt(2130706432);
    let t25 = v.main_next[0] + t24;
    let t26 = v.main[1] - t25 * c.alpha;
    let t27 = v.main_next[0] * v.main_next[0];
    let t28 = t27 * v.main_next[0] + t26;
    let t29 = t28 - v.main_next[1];
    let t30 = X1 * v.permutation_next[1] + v.permutation_next[0];
    let t31 = X2 * v.permutation_next[2] + t30;
    let t32 = X3 * v.permutation_next[3] + t31;
    let t33 = X4 * v.permutation_next[4] + t32;
    let t34 = t18 * t19;
    let t35 = t29 * t34 + t6;
    let t36 = t17 + t35;
    let t37 = t36 - t33;
    let t38 = t23 * c.alpha;
    let t39 = v.is_transition * t37 + t38;
    let t40 = v.main[1] * felt(2130706432) + v.public_values[1];
    let t41 = t40 * t34 + t6;
    let t42 = t17 + t41;
    let t43 = t42 - v.terminal;
    let t44 = t39 * c.alpha;
    let t45 = v.is_last_row * t43 + t44;
    t45 * felt(2130706432)
}

/// Periodic columns of table `cubes` at the point.
pub fn periodic_cubes(point: Ext) -> Vec<Ext> {
    let t0 = point * point;
    let t1 = t0 * t0;
    let t2 = t1 * t1;
    let t3 = t2 * felt(1065353216) + felt(1065353217);
    vec![t3]
}

use droste_gadgets::verify::fri::constraints::Constraints;
use droste_gadgets::verify::fri::shape::{Shape, Table};

/// The tables of a proof.
pub struct Tables;

impl Constraints for Tables {
    fn folded(&self, table: usize, v: &Opened, c: &Challenges) -> Ext {
        match table {
            0 => eval_range(v, c),
            1 => eval_cubes(v, c),
            _ => panic!("there is no such table"),
        }
    }

    fn periodic(&self, table: usize, point: Ext) -> Vec<Ext> {
        match table {
            1 => periodic_cubes(point),
            _ => Vec::new(),
        }
    }
}

/// The shape of the proofs.
pub fn shape() -> Shape {
Shape {
    uni: false,
    degree: 5,
    random_codewords: 0,
    salts: 0,
    tables: vec![
        Table {
            log_height: 6,
            main_width: 1,
            main_next: false,
            preprocessed_width: 1,
            preprocessed_next: false,
            permutation_width: 10,
            quotient_chunks: 1,
            public_values: 0,
        },
        Table {
            log_height: 4,
            main_width: 3,
            main_next: true,
            preprocessed_width: 0,
            preprocessed_next: false,
            permutation_width: 10,
            quotient_chunks: 4,
            public_values: 2,
        },
    ],
    buses: 1,
    message_width: 1,
    log_blowup: 2,
    cap_height: 1,
    num_queries: 3,
    log_final_poly_len: 1,
    log_arities: vec![
        2,
        3,
    ],
    lookup_grinding_bits: 2,
    ood_grinding_bits: 1,
    batch_grinding_bits: 1,
    commit_grinding_bits: 2,
    query_grinding_bits: 3,
    stark_seed: vec![
        161,
        3371009,
        6382125,
        6841204,
        7631661,
        7041633,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        15326222,
        2347922,
        16624189,
        4767034,
        14689219,
        10174554,
        9200839,
        5652326,
        9007990,
        1273751,
        1226048,
        0,
        60,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        3,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        32768,
    ],
    opening_seed: vec![
        281,
        3371009,
        7497261,
        7351657,
        29539,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        9150218,
        10784313,
        988035,
        13016751,
        11955789,
        5294333,
        322932,
        2244753,
        4281439,
        13983291,
        12181405,
        0,
        180,
        2048,
        0,
        0,
        4,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        5,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        1,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        32770,
    ],
    fri_seed: vec![
        149,
        3371009,
        7497261,
        105,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1639686,
        6953439,
        2500470,
        15163699,
        5151084,
        6277296,
        11515629,
        5846065,
        609446,
        16707402,
        11784046,
        0,
        48,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        3,
        2048,
        0,
        0,
        2,
        2048,
        0,
        0,
        32771,
    ],
}
}
