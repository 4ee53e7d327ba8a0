//! Proves two AIRs of your own with p3-batch-stark and verifies the proof in the machine.
//! Parameters are insecure.
//!
//! `cargo run --release -p droste --example own_air`

use std::error::Error;

use droste::prelude::*;
use droste::recursion::file;

const BYTES: LookupBus<'static> = LookupBus::new("bytes");

/// The tables of one proof. p3-batch-stark requires that they have one type.
#[derive(Clone, Copy, Debug)]
enum Table {
    /// All bytes, as a preprocessed column, and how often each is looked up.
    Bytes,
    /// Columns `x, sum`: `x` is a byte, `sum` is the running sum of `x`; the public value is the
    /// last sum.
    Sum,
}

impl BaseAir<F> for Table {
    fn width(&self) -> usize {
        match self {
            Self::Bytes => 1,
            Self::Sum => 2,
        }
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        let bytes = || RowMajorMatrix::new_col((0..256).map(F::from_u32).collect());
        matches!(self, Self::Bytes).then(bytes)
    }

    fn preprocessed_width(&self) -> usize {
        usize::from(matches!(self, Self::Bytes))
    }

    fn preprocessed_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        match self {
            Self::Bytes => vec![],
            Self::Sum => vec![0, 1],
        }
    }

    fn num_public_values(&self) -> usize {
        usize::from(matches!(self, Self::Sum))
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Table {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let now = main.current_slice();
        match self {
            Self::Bytes => {
                let byte: AB::Expr = builder.preprocessed().current_slice()[0].into();
                BYTES.table_entry(builder, [byte], now[0]);
            }
            Self::Sum => {
                let next = main.next_slice();
                let total = builder.public_values()[0];
                builder.when_first_row().assert_eq(now[0], now[1]);
                builder
                    .when_transition()
                    .assert_eq(next[1], now[1] + next[0]);
                builder.when_last_row().assert_eq(now[1], total);
                BYTES.lookup_key(builder, [now[0]], Count::bounded(AB::Expr::ONE, 1));
            }
        }
    }
}

/// Traces of both tables and the sum of `bytes`.
fn traces(bytes: &[u8]) -> ([RowMajorMatrix<F>; 2], F) {
    let mut counts = F::zero_vec(256);
    let mut sum = F::ZERO;
    let mut rows = Vec::new();
    for &byte in bytes {
        counts[usize::from(byte)] += F::ONE;
        sum += F::from_u8(byte);
        rows.extend([F::from_u8(byte), sum]);
    }
    let traces = [
        RowMajorMatrix::new_col(counts),
        RowMajorMatrix::new(rows, 2),
    ];
    (traces, sum)
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The AIRs, the heights of their tables, and the hash that their proofs are committed in.
    //    From these a program is generated that verifies such proofs. With `Seed::Key` their
    //    transcripts absorb the AIRs' key first. The settings are insecure.
    let settings = Preset::Toy.settings(2)?;
    let airs = vec![Table::Bytes, Table::Sum];
    let circuit = BatchCircuit::<Blake3Suite, Table>::new(airs, settings, &[8, 4], Seed::Key)?;
    println!("key {}", circuit.air_key().digest());

    // 2. A proof, by Plonky3's own prover.
    let ([bytes, sums], total) = traces(b"sixteen bytes...");
    let public_values = [vec![], vec![total]];
    let traces = [&bytes, &sums];
    let instances = StarkInstance::new_multiple(circuit.airs(), &traces, &public_values);
    let proof = prove_batch(&circuit.config()?, &instances, circuit.data())?;

    // 3. Verify the proof natively and then in the machine, and prove the machine's run: the wrap.
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let wrap = aggregator.wrap_run(circuit.run(&proof, &public_values)?)?;
    println!("wrapped in {} steps", wrap.steps().len());

    // 4. Another party that has the AIRs derives the key of the program that verifies their proofs.
    //    The wrap claims that the AIRs with this key hold for these public values.
    let leaf = circuit.leaf(&public_values)?;
    let deriver = Deriver::new().with_airs(&circuit)?;
    let leaves = AcceptedLeaves::from_iter([leaf.key]);
    let wrap = file::decode(&file::encode(&wrap)?)?.derive(&deriver, &leaves)?;
    assert_eq!(wrap.tree().leaves(), [(leaf.key, leaf.claim.statement())]);
    let other = circuit.leaf(&[vec![], vec![total + F::ONE]])?;
    assert_ne!(leaf.claim, other.claim);

    // 5. It can be joined with other proofs: see the example `aggregate`.
    Ok(())
}
