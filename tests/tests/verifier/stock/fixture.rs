//! Proofs by Plonky3's provers with Plonky3's configurations, and what verifies them.

use std::fmt::Debug;

use droste_gadgets::NativeTape;
use droste_native::{F, FriSettings};
use droste_verifier::circuit::CircuitError;
use droste_verifier::claim::claim_digest;
use droste_vm::compiler::Compiled;
use droste_vm::record::Execution;

use crate::airs::tables::{Plain, Table};

/// The settings of `FriParameters::new_benchmark`, with two queries and less work.
pub const BENCHMARK: FriSettings = FriSettings {
    log_blowup: 1,
    max_log_arity: 1,
    num_queries: 2,
    query_grinding_bits: 4,
    cap_height: 3,
    ..FriSettings::toy()
};

/// The settings of `FriParameters::new_benchmark_high_arity`, with two queries and less work.
pub const HIGH_ARITY: FriSettings = FriSettings {
    max_log_arity: 3,
    batch_grinding_bits: 2,
    ..BENCHMARK
};

/// An AIR with a next row and public values.
pub const FIBONACCI: (Plain, usize) = (Plain::Fibonacci, 4);

/// An AIR with a next row and a preprocessed column.
pub const STEPS: (Plain, usize) = (Plain::Steps { log_height: 4 }, 4);

/// Tables with lookups, preprocessed columns, public values, a next row and three heights. A row of
/// keys is longer than a block of the sponges that hash it, and its number of words is odd.
pub const TABLES: [(Table, usize); 4] = [
    (Table::Range { log_height: 4 }, 4),
    (Table::Keys { columns: 37 }, 3),
    (Table::Plain(Plain::Fibonacci), 5),
    (Table::Plain(Plain::Steps { log_height: 5 }), 5),
];

/// A verifier of proofs for public values.
type Verifier<P, V, T> = Box<dyn Fn(&P, &[Vec<V>]) -> T>;

/// A proof over the field `V`, and three verifiers of such proofs.
pub struct Fixture<P, V = F> {
    pub proof: P,
    pub public_values: Vec<Vec<V>>,
    /// The statement of a run of the program on a proof for the public values.
    pub claim: [F; 8],
    pub compiled: Compiled,
    /// Plonky3's.
    pub plonky3: Verifier<P, V, bool>,
    /// The program, run natively.
    pub native: Verifier<P, V, Result<NativeTape, CircuitError>>,
    /// The program, run natively and in the machine.
    pub machine: Verifier<P, V, Result<Execution, CircuitError>>,
}

impl<P, V> Fixture<P, V> {
    /// Checks that all verifiers accept the proof, and that the machine reveals the claim.
    pub fn expect_accepted(&self) {
        assert!((self.plonky3)(&self.proof, &self.public_values));
        accepted((self.native)(&self.proof, &self.public_values));
        let run = accepted((self.machine)(&self.proof, &self.public_values));
        assert_eq!(run.statement, self.claim);
        println!(
            "{} instructions, {} cycles",
            self.compiled.program.instructions.len(),
            run.cycles.len()
        );
    }

    /// Whether the verifiers accept a proof for public values. If the native run refuses it, there
    /// is no tape for the machine.
    ///
    /// # Panics
    /// If they disagree.
    pub fn verdict(&self, proof: &P, public_values: &[Vec<V>], what: &dyn Debug) -> bool {
        let plonky3 = (self.plonky3)(proof, public_values);
        let native = (self.native)(proof, public_values);
        assert_eq!(plonky3, native.is_ok(), "{what:?}: {native:?}");
        if plonky3 {
            let machine = (self.machine)(proof, public_values).map(|run| run.statement);
            assert!(machine.is_ok(), "{what:?}: {machine:?}");
        }
        plonky3
    }
}

fn accepted<T>(verdict: Result<T, CircuitError>) -> T {
    verdict.unwrap_or_else(|error| panic!("an honest proof is refused: {error:?}"))
}

/// The claim of a leaf, as the machine reveals it.
pub fn claim(leaf: &droste_verifier::claim::ClaimTree) -> [F; 8] {
    claim_digest(&[(leaf.key, leaf.claim.statement())])
}

/// Makes the [`Fixture`] of a circuit, a proof and Plonky3's verifier.
macro_rules! fixture {
    ($circuit:expr, $proof:expr, $public_values:expr, $plonky3:expr) => {{
        let (circuit, public_values) = (std::rc::Rc::new($circuit), $public_values);
        let (native, machine) = (std::rc::Rc::clone(&circuit), std::rc::Rc::clone(&circuit));
        let leaf = circuit.leaf(&public_values).unwrap();
        // Values before the verifiers: they say of which types these are.
        $crate::stock::fixture::Fixture {
            proof: $proof,
            public_values,
            claim: $crate::stock::fixture::claim(&leaf),
            compiled: circuit.compiled().clone(),
            plonky3: Box::new($plonky3),
            native: Box::new(move |proof, public| native.tape(proof, public)),
            machine: Box::new(move |proof, public| machine.execute(proof, public)),
        }
    }};
}
pub(super) use fixture;

/// Makes a p3-uni-stark proof of a [`Plain`] table with a configuration and its trees. With
/// `in_batch` the circuit verifies openings in a batch.
macro_rules! uni_fixture {
    ($made:expr, $settings:expr, $table:expr $(, $in_batch:ident)?) => {{
        let ((config, trees, constants), settings) = ($made, $settings);
        let (table, log_height): ($crate::airs::tables::Plain, usize) = $table;
        let (trace, public) = $crate::airs::tables::plain_trace(table, log_height, 7);
        let preprocessed = p3_uni_stark::setup_preprocessed(&config, &table, log_height).unwrap();
        let (data, key) = preprocessed.unzip();
        let proof =
            p3_uni_stark::prove_with_preprocessed(&config, &table, trace, &public, data.as_ref())
                .unwrap();
        let circuit = droste_verifier::airs::StockUni::new(
            config.clone(),
            trees,
            constants,
            settings,
            table,
            log_height,
        )
        .unwrap();
        $(let circuit = circuit.$in_batch().unwrap();)?
        $crate::stock::fixture::fixture!(circuit, proof, vec![public], move |proof, public| {
            let public = public.concat();
            let key = key.as_ref();
            p3_uni_stark::verify_with_preprocessed(&config, &table, proof, &public, key).is_ok()
        })
    }};
}
pub(super) use uni_fixture;

/// Makes a p3-batch-stark proof of tables with a configuration and its trees. With `in_batch` the
/// circuit verifies openings in a batch.
macro_rules! batch_fixture {
    ($made:expr, $settings:expr, $tables:expr $(, $in_batch:ident)?) => {{
        let ((config, trees, constants), settings) = ($made, $settings);
        let tables: &[($crate::airs::tables::Table, usize)] = $tables;
        let (airs, log_heights): (Vec<$crate::airs::tables::Table>, Vec<usize>) =
            tables.iter().copied().unzip();
        let traces = $crate::airs::tables::traces(tables, 7);
        let instances: Vec<_> = airs
            .iter()
            .zip(&traces)
            .map(|(air, (trace, public))| p3_batch_stark::StarkInstance {
                air,
                trace,
                public_values: public.clone(),
            })
            .collect();
        let data = p3_batch_stark::ProverData::from_airs_and_degrees(&config, &airs, &log_heights)
            .unwrap();
        let proof = p3_batch_stark::prove_batch(&config, &instances, &data).unwrap();
        let public_values: Vec<Vec<_>> = traces.into_iter().map(|(_, public)| public).collect();
        let circuit = droste_verifier::airs::StockBatch::new(
            config.clone(),
            trees,
            constants,
            settings,
            airs.clone(),
            &log_heights,
        )
        .unwrap();
        $(let circuit = circuit.$in_batch().unwrap();)?
        $crate::stock::fixture::fixture!(circuit, proof, public_values, move |proof, public| {
            p3_batch_stark::verify_batch(&config, &airs, proof, public, &data.common).is_ok()
        })
    }};
}
pub(super) use batch_fixture;

/// Verifies a p3-uni-stark proof of an AIR without public values, at height `2^log_height`, in the
/// machine, and returns the run. With `in_batch` openings are verified in a batch.
macro_rules! run {
    ($made:expr, $settings:expr, $air:expr, $log_height:expr, $trace:expr $(, $in_batch:ident)?) => {{
        let ((config, trees, constants), settings) = ($made, $settings);
        let (air, log_height) = ($air, $log_height);
        let proof = p3_uni_stark::prove(&config, &air, $trace, &[]).unwrap();
        let circuit = droste_verifier::airs::StockUni::new(
            config, trees, constants, settings, air, log_height,
        )
        .unwrap();
        $(let circuit = circuit.$in_batch().unwrap();)?
        let run = circuit.run(&proof, &[]).unwrap();
        assert_eq!(run.execution().statement, circuit.claim(&[]).unwrap());
        println!(
            "{} bits, {} cycles",
            circuit.bits(),
            run.execution().cycles.len()
        );
        run
    }};
}
pub(super) use run;
