//! Verifier of one proof shape, generated.

use droste_gadgets::bits::{integer, square_times, table};
use droste_gadgets::constraints::{combine, recompose, vanishing};
use droste_gadgets::fri::{evaluate, fold, fold_scales, power};
use droste_gadgets::hash::{
    Challenger, Hash, observe_constants, observe_ext, observe_integer,
};
use droste_gadgets::packing::{assert_entry_unchecked, blocks_for, unpack_all};
use droste_gadgets::poseidon16::hash_blocks;
use droste_gadgets::blake3::{Blake3 as H, Blake3Challenger as C};
use droste_gadgets::prelude::*;
use droste_gadgets::unchecked::UncheckedSlice;

/// What a proof opens for one table at the out-of-domain point, with the selectors there.
pub struct Opened<
    const MAIN: usize,
    const MAIN_NEXT: usize,
    const PREPROCESSED: usize,
    const PREPROCESSED_NEXT: usize,
    const PERMUTATION: usize,
    const PUBLIC: usize,
    const PERIODIC: usize,
> {
    /// Main trace at the point.
    pub main: [Ext; MAIN],
    /// Main trace at the next point; empty when it is not opened there.
    pub main_next: [Ext; MAIN_NEXT],
    /// Preprocessed trace at the point.
    pub preprocessed: [Ext; PREPROCESSED],
    /// Preprocessed trace at the next point; empty when it is not opened there.
    pub preprocessed_next: [Ext; PREPROCESSED_NEXT],
    /// Lookup trace at the point, flat as it is committed.
    pub permutation: [Ext; PERMUTATION],
    /// Lookup trace at the next point, flat.
    pub permutation_next: [Ext; PERMUTATION],
    /// Sum of the table's lookups; unused by a table without lookups.
    pub terminal: Ext,
    /// Public values of the table.
    pub public_values: [Felt; PUBLIC],
    /// Periodic columns at the point.
    pub periodic: [Ext; PERIODIC],
    /// Selector of the first row.
    pub is_first_row: Ext,
    /// Selector of the last row.
    pub is_last_row: Ext,
    /// Selector of all rows but the last.
    pub is_transition: Ext,
}

/// Challenges that all tables of a proof share.
pub struct Challenges<const BUSES: usize> {
    /// Folds constraints.
    pub alpha: Ext,
    /// Combines the elements of a bus message.
    pub beta: Ext,
    /// Denominator base of each bus.
    pub buses: [Ext; BUSES],
}

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
    v: &Opened<1, 0, 1, 0, 10, 0, 0>,
    c: &Challenges<1>,
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
    v: &Opened<3, 3, 0, 0, 10, 2, 1>,
    c: &Challenges<1>,
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
pub fn periodic_cubes(point: Ext) -> [Ext; 1] {
    let t0 = point * point;
    let t1 = t0 * t0;
    let t2 = t1 * t1;
    let t3 = t2 * felt(1065353216) + felt(1065353217);
    [t3]
}

/// What Plonky3's transcript observes first.
const BATCH_SEED: [u32; 55] = [161, 3371009, 6382125, 6841204, 7631661, 7041633, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 15326222, 2347922, 16624189, 4767034, 14689219, 10174554, 9200839, 5652326, 9007990, 1273751, 1226048, 0, 60, 2048, 0, 0, 2, 2048, 0, 0, 1, 2048, 0, 0, 3, 2048, 0, 0, 1, 2048, 0, 0, 32768];

/// What Plonky3's transcript observes first.
const OPENING_SEED: [u32; 95] = [281, 3371009, 7497261, 7351657, 29539, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9150218, 10784313, 988035, 13016751, 11955789, 5294333, 322932, 2244753, 4281439, 13983291, 12181405, 0, 180, 2048, 0, 0, 4, 2048, 0, 0, 2, 2048, 0, 0, 1, 2048, 0, 0, 2, 2048, 0, 0, 5, 2048, 0, 0, 1, 2048, 0, 0, 1, 2048, 0, 0, 1, 2048, 0, 0, 1, 2048, 0, 0, 1, 2048, 0, 0, 1, 2048, 0, 0, 1, 2048, 0, 0, 2, 2048, 0, 0, 2, 2048, 0, 0, 32770];

/// What Plonky3's transcript observes first.
const FRI_SEED: [u32; 51] = [149, 3371009, 7497261, 105, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1639686, 6953439, 2500470, 15163699, 5151084, 6277296, 11515629, 5846065, 609446, 16707402, 11784046, 0, 48, 2048, 0, 0, 2, 2048, 0, 0, 3, 2048, 0, 0, 2, 2048, 0, 0, 32771];

/// What every query reads that has a place in memory before the proof is looked at.
#[derive(Clone, Copy)]
pub struct Places {
    main: Slice,
    permutation: Slice,
    quotient: Slice,
    fold_0: Slice,
    fold_1: Slice,
    preprocessed: Slice,
    points_0: Slice,
}

/// What every query reads that depends on the proof. Powers are of the combiner, negated.
#[derive(Clone, Copy)]
pub struct Values {
    zeta: Ext,
    inverse_combiner: Ext,
    sum_6: Ext,
    zeta_next_6: Ext,
    sum_next_6: Ext,
    sum_4: Ext,
    zeta_next_4: Ext,
    sum_next_4: Ext,
    minus_power_7: Ext,
    minus_power_8: Ext,
    minus_power_10: Ext,
    minus_power_13: Ext,
    minus_power_22: Ext,
    minus_power_29: Ext,
    minus_power_32: Ext,
    minus_power_41: Ext,
    minus_power_51: Ext,
    scales_0: [Ext; 4],
    scales_1: [Ext; 8],
    roll_0: Ext,
    final_poly: [Ext; 2],
}

impl Values {
    /// The same values where every query finds them.
    fn pin(self) -> Self {
        Self {
            zeta: self.zeta.pin(),
            inverse_combiner: self.inverse_combiner.pin(),
            sum_6: self.sum_6.pin(),
            zeta_next_6: self.zeta_next_6.pin(),
            sum_next_6: self.sum_next_6.pin(),
            sum_4: self.sum_4.pin(),
            zeta_next_4: self.zeta_next_4.pin(),
            sum_next_4: self.sum_next_4.pin(),
            minus_power_7: self.minus_power_7.pin(),
            minus_power_8: self.minus_power_8.pin(),
            minus_power_10: self.minus_power_10.pin(),
            minus_power_13: self.minus_power_13.pin(),
            minus_power_22: self.minus_power_22.pin(),
            minus_power_29: self.minus_power_29.pin(),
            minus_power_32: self.minus_power_32.pin(),
            minus_power_41: self.minus_power_41.pin(),
            minus_power_51: self.minus_power_51.pin(),
            scales_0: [self.scales_0[0].pin(), self.scales_0[1].pin(), self.scales_0[2].pin(), self.scales_0[3].pin()],
            scales_1: [self.scales_1[0].pin(), self.scales_1[1].pin(), self.scales_1[2].pin(), self.scales_1[3].pin(), self.scales_1[4].pin(), self.scales_1[5].pin(), self.scales_1[6].pin(), self.scales_1[7].pin()],
            roll_0: self.roll_0.pin(),
            final_poly: [self.final_poly[0].pin(), self.final_poly[1].pin()],
        }
    }
}

/// Factors of the points that an index stands for, by the value of three of its bits.
const POINTS_0: [[u32; 8]; 8] = [[1, 1, 1, 1, 1, 0, 0, 0], [2130706432, 1739704753, 452244254, 1640664448, 2130706432, 0, 0, 0], [16711679, 1461727711, 2112448339, 477556550, 2113994754, 0, 0, 0], [2113994754, 1148608476, 16487292, 2056400512, 16711679, 0, 0, 0], [1739704753, 1808419225, 1640664448, 659430709, 1748172362, 0, 0, 0], [391001680, 1181515767, 1223391767, 1672666828, 382534071, 0, 0, 0], [382534071, 460973489, 2513052, 977222954, 391001680, 0, 0, 0], [1748172362, 294758772, 907760307, 379120350, 1739704753, 0, 0, 0]];

/// Everything before the queries of a proof, as `verify` says: the transcript and the constraints.
fn prepare(
    seed: [Felt; 8],
    preprocessed: Slice,
    public_cubes: [Felt; 2],
    main: Slice,
    permutation: Slice,
    quotient: Slice,
    fold_0: Slice,
    fold_1: Slice,
) -> (Values, [[Felt; 2]; 3]) {
    let mut t = C::new();
    for i in 0..8 {
        t.observe(seed[i]);
    }
    observe_constants(&mut t, BATCH_SEED);
    observe_integer(&mut t, 6);
    observe_integer(&mut t, 4);
    t.observe_digests(main, 2);
    for i in 0..2 {
        t.observe(public_cubes[i]);
    }
    t.observe_digests(preprocessed, 2);
    t.grind(2);
    let (lookup_alpha, lookup_beta) = t.sample_pair();
    t.observe_digests(permutation, 2);
    let mut terminals = Ext::ZERO;
    let terminal_range = hint_ext().checked();
    observe_ext(&mut t, terminal_range);
    terminals += terminal_range;
    let terminal_cubes = hint_ext().checked();
    observe_ext(&mut t, terminal_cubes);
    terminals += terminal_cubes;
    assert_eq!(terminals, Ext::ZERO);
    let alpha = t.sample();
    t.observe_digests(quotient, 2);
    t.grind(1);
    let zeta = t.sample();
    observe_constants(&mut t, OPENING_SEED);
    let at = t.position();
    let opened = hint_slice(blocks_for::<H>(at, 365)).any();
    t.observe_slice(opened, 365);
    let main_0 = unpack_all::<H, 1>(opened, at + 0);
    let main_1 = unpack_all::<H, 3>(opened, at + 5);
    let main_1_next = unpack_all::<H, 3>(opened, at + 20);
    let quotient_0 = unpack_all::<H, 5>(opened, at + 35);
    let quotient_1 = unpack_all::<H, 5>(opened, at + 60);
    let quotient_2 = unpack_all::<H, 5>(opened, at + 85);
    let quotient_3 = unpack_all::<H, 5>(opened, at + 110);
    let quotient_4 = unpack_all::<H, 5>(opened, at + 135);
    let preprocessed_0 = unpack_all::<H, 1>(opened, at + 160);
    let permutation_0 = unpack_all::<H, 10>(opened, at + 165);
    let permutation_0_next = unpack_all::<H, 10>(opened, at + 215);
    let permutation_1 = unpack_all::<H, 10>(opened, at + 265);
    let permutation_1_next = unpack_all::<H, 10>(opened, at + 315);
    t.grind(1);
    let combiner = t.sample();
    observe_constants(&mut t, FRI_SEED);
    t.observe_digests(fold_0, 2);
    t.grind(2);
    let beta_0 = t.sample();
    t.observe_digests(fold_1, 2);
    t.grind(2);
    let beta_1 = t.sample();
    let mut final_poly = [Ext::ZERO; 2];
    for i in 0..2 {
        final_poly[i] = hint_ext().checked();
        observe_ext(&mut t, final_poly[i]);
    }
    t.grind(3);
    let challenges = Challenges {
        alpha,
        beta: lookup_beta,
        buses: [
            lookup_alpha + power(lookup_beta, 1) * felt(1),
        ],
    };
    let vanishing_6 = vanishing(zeta, 6);
    let inverse_vanishing_6 = vanishing_6.inverse();
    let transition_6 = zeta - Felt::new(452244254);
    let first_6 = vanishing_6 * (zeta - Felt::ONE).inverse();
    let last_6 = vanishing_6 * transition_6.inverse();
    let vanishing_4 = vanishing(zeta, 4);
    let inverse_vanishing_4 = vanishing_4.inverse();
    let transition_4 = zeta - Felt::new(1461727711);
    let first_4 = vanishing_4 * (zeta - Felt::ONE).inverse();
    let last_4 = vanishing_4 * transition_4.inverse();
    let mut quotient_of_range = Ext::ZERO;
    quotient_of_range += recompose(quotient_0);
    let folded_range = eval_range(
        &Opened {
            main: main_0,
            main_next: [],
            preprocessed: preprocessed_0,
            preprocessed_next: [],
            permutation: permutation_0,
            permutation_next: permutation_0_next,
            terminal: terminal_range,
            public_values: [],
            periodic: [],
            is_first_row: first_6,
            is_last_row: last_6,
            is_transition: transition_6,
        },
        &challenges,
    );
    assert_eq!(folded_range * inverse_vanishing_6, quotient_of_range);
    let vanishing_cubes_0 = (vanishing_4 + Felt::ONE) * Felt::new(1003656746) - Felt::ONE;
    let vanishing_cubes_1 = (vanishing_4 + Felt::ONE) * Felt::new(428559380) - Felt::ONE;
    let vanishing_cubes_2 = (vanishing_4 + Felt::ONE) * Felt::new(1127049687) - Felt::ONE;
    let vanishing_cubes_3 = (vanishing_4 + Felt::ONE) * Felt::new(1702147053) - Felt::ONE;
    let mut quotient_of_cubes = Ext::ZERO;
    quotient_of_cubes += recompose(quotient_1) * vanishing_cubes_1 * vanishing_cubes_2 * vanishing_cubes_3 * Felt::new(532676608);
    quotient_of_cubes += recompose(quotient_2) * vanishing_cubes_0 * vanishing_cubes_2 * vanishing_cubes_3 * Felt::new(532676608);
    quotient_of_cubes += recompose(quotient_3) * vanishing_cubes_0 * vanishing_cubes_1 * vanishing_cubes_3 * Felt::new(532676608);
    quotient_of_cubes += recompose(quotient_4) * vanishing_cubes_0 * vanishing_cubes_1 * vanishing_cubes_2 * Felt::new(532676608);
    let folded_cubes = eval_cubes(
        &Opened {
            main: main_1,
            main_next: main_1_next,
            preprocessed: [],
            preprocessed_next: [],
            permutation: permutation_1,
            permutation_next: permutation_1_next,
            terminal: terminal_cubes,
            public_values: public_cubes,
            periodic: periodic_cubes(zeta),
            is_first_row: first_4,
            is_last_row: last_4,
            is_transition: transition_4,
        },
        &challenges,
    );
    assert_eq!(folded_cubes * inverse_vanishing_4, quotient_of_cubes);
    let mut sum_6 = Ext::ZERO;
    sum_6 += combine(main_0, combiner) * power(combiner, 0);
    sum_6 += combine(quotient_0, combiner) * power(combiner, 1);
    sum_6 += combine(preprocessed_0, combiner) * power(combiner, 6);
    sum_6 += combine(permutation_0, combiner) * power(combiner, 7);
    let mut sum_next_6 = Ext::ZERO;
    sum_next_6 += combine(permutation_0_next, combiner) * power(combiner, 17);
    let mut sum_4 = Ext::ZERO;
    sum_4 += combine(main_1, combiner) * power(combiner, 0);
    sum_4 += combine(quotient_1, combiner) * power(combiner, 6);
    sum_4 += combine(quotient_2, combiner) * power(combiner, 11);
    sum_4 += combine(quotient_3, combiner) * power(combiner, 16);
    sum_4 += combine(quotient_4, combiner) * power(combiner, 21);
    sum_4 += combine(permutation_1, combiner) * power(combiner, 26);
    let mut sum_next_4 = Ext::ZERO;
    sum_next_4 += combine(main_1_next, combiner) * power(combiner, 3);
    sum_next_4 += combine(permutation_1_next, combiner) * power(combiner, 36);
    let minus_power_7 = -power(combiner, 7);
    let minus_power_8 = minus_power_7 * power(combiner, 1);
    let minus_power_10 = minus_power_8 * power(combiner, 2);
    let minus_power_13 = minus_power_10 * power(combiner, 3);
    let minus_power_22 = minus_power_13 * power(combiner, 9);
    let minus_power_29 = minus_power_22 * power(combiner, 7);
    let minus_power_32 = minus_power_29 * power(combiner, 3);
    let minus_power_41 = minus_power_32 * power(combiner, 9);
    let minus_power_51 = minus_power_41 * power(combiner, 10);
    let values = Values {
        zeta,
        inverse_combiner: combiner.inverse(),
        sum_6,
        zeta_next_6: zeta * Felt::new(1548376985),
        sum_next_6,
        sum_4,
        zeta_next_4: zeta * Felt::new(148625052),
        sum_next_4,
        minus_power_7,
        minus_power_8,
        minus_power_10,
        minus_power_13,
        minus_power_22,
        minus_power_29,
        minus_power_32,
        minus_power_41,
        minus_power_51,
        scales_0: fold_scales::<4>(beta_0, 2),
        scales_1: fold_scales::<8>(beta_1, 3),
        roll_0: power(beta_0, 4),
        final_poly,
    };
    let mut words = [[Felt::ZERO, Felt::ZERO]; 3];
    for i in 0..3 {
        words[i] = t.sample_word();
    }
    (values, words)
}

/// Verifies one proof. Its transcript begins with `seed`; `preprocessed` is the commitment to
/// the preprocessed traces; then the public values of each table that has any.
pub fn verify(seed: [Felt; 8], preprocessed: Slice, public_cubes: [Felt; 2]) {
    // Commitments are bound by the transcript and opened by the queries.
    let main = hint_slice(2 * H::DIGEST_BLOCKS).any();
    let permutation = hint_slice(2 * H::DIGEST_BLOCKS).any();
    let quotient = hint_slice(2 * H::DIGEST_BLOCKS).any();
    let fold_0 = hint_slice(2 * H::DIGEST_BLOCKS).any();
    let fold_1 = hint_slice(2 * H::DIGEST_BLOCKS).any();
    let (values, words) = prepare(seed, preprocessed, public_cubes, main, permutation, quotient, fold_0, fold_1);
    let places = Places {
        main,
        permutation,
        quotient,
        fold_0,
        fold_1,
        preprocessed,
        points_0: table(POINTS_0),
    };
    let values = values.pin();
    for i in 0..3 {
        query(places, values, words[i]);
    }
}

/// One query: opens the commitments at a sampled index and folds down to the final polynomial.
#[inline(never)]
fn query(p: Places, v: Values, word: [Felt; 2]) {
    let bits = C::hint_bits();
    let index_5_7 = integer(bits, 5, 2);
    let index_2_5 = integer(bits, 2, 3);
    let index_2_7 = index_5_7 * felt(8) + index_2_5;
    let index_0_2 = integer(bits, 0, 2);
    let index_0_7 = index_2_7 * felt(4) + index_0_2;
    let index_7_8 = integer(bits, 7, 1);
    let index = index_7_8 * felt(128) + index_0_7;
    C::assert_bits(word, bits, index, 8);
    // A table of points has 8 entries, and each of these integers has at most 3 bits.
    let inverse_start_0 = p.points_0.at_unchecked(index_2_5).lane(1) * p.points_0.at_unchecked(index_5_7).lane(2) * p.points_0.at_unchecked(index_7_8).lane(3);
    let point = (inverse_start_0 * p.points_0.at_unchecked(index_0_2).lane(0)).inverse();
    let mut combined_6 = v.sum_6;
    let mut combined_next_6 = v.sum_next_6;
    let mut combined_4 = v.sum_4;
    let mut combined_next_4 = v.sum_next_4;
    // The cap has 2 digests, and the integer 1 bits.
    let main_root = H::digest_unchecked(p.main, index_7_8);
    let main_row_6 = hint_slice(1).any();
    let mut main = H::leaf(main_row_6, 1);
    let path = hint_slice(2 * H::DIGEST_BLOCKS).any();
    main = H::path(main, index_0_2, path, 2);
    let main_0_0 = horner(main_row_6.skip(0), 0, 1, v.inverse_combiner);
    combined_6 = main_0_0 * v.minus_power_7 + combined_6;
    let main_row_4 = hint_slice(1).any();
    main = H::parent(main, H::leaf(main_row_4, 3));
    let path = hint_slice(5 * H::DIGEST_BLOCKS).any();
    main = H::path(main, index_2_7, path, 5);
    let main_1_0 = horner(main_row_4.skip(0), 0, 3, v.inverse_combiner);
    combined_4 = main_1_0 * v.minus_power_7 + combined_4;
    combined_next_4 = main_1_0 * v.minus_power_10 + combined_next_4;
    H::assert_same(main_root, main);
    // The cap has 2 digests, and the integer 1 bits.
    let quotient_root = H::digest_unchecked(p.quotient, index_7_8);
    let quotient_row_6 = hint_slice(1).any();
    let mut quotient = H::leaf(quotient_row_6, 5);
    let path = hint_slice(2 * H::DIGEST_BLOCKS).any();
    quotient = H::path(quotient, index_0_2, path, 2);
    let quotient_0_0 = horner(quotient_row_6.skip(0), 0, 5, v.inverse_combiner);
    combined_6 = quotient_0_0 * v.minus_power_8 + combined_6;
    let quotient_row_4 = hint_slice(3).any();
    quotient = H::parent(quotient, H::leaf(quotient_row_4, 20));
    let path = hint_slice(5 * H::DIGEST_BLOCKS).any();
    quotient = H::path(quotient, index_2_7, path, 5);
    let quotient_1_0 = horner(quotient_row_4.skip(0), 0, 20, v.inverse_combiner);
    combined_4 = quotient_1_0 * v.minus_power_29 + combined_4;
    H::assert_same(quotient_root, quotient);
    // The cap has 2 digests, and the integer 1 bits.
    let preprocessed_root = H::digest_unchecked(p.preprocessed, index_7_8);
    let preprocessed_row_6 = hint_slice(1).any();
    let mut preprocessed = H::leaf(preprocessed_row_6, 1);
    let path = hint_slice(7 * H::DIGEST_BLOCKS).any();
    preprocessed = H::path(preprocessed, index_0_7, path, 7);
    let preprocessed_0_0 = horner(preprocessed_row_6.skip(0), 0, 1, v.inverse_combiner);
    combined_6 = preprocessed_0_0 * v.minus_power_13 + combined_6;
    H::assert_same(preprocessed_root, preprocessed);
    // The cap has 2 digests, and the integer 1 bits.
    let permutation_root = H::digest_unchecked(p.permutation, index_7_8);
    let permutation_row_6 = hint_slice(2).any();
    let mut permutation = H::leaf(permutation_row_6, 10);
    let path = hint_slice(2 * H::DIGEST_BLOCKS).any();
    permutation = H::path(permutation, index_0_2, path, 2);
    let permutation_0_0 = horner(permutation_row_6.skip(0), 0, 10, v.inverse_combiner);
    combined_6 = permutation_0_0 * v.minus_power_22 + combined_6;
    combined_next_6 = permutation_0_0 * v.minus_power_32 + combined_next_6;
    let permutation_row_4 = hint_slice(2).any();
    permutation = H::parent(permutation, H::leaf(permutation_row_4, 10));
    let path = hint_slice(5 * H::DIGEST_BLOCKS).any();
    permutation = H::path(permutation, index_2_7, path, 5);
    let permutation_1_0 = horner(permutation_row_4.skip(0), 0, 10, v.inverse_combiner);
    combined_4 = permutation_1_0 * v.minus_power_41 + combined_4;
    combined_next_4 = permutation_1_0 * v.minus_power_51 + combined_next_4;
    H::assert_same(permutation_root, permutation);
    let x_6 = square_times(point, 0) * Felt::new(3);
    let mut reduced_6 = combined_6 * (v.zeta - x_6).inverse();
    reduced_6 = combined_next_6 * (v.zeta_next_6 - x_6).inverse() + reduced_6;
    let x_4 = square_times(point, 2) * Felt::new(3);
    let mut reduced_4 = combined_4 * (v.zeta - x_4).inverse();
    reduced_4 = combined_next_4 * (v.zeta_next_4 - x_4).inverse() + reduced_4;
    let mut value = reduced_6;
    // The cap has 2 digests, and the integer 1 bits.
    let root_0 = H::digest_unchecked(p.fold_0, index_7_8);
    let row_0 = hint_slice(3).any();
    let mut node_0 = H::leaf(row_0, 20);
    let elements_0 = unpack_all::<H, 4>(row_0, 0);
    // A row has 4 elements, and the integer 2 bits.
    assert_entry_unchecked::<H, 4>(row_0, elements_0, index_0_2, value);
    let path = hint_slice(5 * H::DIGEST_BLOCKS).any();
    node_0 = H::path(node_0, index_2_7, path, 5);
    H::assert_same(root_0, node_0);
    value = fold(elements_0, 2, v.scales_0, inverse_start_0);
    // As above, of the tables of points.
    let inverse_start_1 = square_times(inverse_start_0, 2) * p.points_0.at_unchecked(index_2_5).lane(4);
    value = reduced_4 * v.roll_0 + value;
    // The cap has 2 digests, and the integer 1 bits.
    let root_1 = H::digest_unchecked(p.fold_1, index_7_8);
    let row_1 = hint_slice(5).any();
    let mut node_1 = H::leaf(row_1, 40);
    let elements_1 = unpack_all::<H, 8>(row_1, 0);
    // A row has 8 elements, and the integer 3 bits.
    assert_entry_unchecked::<H, 8>(row_1, elements_1, index_2_5, value);
    let path = hint_slice(2 * H::DIGEST_BLOCKS).any();
    node_1 = H::path(node_1, index_5_7, path, 2);
    H::assert_same(root_1, node_1);
    value = fold(elements_1, 3, v.scales_1, inverse_start_1);
    assert_eq!(evaluate(v.final_poly, square_times(inverse_start_1, 3).inverse()), value);
}
