//! The prover's rounds over the variables of calls.
//!
//! Row `i` of all calls has the same constraints and the same weight `w_i` but for the call's, so
//! the sum is `sum_i w_i sum_call eq(tau, call) (sum_p e_p left_p right_p + rest)`, over the rows
//! that have constraints: one rest in each, and only the products that hold there. A round
//! polynomial is the product of `eq(tau_j, X)` with a quadratic, whose constant and leading
//! coefficients are enough (Gruen, ePrint 2024/108, section 3).
//!
//! The first round is computed from words, and so are the tables of the second one: tables of all
//! calls are never in memory.

use p3_field::{Field, PackedField, PackedValue, PrimeCharacteristicRing};
use p3_maybe_rayon::prelude::*;

use super::constants_of_row;
use super::prover::Rounds;
use crate::bits::{BLOCK, Sums, WordMap, Words};
use crate::circuit::{BITS, Circuit};
use crate::field::{K, PRODUCTS, eq_table, fold_halves};
use crate::trace::{OperandBlock, RowPairs, Trace, split_columns};

/// The constraints of rows in which the same groups hold.
struct Kind {
    /// The groups, by bits.
    groups: u64,
    /// The operands of products.
    operands: Vec<usize>,
    /// First and second operand, as indices of [`Self::operands`], with what is added to the first
    /// one, and the constraint's weight.
    products: Vec<[(usize, K); 2]>,
    /// The sum of all rests, without constants: whether the words are of the next row, which ones,
    /// and what their bits weigh.
    rest: Vec<(bool, usize, WordMap)>,
}

impl Kind {
    fn new(circuit: &Circuit, bits: &[K; BITS], constraints: &[K], groups: u64) -> Self {
        let holds = |group: usize| groups >> group & 1 == 1;
        let mut operands = Vec::new();
        let mut place = |operand: usize| {
            let known = operands.iter().position(|&known| known == operand);
            known.unwrap_or_else(|| {
                operands.push(operand);
                operands.len() - 1
            })
        };
        let own = circuit
            .with_first()
            .enumerate()
            .filter(|&(group, _)| holds(group));
        let products =
            own.flat_map(|(_, (group, first))| group.products.iter().zip(&constraints[first..]));
        let products = products.map(|(product, &e)| {
            let inverse = K::from_bool(product.inverted);
            [(place(product.left), inverse), (place(product.right), e)]
        });
        let products = products.collect();
        let only: Vec<K> = (0..circuit.groups.len())
            .map(|group| K::from_bool(holds(group)))
            .collect();
        let columns = circuit.transpose(bits, &[], constraints, &only);
        let words = columns
            .iter()
            .zip([false, true])
            .flat_map(|(columns, next)| {
                let words = columns.as_chunks::<BITS>().0.iter().enumerate();
                let used =
                    words.filter(|(_, weights)| weights.iter().any(|&weight| weight != K::ZERO));
                used.map(move |(word, weights)| (next, word, WordMap::new(weights)))
            });
        Self {
            groups,
            operands,
            products,
            rest: words.collect(),
        }
    }

    /// Constant and leading coefficient of the sum of a block's constraints with the weights
    /// `equal` of calls, in the variable whose values are in low and high tables: of operands, and
    /// then of the rest.
    fn quadratic(&self, low: &[&[K]], high: &[&[K]], equal: &[K]) -> [K; 2] {
        if equal.len().is_multiple_of(<K as Field>::Packing::WIDTH) {
            self.packed_quadratic::<<K as Field>::Packing>(low, high, equal)
        } else {
            self.packed_quadratic::<K>(low, high, equal)
        }
    }

    fn packed_quadratic<P: PackedField<Scalar = K>>(
        &self,
        low: &[&[K]],
        high: &[&[K]],
        equal: &[K],
    ) -> [K; 2] {
        let equal = P::pack_slice(equal);
        let mut constants = [P::ZERO; BLOCK];
        let mut leading = [P::ZERO; BLOCK];
        constants[..equal.len()].copy_from_slice(P::pack_slice(low[self.operands.len()]));
        let (blocks, rest) = self.products.as_chunks::<PRODUCTS>();
        for products in blocks {
            let left = products
                .map(|[(left, _), _]| (P::pack_slice(low[left]), P::pack_slice(high[left])));
            let right = products
                .map(|[_, (right, _)]| (P::pack_slice(low[right]), P::pack_slice(high[right])));
            let inverse = products.map(|[(_, inverse), _]| P::from(inverse));
            let weight = products.map(|[_, (_, weight)]| P::from(weight));
            for i in 0..equal.len() {
                let a = std::array::from_fn(|k| weight[k] * (left[k].0[i] + inverse[k]));
                let b = std::array::from_fn(|k| right[k].0[i]);
                constants[i] += P::dot_product::<PRODUCTS>(&a, &b);
                let a = std::array::from_fn(|k| weight[k] * (left[k].0[i] + left[k].1[i]));
                let b = std::array::from_fn(|k| right[k].0[i] + right[k].1[i]);
                leading[i] += P::dot_product::<PRODUCTS>(&a, &b);
            }
        }
        for &[(left, inverse), (right, weight)] in rest {
            let (left, left_high) = (P::pack_slice(low[left]), P::pack_slice(high[left]));
            let (right, right_high) = (P::pack_slice(low[right]), P::pack_slice(high[right]));
            let (inverse, weight) = (P::from(inverse), P::from(weight));
            for i in 0..equal.len() {
                constants[i] += weight * (left[i] + inverse) * right[i];
                leading[i] += weight * (left[i] + left_high[i]) * (right[i] + right_high[i]);
            }
        }
        [constants, leading].map(|values| {
            let sum: P = values
                .iter()
                .zip(equal)
                .map(|(&value, &equal)| value * equal)
                .sum();
            sum.as_slice().iter().copied().sum()
        })
    }
}

/// A row of a call that has constraints.
struct ActiveRow {
    row: usize,
    /// Index of its kind.
    kind: usize,
    /// Its weight, less that of the call.
    weight: K,
    /// The constants of its constraints, by their weights.
    constant: K,
}

/// The sum.
pub(super) struct CallSums<'a> {
    circuit: &'a Circuit,
    trace: &'a Trace<'a>,
    /// What the bits of an operand weigh.
    bits: WordMap,
    kinds: Vec<Kind>,
    rows: Vec<ActiveRow>,
}

/// Tables over calls for each row, one after the other: those of its operands, and that of the
/// rest.
type Tables = Vec<Vec<K>>;

impl<'a> CallSums<'a> {
    /// Constraints weigh `constraints`, the rows of a call `weights`, and the bits of a word
    /// `bits`.
    pub fn new(
        circuit: &'a Circuit,
        trace: &'a Trace<'a>,
        bits: &[K; BITS],
        constraints: &[K],
        weights: &[K],
    ) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        let mut rows = Vec::new();
        for (row, &weight) in weights.iter().enumerate() {
            let groups = circuit.groups.iter().enumerate();
            let groups = groups.fold(0, |all, (i, group)| all | (group.rows >> row & 1) << i);
            if groups == 0 {
                continue;
            }
            let known = kinds.iter().position(|kind| kind.groups == groups);
            let kind = known.unwrap_or_else(|| {
                kinds.push(Kind::new(circuit, bits, constraints, groups));
                kinds.len() - 1
            });
            let constants = constants_of_row(circuit, bits, constraints, row);
            let constants = constants.into_iter().enumerate();
            let own = constants.filter(|(group, _)| groups >> group & 1 == 1);
            rows.push(ActiveRow {
                row,
                kind,
                weight,
                constant: own.map(|(_, constant)| constant).sum(),
            });
        }
        Self {
            circuit,
            trace,
            bits: WordMap::new(bits),
            kinds,
            rows,
        }
    }

    /// Proves; returns the point over calls and the value of `eq(tau, .)` there.
    pub fn prove(&self, tau: &[K], rounds: &mut Rounds<'_>) -> (Vec<K>, K) {
        let mut point = vec![K::ZERO; tau.len()];
        let (mut scale, mut tables) = (K::ONE, None);
        let mut equal = eq_table(&tau[..tau.len() - 1]);
        if equal.len() < BLOCK {
            tables = Some(self.tables(None));
        }
        for (j, &tau) in tau.iter().enumerate().rev() {
            let quadratic = match &tables {
                None => self.first_quadratic(&equal),
                Some(tables) => self.quadratic(tables, &equal),
            };
            let x = rounds.send_product(tau, quadratic.map(|sum| scale * sum));
            point[j] = x;
            scale *= K::ONE + tau + x;
            match &mut tables {
                None => tables = Some(self.tables(Some(x))),
                Some(tables) => tables
                    .par_iter_mut()
                    .for_each(|tables| fold_tables(tables, 2 * equal.len(), x)),
            }
            // The weights without the next variable.
            let half = equal.len() / 2;
            let (low, high) = equal.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(&*high) {
                *low += *high;
            }
            equal.truncate(half);
        }
        (point, scale)
    }

    /// Constant and leading coefficient of a round's polynomial, less its factor, from the tables.
    fn quadratic(&self, tables: &Tables, equal: &[K]) -> [K; 2] {
        let (half, size) = (equal.len(), BLOCK.min(equal.len()));
        let blocks = half / size;
        (0..self.rows.len() * blocks)
            .into_par_iter()
            .map(|i| {
                let (index, first) = (i / blocks, i % blocks * size);
                let row = &self.rows[index];
                let parts = |first: usize| -> Vec<&[K]> {
                    let tables = tables[index].chunks(2 * half);
                    tables.map(|table| &table[first..][..size]).collect()
                };
                let (low, high) = (parts(first), parts(half + first));
                let sums = self.kinds[row.kind].quadratic(&low, &high, &equal[first..][..size]);
                sums.map(|sum| row.weight * sum)
            })
            .reduce(|| [K::ZERO; 2], add)
    }

    /// [`Self::quadratic`] of the first round, from words.
    fn first_quadratic(&self, equal: &[K]) -> [K; 2] {
        let half = equal.len();
        let values = || [(); 2].map(|()| BlockValues::new(self));
        (equal.par_chunks(BLOCK).enumerate())
            .map_init(values, |[low, high], (block, equal)| {
                let rows = self.rows.iter().map(|row| {
                    let low = low.read(row, BLOCK * block);
                    let high = high.read(row, half + BLOCK * block);
                    let [low, high] =
                        [low, high].map(|values| values.iter().map(<[K; BLOCK]>::as_slice));
                    let (low, high) = (low.collect::<Vec<_>>(), high.collect::<Vec<_>>());
                    let sums = self.kinds[row.kind].quadratic(&low, &high, equal);
                    sums.map(|sum| row.weight * sum)
                });
                rows.fold([K::ZERO; 2], add)
            })
            .reduce(|| [K::ZERO; 2], add)
    }

    /// The tables, with the first variable bound if there is a challenge.
    fn tables(&self, challenge: Option<K>) -> Tables {
        let length = (1 << self.trace.log_calls()) / if challenge.is_some() { 2 } else { 1 };
        let tables = self.rows.iter().map(|row| {
            let count = self.kinds[row.kind].operands.len() + 1;
            K::zero_vec(count * length)
        });
        let mut tables: Tables = tables.collect();
        let all = tables.iter_mut().flat_map(|row| row.chunks_mut(length));
        let values = || [(); 2].map(|()| BlockValues::new(self));
        (split_columns(all, BLOCK).into_par_iter().enumerate()).for_each_init(
            values,
            |[low, high], (block, mut parts)| {
                let mut parts = parts.iter_mut();
                for row in &self.rows {
                    let low = low.read(row, BLOCK * block);
                    let high = challenge.map(|challenge| {
                        let high = high.read(row, length + BLOCK * block);
                        (challenge, high)
                    });
                    for (i, (low, part)) in low.iter().zip(parts.by_ref()).enumerate() {
                        part.copy_from_slice(&low[..part.len()]);
                        if let Some((challenge, high)) = high {
                            fold_halves(part, &high[i], challenge);
                        }
                    }
                }
            },
        );
        tables
    }
}

/// Values of operands and of the rest in rows of blocks of calls.
struct BlockValues<'a> {
    sums: &'a CallSums<'a>,
    pairs: RowPairs<'a>,
    operands: OperandBlock,
    values: Vec<[K; BLOCK]>,
}

impl<'a> BlockValues<'a> {
    fn new(sums: &'a CallSums<'a>) -> Self {
        Self {
            sums,
            pairs: RowPairs::new(sums.trace),
            operands: OperandBlock::default(),
            values: Vec::new(),
        }
    }

    /// The values in a row of the calls from `first` on.
    fn read(&mut self, row: &ActiveRow, first: usize) -> &[[K; BLOCK]] {
        let kind = &self.sums.kinds[row.kind];
        let (own, next) = self.pairs.read(row.row, first);
        self.operands.set((own, next), self.sums.circuit);
        self.values.clear();
        for &operand in &kind.operands {
            let mut sums = Sums::default();
            let words = Words::new(&self.operands.word(operand));
            self.sums.bits.add(&words, &mut sums);
            self.values.push(sums.elements());
        }
        let mut rest = Sums::default();
        for &(of_next, word, ref map) in &kind.rest {
            let rows = if of_next { next } else { own };
            map.add(&Words::new(&rows.word(word)), &mut rest);
        }
        let rest = rest.elements().map(|rest| rest + row.constant);
        self.values.push(rest);
        &self.values
    }
}

/// Binds the most significant variable of tables of `length` elements each.
fn fold_tables(tables: &mut Vec<K>, length: usize, challenge: K) {
    let (count, half) = (tables.len() / length, length / 2);
    tables.par_chunks_mut(length).for_each(|table| {
        let (low, high) = table.split_at_mut(half);
        fold_halves(low, high, challenge);
    });
    for table in 1..count {
        tables.copy_within(table * length..table * length + half, table * half);
    }
    tables.truncate(count * half);
}

/// The sums of two pairs.
fn add(left: [K; 2], right: [K; 2]) -> [K; 2] {
    [left[0] + right[0], left[1] + right[1]]
}
