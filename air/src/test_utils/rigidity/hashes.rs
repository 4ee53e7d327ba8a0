//! Every hash table of this crate: its inputs determine all other cells, those of its messages
//! included.

use droste_native::{EF, F};
use p3_air::{Air, BaseAir, WindowAccess};
use p3_field::PrimeCharacteristicRing;
use p3_lookup::{Count, InteractionBuilder, InteractionSymbolicBuilder};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::Rigidity;
use crate::End::{self, Repeat, Ring};
use crate::test_utils::{Harness, RowBuilder, Table};
use crate::{blake3, keccak, poseidon2, poseidon16};

/// Receives each message of a bus once, into columns of its own.
struct Receiver {
    bus: String,
    width: usize,
}

impl BaseAir<F> for Receiver {
    fn width(&self) -> usize {
        self.width
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Receiver {
    fn eval(&self, builder: &mut AB) {
        let message = builder.main().current_slice().to_vec();
        let count = Count::bounded(AB::Expr::NEG_ONE, 1);
        builder.push_interaction(&self.bus, message, count);
    }
}

fn random<T>(count: usize) -> Vec<T>
where
    StandardUniform: Distribution<T>,
{
    let mut rng = SmallRng::seed_from_u64(1);
    (0..count).map(|_| rng.random()).collect()
}

/// A table under test: its AIR, an honest trace and the names of its columns.
struct Case<'a, A> {
    air: &'a A,
    trace: RowMajorMatrix<F>,
    names: Vec<String>,
}

/// Columns that are free by design, on these rows, for this reason.
type Free<'a> = (&'a [&'a str], &'a [usize], &'a str);

impl<A: Air<InteractionSymbolicBuilder<F, EF>> + Air<RowBuilder<F>>> Case<'_, A> {
    /// Asserts that `free` lists what is free where the columns `inputs` are given on all rows. Any
    /// bus but this one is open.
    fn assert_rigid(&self, bus: &str, inputs: &[&str], ends: &[End], free: &[Free<'_>]) {
        let alone = Harness::new(vec![Table::new("table", self.air, self.trace.clone())]);
        let messages = alone.messages().unwrap();
        let sent = &messages[bus];
        let width = sent.keys().next().expect("a message").len();
        let receiver = Receiver {
            bus: bus.to_owned(),
            width,
        };
        let received = sent.keys().flatten().copied().map(F::from_u32);
        let received = RowMajorMatrix::new(received.collect(), width);
        for &end in ends {
            let table = Table::new("table", self.air, self.trace.clone()).names(self.names.clone());
            let receiver = Table::new("receiver", &receiver, received.clone());
            let mut rigidity = Rigidity::new(vec![table.end(end), receiver]);
            for other in messages.keys().filter(|other| *other != bus) {
                rigidity = rigidity.open_bus(other);
            }
            for input in inputs {
                rigidity = rigidity.given("table", input, 0..self.trace.height());
            }
            for (columns, at, why) in free {
                for column in *columns {
                    rigidity = rigidity.free("table", column, at.iter().copied(), why);
                }
            }
            rigidity.check().unwrap().expect_rigid();
        }
    }
}

#[test]
fn poseidon16() {
    use poseidon16::Mode::{Compress, Permute};
    let inputs: Vec<_> = random(3)
        .into_iter()
        .zip([Permute, Compress, Permute])
        .collect();
    let case = Case {
        air: &poseidon16::Poseidon16Table,
        trace: poseidon16::generate_table(&inputs, Some(8)).unwrap(),
        names: poseidon16::Poseidon16TableCols::<u8>::names(),
    };
    case.assert_rigid("poseidon16", &["permutation.inputs"], &[Ring, Repeat], &[]);
}

#[test]
fn poseidon2() {
    let case = Case {
        air: &poseidon2::Poseidon2ParentTable,
        trace: poseidon2::generate_parent_table(&random(3), Some(8)).unwrap(),
        names: poseidon2::Poseidon2ParentTableCols::<u8>::names(),
    };
    let free = &["permutation.inputs"];
    case.assert_rigid("poseidon2_parent", free, &[Ring, Repeat], &[]);
    let case = Case {
        air: &poseidon2::Poseidon2SpongeTable,
        trace: poseidon2::generate_sponge_table(&random(3), Some(8)).unwrap(),
        names: poseidon2::Poseidon2SpongeTableCols::<u8>::names(),
    };
    case.assert_rigid("poseidon2_sponge", free, &[Ring, Repeat], &[]);
}

/// Why cells of row 0 are free where nothing is above it.
const ROW_0: &str = "no computation begins on row 0";

#[test]
fn blake3() {
    let random = random::<([u32; 8], [u32; 16], u64)>(2).into_iter();
    let inputs: Vec<_> = random
        .map(|(chaining, message, counter)| blake3::Compression {
            chaining,
            message,
            counter,
            block_length: 61,
            flags: 0xa5,
        })
        .collect();
    let case = Case {
        air: &blake3::Blake3Table,
        trace: blake3::generate_table(&inputs, Some(4)).unwrap(),
        names: blake3::Blake3TableCols::<u8>::names(),
    };
    case.assert_rigid("blake3", &[], &[Ring, Repeat], &[]);
    let case = Case {
        air: &blake3::bytes::BytesTable,
        trace: blake3::bytes::generate_table(&inputs, Some(32)).unwrap(),
        names: blake3::bytes::BytesCols::<u8>::names(),
    };
    case.assert_rigid("blake3", &[], &[Ring], &[]);
    // Of words `b`, the row below checks bytes, which two cells make up each; `d`, and two message
    // words, it and the row itself check.
    let message = (0..16).filter(|word| ![1, 3].contains(word));
    let message = message.map(|word| format!("message[{word}]"));
    let halves = (0..8).flat_map(|quarter| [0, 1].map(|half| (quarter, half)));
    let halves = halves.flat_map(|(quarter, half)| {
        let is_read = move |word: &&str| *word == "d" && quarter >= 4 && half == 1;
        let words = ["a", "c", "d", "high", "low"];
        let words = words.into_iter().filter(move |word| !is_read(word));
        words.map(move |word| format!("halves[{quarter}][{half}].{word}"))
    });
    let row_0: Vec<String> = message.chain(halves).collect();
    let row_0: Vec<&str> = row_0.iter().map(String::as_str).collect();
    case.assert_rigid("blake3", &[], &[Repeat], &[(&row_0, &[0], ROW_0)]);
}

#[test]
fn keccak() {
    let case = Case {
        air: &keccak::bytes::BytesTable,
        trace: keccak::bytes::generate_table(&[random(2).try_into().unwrap()], Some(32)).unwrap(),
        names: keccak::bytes::BytesCols::<u8>::names(),
    };
    case.assert_rigid("keccak_f", &[], &[Ring], &[]);
    // The row below has the state of row 0 as its own, which two cells make up or three.
    let free = ["a_high", "a_low", "chi"];
    case.assert_rigid("keccak_f", &[], &[Repeat], &[(&free, &[0], ROW_0)]);
}

#[test]
fn keccak256() {
    let messages = [vec![7; 200], vec![1; 5]];
    let case = Case {
        air: &keccak::sponge::SpongeTable,
        trace: keccak::sponge::generate_table(&messages, None).unwrap(),
        names: keccak::sponge::SpongeCols::<u8>::names(),
    };
    case.assert_rigid("keccak256", &[], &[Ring], &[]);
}
