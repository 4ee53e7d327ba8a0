//! Forgeries of chains that every table of [`digest_chain`](crate::tables::digest_chain) must
//! refuse.

use droste_air::byte_pairs::{self, BytePairsTable};
use droste_air::keccak;
use droste_air::spread::{self, SpreadTable};
use droste_air::test_utils::{Harness, RowBuilder, Table as Traced};
use droste_native::F;
use p3_air::Air;
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::{Block, Run, Tested, forge, forged, generate};
use crate::record::Execution;
use crate::tables::digest_chain::{DIGEST_LIMBS, DigestChainCols};
use crate::tables::{LANES, Table};

/// What a forger needs to know about a table of digest chains. Its data are those of [`data`].
pub trait DigestTable: Tested {
    const HASH: u32;
    const MERKLE: u32;
    /// Number of words that a row of a hash takes if another row follows.
    const ROW_WORDS: usize;

    fn hash(blocks: &[Block], words: usize) -> [Block; 2];
    fn merkle(leaf: &[Block; 2], index: u32, path: &[[Block; 2]]) -> [Block; 2];

    fn chain(row: &mut Self::Row) -> &mut DigestChainCols<F>;
    fn present(row: &mut Self::Row) -> &mut [F];
    fn lanes(row: &mut Self::Row) -> &mut [F];
    fn output(row: &Self::Row) -> [F; DIGEST_LIMBS];
    fn is_active(row: &Self::Row) -> bool;

    /// Sets the state before a row of a hash: the initial one on its first row, otherwise what the
    /// row above computed.
    fn start(row: &mut Self::Row, above: Option<&Self::Row>);
    /// Computes the columns of a row that depend on its others; `is_last` says that it is the last
    /// of its call.
    fn compute(row: &mut Self::Row, is_last: bool);
}

/// Returns 64 blocks of limbs.
pub fn data() -> Vec<Block> {
    let limb = |i: u32| F::from_u32(i.wrapping_mul(2_654_435_761) >> 16);
    (0..64)
        .map(|block| std::array::from_fn(|lane| limb(8 * block + lane as u32 + 1)))
        .collect()
}

/// Returns the state of Keccak-f that these spread bytes represent.
pub fn keccak_state(bytes: &[F; 200]) -> keccak::State {
    let bits = |byte: F| (0..8).map(move |bit| byte.as_canonical_u32() >> (3 * bit) & 1);
    std::array::from_fn(|lane| {
        let bytes = bytes[8 * lane..][..8].iter();
        let bits = bytes.flat_map(|&byte| bits(byte)).enumerate();
        bits.map(|(i, bit)| u64::from(bit) << i).sum()
    })
}

impl<T: DigestTable> Run<T> {
    pub fn digest(&self, address: u32) -> [Block; 2] {
        let address = address as usize;
        [self.blocks[address], self.blocks[address + 1]]
    }

    pub fn hash(&mut self, a: u32, words: usize) {
        let c = self.push(T::hash(&self.blocks[a as usize..], words));
        self.calls.push((T::HASH, [a, 0, c, 0, words as u32]));
    }

    pub fn merkle(&mut self, leaf: u32, index: u32, siblings: u32, depth: u32) {
        let path: Vec<_> = (0..depth).map(|i| self.digest(siblings + 2 * i)).collect();
        let d = self.push(T::merkle(&self.digest(leaf), index, &path));
        self.calls
            .push((T::MERKLE, [leaf, index, siblings, d, depth]));
    }
}

/// Asserts that the honest trace is accepted, and that `core` sends exactly the compressions or
/// permutations that it receives.
pub fn assert_accepts<T: DigestTable>(run: &Run<T>, core: &(impl Table + Air<RowBuilder<F>>)) {
    run.assert_accepts();
    let (table, execution) = (T::default(), run.execution());
    let calls = Traced::new(T::NAME, &table, generate(&table, &execution, 1).0);
    let (cores, counts) = generate(core, &execution, 1);
    // Each looks up one of both tables.
    let pairs = byte_pairs::generate_table(&counts.byte_pairs, None).ok();
    let pairs = pairs.map(|pairs| Traced::new("byte_pairs", &BytePairsTable, pairs));
    let spread = spread::generate_table(&counts.spread, None).ok();
    let spread = spread.map(|spread| Traced::new("spread", &SpreadTable, spread));
    let cores = Traced::new(core.name(), core, cores);
    let tables = [Some(cores), Some(calls), pairs, spread];
    let harness = Harness::new(tables.into_iter().flatten().collect());
    harness.open_bus("call").open_bus("block").check().unwrap();
}

/// The index of a path has one bit more than the path has levels.
pub fn index_left_over<T: DigestTable>(run: &Run<T>) {
    let mut execution = run.execution();
    let call = &mut execution.calls[T::MERKLE as usize][0];
    call.b += F::from_u32(1 << call.e.as_canonical_u32());
    let table = T::default();
    let calls = Traced::new(T::NAME, &table, generate(&table, &execution, 1).0);
    assert!(Harness::new(vec![calls]).messages().is_err());
}

/// Recomputes what depends on the rows: what each computes, and the results in memory. With
/// `carries`, also the state or the node that a row takes from the row above.
pub fn follow<T: DigestTable>(rows: &mut [&mut T::Row], execution: &mut Execution, carries: bool) {
    let starts: Vec<bool> = rows
        .iter_mut()
        .map(|row| T::chain(row).starts == F::ONE)
        .collect();
    for index in 0..rows.len() {
        let (above, rest) = rows.split_at_mut(index);
        let row = &mut *rest[0];
        if !T::is_active(row) {
            continue;
        }
        if carries
            && !starts[index]
            && let Some(above) = above.last()
        {
            let chain = *T::chain(row);
            let node = match (chain.is_left == F::ONE, chain.is_right == F::ONE) {
                (true, _) => Some(0),
                (_, true) => Some(DIGEST_LIMBS),
                _ => None,
            };
            match node {
                Some(first) => {
                    T::lanes(row)[first..][..DIGEST_LIMBS].copy_from_slice(&T::output(above));
                }
                None => T::start(row, Some(above)),
            }
        }
        let is_last = starts[(index + 1) % starts.len()];
        T::compute(row, is_last);
        if is_last {
            let output = T::output(row);
            let out = T::chain(row).out_address.as_canonical_u32() as usize;
            execution.memory.blocks[out..][..2].copy_from_slice(output.as_chunks::<LANES>().0);
        }
    }
}

fn path<T: DigestTable>(index: u32, depth: u32) -> Run<T> {
    let mut run = Run::new();
    run.merkle(1, index, 20, depth);
    run
}

fn hash<T: DigestTable>(words: usize) -> Run<T> {
    let mut run = Run::new();
    run.hash(0, words);
    run
}

/// Tables without padding: the last row is the last of a chain, for each mode.
pub fn full_tables<T: DigestTable>() {
    let mut last_is_hash = Run::<T>::new();
    last_is_hash.hash(0, T::ROW_WORDS + 2);
    last_is_hash.hash(3, 5);
    last_is_hash.hash(4, 1);
    let mut last_is_path = hash::<T>(7);
    last_is_path.merkle(1, 0b101, 20, 3);
    for (run, height) in [
        (last_is_hash, 4),
        (last_is_path, 4),
        (path::<T>(0b10, 2), 2),
    ] {
        run.assert_fills(height);
        assert_eq!(forged(&run, height, |_, _| ()), None, "unedited");
        let unedited = forge::<T>(run.execution(), height, |rows, _| {
            assert!(rows.iter().all(|row| T::is_active(row)), "padding");
        });
        assert_eq!(unedited, None);
    }
}

pub fn open_on_the_last_row<T: DigestTable>() {
    // The calls ask for more rows than the table has.
    for (run, height) in [
        (path::<T>(0, 3), 2),
        (path::<T>(0, 2), 1),
        (hash::<T>(2 * T::ROW_WORDS + 1), 2),
        (hash::<T>(T::ROW_WORDS + 1), 1),
    ] {
        assert!(forged::<T>(&run, height, |_, _| ()).is_some());
    }
}

pub fn entered_in_the_middle<T: DigestTable>() {
    // Row `at` continues the row above, whatever that row is. Its own call is made or is not.
    let continues = |run: &Run<T>, height: usize, at: usize| {
        for is_called in [true, false] {
            let fault = forged::<T>(run, height, |rows, execution| {
                T::chain(rows[at]).starts = F::ZERO;
                if !is_called {
                    let (identity, _) = run.calls[run.calls.len() - 1];
                    execution.calls[identity as usize].pop();
                }
            });
            assert!(fault.is_some());
        }
    };
    // Row 0 continues the last row, which may be row 0 itself.
    for run in [path::<T>(0, 1), path::<T>(1, 1), hash::<T>(3)] {
        continues(&run, 1, 0);
        continues(&run, 2, 0);
    }
    // A chain continues from the table's last row to its first.
    for run in [path::<T>(0, 2), hash::<T>(T::ROW_WORDS + 1)] {
        let fault = forged::<T>(&run, 2, |rows, _| {
            let (first, second) = (*rows[0], *rows[1]);
            (*rows[0], *rows[1]) = (second, first);
        });
        assert!(fault.is_some());
    }
    // A row continues below the last row of another call.
    let mut below_hash = hash::<T>(3);
    below_hash.merkle(1, 0, 20, 1);
    continues(&below_hash, 2, 1);
    let mut below_path = path::<T>(0, 1);
    below_path.merkle(1, 0, 22, 1);
    continues(&below_path, 2, 1);
    let mut hash_below_hash = hash::<T>(3);
    hash_below_hash.hash(10, 3);
    continues(&hash_below_hash, 2, 1);
    // A row continues below padding.
    for run in [path::<T>(0, 1), hash::<T>(3)] {
        let fault = forged::<T>(&run, 2, |rows, _| {
            let (row, padding) = (*rows[0], *rows[1]);
            (*rows[0], *rows[1]) = (padding, row);
            T::chain(rows[1]).starts = F::ZERO;
        });
        assert!(fault.is_some());
    }
}

pub fn cut_or_too_long<T: DigestTable>() {
    // A call ends early: its remaining rows are a call that was not made, or are missing.
    for run in [path::<T>(0, 3), hash::<T>(2 * T::ROW_WORDS + 1)] {
        let cut = forged::<T>(&run, 4, |rows, _| T::chain(rows[1]).starts = F::ONE);
        assert!(cut.is_some());
        let gone = forged::<T>(&run, 4, |rows, _| {
            let padding = *rows[3];
            (*rows[1], *rows[2]) = (padding, padding);
        });
        assert!(gone.is_some());
    }
    // A path has one row more than its call asks for, so that `remaining` reaches zero.
    let too_long = forged::<T>(&path::<T>(0, 2), 2, |rows, execution| {
        execution.calls[T::MERKLE as usize][0].e = F::ONE;
        T::chain(rows[0]).remaining = F::ONE;
        T::chain(rows[1]).remaining = F::ZERO;
    });
    assert!(too_long.is_some());
    let too_long = forged::<T>(&hash::<T>(T::ROW_WORDS + 1), 2, |rows, execution| {
        execution.calls[T::HASH as usize][0].e = F::from_usize(T::ROW_WORDS);
        T::chain(rows[0]).remaining = F::from_usize(T::ROW_WORDS);
        T::chain(rows[1]).remaining = F::ZERO;
    });
    assert!(too_long.is_some());
}

/// Exchanges two rows, with their chain columns or without them.
fn exchange<T: DigestTable>(rows: &mut [&mut T::Row], [one, other]: [usize; 2], with_chains: bool) {
    let cells = [*rows[other], *rows[one]];
    let chains = [*T::chain(rows[one]), *T::chain(rows[other])];
    [*rows[one], *rows[other]] = cells;
    if !with_chains {
        [*T::chain(rows[one]), *T::chain(rows[other])] = chains;
    }
}

pub fn rows_moved_or_copied<T: DigestTable>() {
    // Two paths exchange their second rows, either unchanged or with corrected addresses.
    let mut run = path::<T>(0, 2);
    run.merkle(3, 0, 30, 2);
    for with_chains in [false, true] {
        let fault = forged::<T>(&run, 4, |rows, _| exchange::<T>(rows, [1, 3], with_chains));
        assert!(fault.is_some());
    }
    // The first level replaces the second.
    let fault = forged::<T>(&path::<T>(0, 2), 2, |rows, _| {
        *rows[1] = *rows[0];
        let chain = T::chain(rows[1]);
        (chain.starts, chain.remaining, chain.low_address) = (F::ZERO, F::ONE, F::ZERO);
    });
    assert!(fault.is_some());
    // The rows of a hash are in another order.
    let run = hash::<T>(3 * T::ROW_WORDS + 1);
    assert_eq!(forged::<T>(&run, 4, |_, _| ()), None);
    for with_chains in [false, true] {
        let fault = forged::<T>(&run, 4, |rows, _| exchange::<T>(rows, [1, 2], with_chains));
        assert!(fault.is_some());
    }
    // A call is made once and answered twice.
    for run in [path::<T>(0, 1), hash::<T>(3)] {
        assert!(forged::<T>(&run, 2, |rows, _| *rows[1] = *rows[0]).is_some());
    }
}

pub fn another_node_or_index<T: DigestTable>() {
    // The node of level 1 is not the parent of level 0, and all levels above are computed from it.
    for index in [0, 0b10] {
        for lane in 0..DIGEST_LIMBS {
            let run = path::<T>(index, 2);
            let fault = forge::<T>(run.execution(), 2, |rows, execution| {
                let node = if index == 0 { 0 } else { DIGEST_LIMBS };
                let lane = &mut T::lanes(rows[1])[node + lane];
                *lane = F::from_u32(lane.as_canonical_u32() ^ 1);
                follow::<T>(rows, execution, false);
            });
            assert!(fault.is_some(), "index {index}, lane {lane}");
        }
    }
    // A path of another index than the call's, wrong at either level.
    for (asked, taken) in [(0, 1), (0, 2), (1, 3), (3, 2)] {
        let run = path::<T>(taken, 2);
        let fault = forged::<T>(&run, 2, |_, execution| {
            execution.calls[T::MERKLE as usize][0].b = F::from_u32(asked);
        });
        assert!(fault.is_some());
    }
    // The child that is the node changes sides.
    for row in 0..2 {
        let fault = forged::<T>(&path::<T>(0, 2), 2, |rows, _| {
            let chain = T::chain(rows[row]);
            std::mem::swap(&mut chain.is_left, &mut chain.is_right);
            std::mem::swap(&mut chain.low_address, &mut chain.high_address);
            let lanes = T::lanes(rows[row]);
            lanes[..2 * DIGEST_LIMBS].rotate_left(DIGEST_LIMBS);
        });
        assert!(fault.is_some());
    }
    // A bit that is not boolean: with one level, the index is 2 = 0 + 2 * 1.
    let fault = forged::<T>(&path::<T>(0, 1), 1, |rows, execution| {
        execution.calls[T::MERKLE as usize][0].b = F::TWO;
        let chain = T::chain(rows[0]);
        (chain.is_left, chain.is_right, chain.index) = (F::NEG_ONE, F::TWO, F::TWO);
    });
    assert!(fault.is_some());
}

pub fn another_result_or_state<T: DigestTable>() {
    // The last row writes to another address.
    for run in [path::<T>(0, 2), hash::<T>(T::ROW_WORDS + 1)] {
        let fault = forged::<T>(&run, 2, |rows, _| {
            T::chain(rows[1]).out_address = F::from_u32(50);
        });
        assert!(fault.is_some());
    }
    // The second row of a hash ignores the first row's state.
    let run = hash::<T>(T::ROW_WORDS + 1);
    let fault = forge::<T>(run.execution(), 2, |rows, execution| {
        T::start(rows[1], None);
        follow::<T>(rows, execution, false);
    });
    assert!(fault.is_some());
}

pub fn other_words<T: DigestTable>() {
    let run = hash::<T>(T::ROW_WORDS + 2);
    let edits: [fn(&mut [&mut T::Row]); 4] = [
        // One word fewer, one more, a gap; a first row that is not full.
        |rows| T::present(rows[1])[1] = F::ZERO,
        |rows| T::present(rows[1])[2] = F::ONE,
        |rows| T::present(rows[1])[..3].copy_from_slice(&[F::ONE, F::ZERO, F::ONE]),
        |rows| T::present(rows[0])[T::ROW_WORDS - 1] = F::ZERO,
    ];
    for edit in edits {
        assert!(forged::<T>(&run, 2, |rows, _| edit(rows)).is_some());
    }
    // A row of a path with one word fewer than two digests have, or one more.
    for word in [DIGEST_LIMBS - 1, DIGEST_LIMBS] {
        let fault = forged::<T>(&path::<T>(0, 1), 1, |rows, _| {
            if let Some(present) = T::present(rows[0]).get_mut(word) {
                *present = F::ONE - *present;
            }
        });
        assert_eq!(fault.is_some(), word < T::ROW_WORDS, "word {word}");
    }
    // A word that is not in memory.
    let fault = forged::<T>(&run, 2, |rows, _| {
        let lane = &mut T::lanes(rows[1])[0];
        *lane = F::from_u32(lane.as_canonical_u32() ^ 1);
    });
    assert!(fault.is_some());
}
